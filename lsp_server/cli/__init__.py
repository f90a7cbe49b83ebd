"""The `moorline` command: argument parsing and printing over the same features as the language server."""
