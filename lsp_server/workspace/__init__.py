"""Open documents over files on disk, git, watching, and the one mutable thing: the session."""
