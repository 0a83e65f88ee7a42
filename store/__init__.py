"""Papers on disk: read, kept exactly, embedded, found again."""
