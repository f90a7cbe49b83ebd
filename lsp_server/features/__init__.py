"""One file a feature, as functions of a frozen snapshot. Knows no connections and no LSP types."""
