"""Importers: one file a format, each a pure function of what files hold; `found` tells which one a file is for."""
