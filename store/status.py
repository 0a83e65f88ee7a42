"""What a library holds, in figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store.filters import fields
from store.index import ChromaIndex
from store.library import Library
from store.nearest import choose_leg


def library_status(library: Library) -> dict[str, Any]:
    """Papers, flags, fields, embedding, additions, and which vector search answers: ``exact`` or ``chroma``."""
    catalogue, folder = library.catalogue, library.place.folder
    chunks = catalogue.chunk_count()
    current = ChromaIndex(folder).is_current(catalogue)
    inferred = catalogue.rows("title_inferred")
    flags = dict(catalogue.select("SELECT value, count(*) FROM papers, json_each(papers.flags) GROUP BY value ORDER BY value"))
    return {
        "library": str(folder),
        "papers": len(catalogue),
        "chunks": chunks,
        "flags": ({"title_inferred": len(inferred)} if inferred else {}) | flags,
        "fields": fields(catalogue),
        "embedding": {"name": library.embedding_name, "dimensions": catalogue.dimensions()},
        "index": {"kind": "chroma", "current": current},
        "search": {
            "one_shot": choose_leg(chunks=chunks, long_lived=False, index_is_current=current),
            "long_lived": choose_leg(chunks=chunks, long_lived=True, index_is_current=current),
        },
        "generation": catalogue.generation,
        "bytes": sum(map(_size, folder.rglob("*"))),
        "additions": [{"at": at, **receipt} for at, receipt in catalogue.receipts()],
    }


def _size(path: Path) -> int:
    """Bytes of a file; 0 for a folder, and for a file that another process has just taken away."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0
