"""The Chroma index: chunk ids, vectors and filter fields. A cache of the catalogue, rebuilt whenever it cannot be trusted.

A kill inside one of Chroma's writes can leave files that crash the process that opens them (chroma-core/chroma#7238, #6949), a
damaged SQLite file makes Chroma abort it, and two writers lose vectors silently. So it is written under the library's lock only;
a seal with the checksums of its files is taken away before every write and put back after; and what has no good seal is never
opened, but built anew beside it and renamed.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from store.catalogue import Catalogue, Vectors
from store.errors import LibraryError

COLLECTION = "abstracts"
_FOLDER, _SEAL, _DATABASE = "chroma", "chroma.seal.json", "chroma.sqlite3"
_PAGE = 4096  # bytes of a page of its SQLite file
_BATCH = 1000  # Chroma takes at most 5,461 records a call (chroma-core/chroma#1079); 1,000 keep each write short


class ChromaIndex:
    """The index of one library folder."""

    def __init__(self, library: Path) -> None:
        self._folder = library / _FOLDER
        self._seal = library / _SEAL
        self._open: tuple[int, Any] | None = None

    def is_current(self, catalogue: Catalogue) -> bool:
        """Whether it holds just what the catalogue holds, and its files are those that were sealed."""
        return self._sealed_generation(catalogue) == catalogue.generation

    def sync(self, catalogue: Catalogue) -> None:
        """Bring it up to the catalogue; the caller holds the library's lock.

        A sound index gets only what changed (0.3 ms a chunk); anything else is rebuilt (5,000 chunks: about a second).
        """
        generation = catalogue.generation
        sealed = self._sealed_generation(catalogue)
        if sealed == generation:
            return
        self.close()
        self._seal.unlink(missing_ok=True)
        self._clear_left_overs()
        if sealed is None or not self._updated(catalogue):
            self._rebuild(catalogue)
        lock_page = _lock_page(self._folder / _DATABASE)
        seal = {
            "generation": generation,
            "identity": catalogue.fact("identity"),
            "lock_page": lock_page,
            "files": _checksums(self._folder, lock_page),
        }
        temporary = self._seal.with_suffix(f".tmp-{os.getpid()}")
        temporary.write_text(json.dumps(seal), "utf-8")
        temporary.replace(self._seal)

    def nearest(self, vector: Vectors, *, limit: int, catalogue: Catalogue) -> list[int]:
        """Rows of the `limit` papers (or all, if there are fewer) whose chunks are nearest to a unit vector, best first.

        The index must be current. Whatever a damaged one raises is passed on: the caller searches otherwise and calls `distrust`.
        """
        collection, chunks = self._opened(catalogue)
        rows: list[int] = []
        wanted = min(limit * 2, chunks)  # a paper has 1.3 chunks on average, so twice as many are mostly papers enough
        while wanted:
            found = collection.query(query_embeddings=[vector.tolist()], n_results=wanted, include=["metadatas"])
            rows = list(dict.fromkeys(int(fields["row"]) for fields in found["metadatas"][0]))
            wanted = min(wanted * 2, chunks) if len(rows) < limit and wanted < chunks else 0
        return rows[:limit]

    def distrust(self) -> None:
        """Take its seal away, so that nobody opens it until the next `sync` has built it anew."""
        self.close()
        with suppress(OSError):  # on read-only media it stays, and fails again
            self._seal.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the client, so that the next question sees what other processes wrote."""
        if self._open is not None:
            _close(self._open[1])
            self._open = None

    def _opened(self, catalogue: Catalogue) -> tuple[Any, int]:
        """The collection and its number of chunks, which is the catalogue's: files that were swapped for others fail here."""
        generation = catalogue.generation
        if self._open is None or self._open[0] != generation:
            self.close()
            self._open = generation, _client(self._folder)
            collection = self._open[1].get_collection(COLLECTION, embedding_function=None)
            if collection.count() != catalogue.chunk_count():
                raise ValueError("the index does not hold what its seal says")
        collection = self._open[1].get_collection(COLLECTION, embedding_function=None)
        return collection, collection.count()

    def _sealed_generation(self, catalogue: Catalogue) -> int | None:
        """Generation of a sound index, or None: no seal, another embedding, or files that are not the sealed ones."""
        try:
            seal = json.loads(self._seal.read_text("utf-8"))
            sound = seal["identity"] == catalogue.fact("identity") and seal["files"] == _checksums(
                self._folder, seal["lock_page"]
            )
            return int(seal["generation"]) if sound else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _clear_left_overs(self) -> None:
        """What a kill left: half an index, or a seal that was not put in place."""
        for left_over in self._folder.parent.glob(f"{_FOLDER}*.tmp-*"):
            if left_over.is_dir():
                shutil.rmtree(left_over, ignore_errors=True)
            else:
                left_over.unlink(missing_ok=True)

    def _updated(self, catalogue: Catalogue) -> bool:
        """Update a sound index in place; false if Chroma cannot."""
        try:
            with _collection(self._folder, catalogue) as collection:
                _update(collection, catalogue)
                return bool(collection.count() == catalogue.chunk_count())
        except LibraryError:  # of the catalogue
            raise
        except Exception:  # whatever Chroma raises
            return False

    def _rebuild(self, catalogue: Catalogue) -> None:
        temporary = self._folder.with_name(f"{_FOLDER}.tmp-{os.getpid()}")
        with _collection(temporary, catalogue) as collection:
            _update(collection, catalogue)
        shutil.rmtree(self._folder, ignore_errors=True)
        temporary.rename(self._folder)


