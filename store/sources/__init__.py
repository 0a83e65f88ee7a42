"""Sources of papers: files, folders and standard input, read as a stream of records."""

from __future__ import annotations

from store.sources.opening import Source, find_sources, open_source

__all__ = ["Source", "find_sources", "open_source"]
