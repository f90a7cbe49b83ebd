"""Agents: the same features over the Model Context Protocol. A sibling of `lsp` and `cli`."""