def _update(collection: Any, catalogue: Catalogue) -> None:
    """Take out what the catalogue no longer has, put in what is new. A chunk's id names its text, its place and its fields."""
    wanted = dict(_chunk_ids(catalogue))
    present = set(collection.get(include=[])["ids"])
    for batch in _batches(sorted(present - wanted.keys())):
        collection.delete(ids=batch)
    for batch in _batches([name for name in wanted if name not in present]):
        keys = [wanted[name] for name in batch]
        vectors = catalogue.chunks_at([(row, number) for row, number, _ in keys])
        collection.add(ids=batch, embeddings=vectors, metadatas=[fields for _, _, fields in keys])


def _chunk_ids(catalogue: Catalogue) -> Iterator[tuple[str, tuple[int, int, dict[str, Any]]]]:
    sql = "SELECT row, number, hash, id, year, venue FROM chunks JOIN papers ON row = paper ORDER BY row, number"
    for row, number, digest, paper, year, venue in catalogue.select(sql):
        fields = {
            name: value for name, value in (("row", row), ("paper", paper), ("year", year), ("venue", venue)) if value is not None
        }
        mark = zlib.crc32(json.dumps([digest, fields], sort_keys=True).encode("utf-8", "surrogatepass"))
        yield f"{row}.{number}.{mark:08x}", (row, number, fields)


@contextmanager
def _collection(folder: Path, catalogue: Catalogue) -> Iterator[Any]:
    client = _client(folder)
    try:
        yield client.get_or_create_collection(
            COLLECTION,
            embedding_function=None,
            metadata={"embedding": catalogue.fact("identity") or ""},
            configuration={"hnsw": {"space": "cosine"}},  # the default is l2
        )
    finally:
        _close(client)


def _client(folder: Path) -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # chromadb imports onnxruntime
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))


def _close(client: Any) -> None:
    from chromadb.api.shared_system_client import SharedSystemClient

    with suppress(Exception):  # closing must never hide why we close
        client.close()
    SharedSystemClient.clear_system_cache()


def _checksums(folder: Path, lock_page: int) -> dict[str, int]:
    """CRC-32 of the files that crash or abort the process that opens them when damaged; 200 MB (50,000 chunks) take 0.1 s.

    The vector files of fewer than 1,000 chunks, which have no index_metadata.pickle, are not among them: Chroma never reads
    those, and writes them anew at every query.
    """
    segments = [mark.parent for mark in folder.glob("*/index_metadata.pickle")]
    vectors = {str(path.relative_to(folder)): _checksum(path) for segment in segments for path in sorted(segment.iterdir())}
    return vectors | {_DATABASE: _database_checksum(folder / _DATABASE, lock_page)}


def _lock_page(database: Path) -> int:
    """Number, from 1, of the page with the table that Chroma writes whenever it opens its SQLite file."""
    db = sqlite3.connect(database)
    try:
        found = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'acquire_write'").fetchone()
        return int(found[0]) if found else 0
    finally:
        db.close()


def _database_checksum(database: Path, lock_page: int) -> int:
    """CRC-32 of the SQLite file, but for what opening it changes: its lock's page, and two counters in its header."""
    with database.open("rb") as content:
        checksum = number = 0
        while page := content.read(_PAGE):
            number += 1
            if number == 1:
                page = page[:24] + page[28:92] + page[96:]
            checksum = zlib.crc32(page, checksum) if number != lock_page else checksum
        return checksum


def _checksum(path: Path) -> int:
    with path.open("rb") as content:
        checksum = 0
        while block := content.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _batches(names: list[str]) -> Iterator[list[str]]:
    return (names[at : at + _BATCH] for at in range(0, len(names), _BATCH))
