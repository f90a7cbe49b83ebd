"""The ledger folder and the SQLite databases beside it. Knows no LSP and no editors."""
