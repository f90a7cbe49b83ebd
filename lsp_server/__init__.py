"""Moorline: decisions, claims, findings and notes that stay moored to the code they are about."""

__version__ = "0.1.0"
