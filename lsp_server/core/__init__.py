"""Pure functions over frozen data: memories, outlines, fingerprints, verdicts. Knows no files, databases or LSP."""
