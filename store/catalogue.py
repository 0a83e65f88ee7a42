"""The catalogue: one SQLite file that is the truth of a library. Everything else can be rebuilt from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from store.database import explained, open_database, storable
from store.errors import LibraryError, UsageError
from store.papers import Paper
from store.readable import search_text
from store.sentences import Span

Vectors = npt.NDArray[np.float32]

_LIST_COLUMNS = ("authors", "keywords", "flags")
_COLUMNS = (
    "id", "title", "title_inferred", "abstract", "authors", "venue", "year", "url", "doi", "keywords", "decision", "track",
    "source", "flags",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A paper with all that is derived from it, ready to be written in one piece.

    Attributes:
        content: Hash of every field a reader gives; equal means unchanged.
        spans: Sentences of the abstract.
        chunks: (hash, unit vector) of each chunk, shape (dimensions,); at least one.
        sentence_vectors: From `compact`, shape (sentences, dimensions); None if the embedding gives no token states.
        names: What the paper calls its own work, folded.
    """

    paper: Paper
    content: str
    spans: Sequence[Span]
    chunks: Sequence[tuple[str, Vectors]]
    sentence_vectors: npt.NDArray[np.int8] | None
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of one paper as they are stored; the fields as in `Entry`, the hashes apart."""

    hashes: list[str]
    chunks: list[Vectors]
    sentences: npt.NDArray[np.int8] | None


class Catalogue:
    """Reads and writes one catalogue file. Writers must hold the library's lock; readers need none.

    A *row* is the catalogue's own integer for a paper; it is stable while the paper stays, and never shown to people.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._db = connection
        self.path = path

    @classmethod
    def open(cls, path: Path, *, create: bool = False) -> Self:
        """Open the file, bringing an older schema up to date.

        Raises:
            LibraryError: It is missing (and not to be created), no catalogue, damaged, or of a newer version.
        """
        if not create and not path.is_file():
            raise LibraryError(f"There is no library at {path.parent}. Make one: abstracts add FILE --library {path.parent}")
        return cls(open_database(path), path)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is kept, and readers see it at their next question, or none of it.

        Raises:
            LibraryError: The disk is full, the folder read-only, or the file damaged.
        """
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("UPDATE facts SET value = value + 1 WHERE name = 'generation'")
        except sqlite3.Error as error:
            raise explained(error, self.path) from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One view of the papers for several questions, whatever is written meanwhile; inside another, that one's."""
        if self._db.in_transaction:
            yield
            return
        self.select("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of one query.

        Raises:
            LibraryError: The file is damaged or cannot be read.
        """
        try:
            return self._db.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise explained(error, self.path) from error

    # -- facts ---------------------------------------------------------------------------------------------------------

    def fact(self, name: str) -> str | None:
        """A named fact of the library (its embedding, its generation), or None."""
        found = self.select("SELECT value FROM facts WHERE name = ?", (name,))
        return found[0][0] if found else None

    def set_fact(self, name: str, value: str) -> None:
        """Keep a named fact; call inside `writing`."""
        self._db.execute("INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value))

    @property
    def generation(self) -> int:
        """Counts the writes: a reader that kept anything in memory compares it at each question."""
        return int(self.fact("generation") or 0)

    # -- papers --------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self.select("SELECT count(*) FROM papers")[0][0])

    def rows(self, where: str = "", parameters: Sequence[Any] = ()) -> list[int]:
        """Rows of the papers that meet an SQL condition over the columns of `papers`, in the order they were added."""
        clause = f" WHERE {where}" if where else ""
        return [row for (row,) in self.select(f"SELECT row FROM papers{clause} ORDER BY row", parameters)]

    def papers(self, rows: Sequence[int]) -> dict[int, Paper]:
        """Papers by row; unknown rows are left out."""
        found: dict[int, Paper] = {}
        for batch in _batches(rows):
            sql = f"SELECT row, {', '.join(_COLUMNS)} FROM papers WHERE row IN ({_marks(batch)})"
            found.update((line[0], _paper(line[1:])) for line in self.select(sql, batch))
        return found

    def row_of(self, name: str) -> int:
        """The row of a paper named by its id, or by the beginning of one if only one paper's begins so.

        Raises:
            UsageError: No paper, or several, are meant.
        """
        name = storable(name)
        exact = self.select("SELECT row FROM papers WHERE id = ?", (name,))
        if exact:
            return int(exact[0][0])
        escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        close = self.select("SELECT row, id FROM papers WHERE id LIKE ? ESCAPE '\\' ORDER BY id LIMIT 6", (escaped + "%",))
        if name and len(close) == 1:
            return int(close[0][0])
        if name and close:
            raise UsageError(
                f"Several papers have ids that begin with {name!r}: {', '.join(i for _, i in close[:5])}. Give more of it."
            )
        raise UsageError(f"No paper has the id {name!r}. Find one: abstracts search WORDS")

    def contents(self) -> dict[str, str]:
        """Content hash by paper id, of every paper."""
        return dict(self.select("SELECT id, content FROM papers"))

    def bearers(self, names: Sequence[str]) -> dict[str, list[int]]:
        """Rows of the papers that call their own work by each of these folded names, in the order they were added."""
        found: dict[str, list[int]] = {}
        for batch in _batches(names):
            for name, row in self.select(f"SELECT name, paper FROM names WHERE name IN ({_marks(batch)}) ORDER BY paper", batch):
                found.setdefault(name, []).append(row)
        return found

    def titles(self) -> dict[str, str]:
        """Title by paper id, of every paper."""
        return dict(self.select("SELECT id, title FROM papers"))

    def spans(self, row: int) -> list[Span]:
        """The sentences of one paper, in order."""
        found = self.select("SELECT spans FROM papers WHERE row = ?", (row,))
        return [Span(int(a), int(b)) for a, b in np.frombuffer(found[0][0], np.int32).reshape(-1, 2)] if found else []

    # -- vectors -------------------------------------------------------------------------------------------------------

    def chunk_vectors(self, rows: Sequence[int] | None = None) -> tuple[npt.NDArray[np.int64], Vectors]:
        """Paper rows, shape (chunks,), and unit vectors, shape (chunks, dimensions), of all papers or of some."""
        if rows is None:
            found = self.select("SELECT paper, vector FROM chunks ORDER BY paper, number")
        else:
            found = [
                line
                for batch in _batches(rows)
                for line in self.select(
                    f"SELECT paper, vector FROM chunks WHERE paper IN ({_marks(batch)}) ORDER BY paper, number", batch
                )
            ]
        papers = np.fromiter((paper for paper, _ in found), np.int64, len(found))
        vectors = np.frombuffer(b"".join(vector for _, vector in found), np.float32)
        return papers, vectors.reshape(len(found), -1) if found else vectors.reshape(0, 1)

    def dimensions(self) -> int | None:
        """Of the vectors; None while there are none."""
        found = self.select("SELECT length(vector) / 4 FROM chunks LIMIT 1")
        return int(found[0][0]) if found else None

    def chunk_count(self) -> int:
        """Chunks of all papers."""
        return int(self.select("SELECT count(*) FROM chunks")[0][0])

    def chunks_at(self, keys: Sequence[tuple[int, int]]) -> Vectors:
        """Vectors of chunks given as (row, number), shape (keys, dimensions), in the order of the keys."""
        vectors = [self.select("SELECT vector FROM chunks WHERE paper = ? AND number = ?", key)[0][0] for key in keys]
        return np.frombuffer(b"".join(vectors), np.float32).reshape(len(keys), -1)

    def stored_vectors(self, paper_id: str) -> StoredVectors | None:
        """The vectors of one paper, so that a change of its venue does not embed its text again; None for an unknown id."""
        found = self.select(
            "SELECT row, hash, vector FROM papers JOIN chunks ON paper = row WHERE id = ? ORDER BY number", (paper_id,)
        )
        if not found:
            return None
        chunks = [np.frombuffer(vector, np.float32) for _, _, vector in found]
        sentences = self.sentence_vectors([found[0][0]], len(chunks[0])).get(found[0][0])
        return StoredVectors([h for _, h, _ in found], chunks, sentences)

    def sentence_vectors(self, rows: Sequence[int], dimensions: int) -> dict[int, npt.NDArray[np.int8]]:
        """Sentence vectors as stored, shape (sentences, dimensions) int8; papers without any are left out."""
        found: dict[int, npt.NDArray[np.int8]] = {}
        for batch in _batches(rows):
            for row, blob in self.select(f"SELECT paper, vectors FROM sentence_vectors WHERE paper IN ({_marks(batch)})", batch):
                found[row] = np.frombuffer(blob, np.int8).reshape(-1, dimensions)
        return found

    # -- writing -------------------------------------------------------------------------------------------------------

    def put(self, entries: Iterable[Entry]) -> None:
        """Write papers, each over an older one of the same id; call inside `writing`."""
        for entry in entries:
            old = self._db.execute("SELECT row FROM papers WHERE id = ?", (entry.paper.id,)).fetchone()
            self._forget(*(old or ()))
            self._insert(entry, old[0] if old else None)

    def remove(self, rows: Iterable[int]) -> None:
        """Take papers out; call inside `writing`."""
        for row in rows:
            self._forget(row)

    def keep_receipt(self, at: str, receipt: str) -> None:
        """Remember what an addition did. No new generation: no paper changes by it."""
        try:
            self._db.execute("INSERT INTO additions (at, receipt) VALUES (?, ?)", (at, receipt))
        except sqlite3.Error as error:
            raise explained(error, self.path) from error

    def receipts(self) -> list[tuple[str, dict[str, Any]]]:
        """When each addition was made (ISO 8601, UTC) and its receipt, oldest first."""
        return [(at, json.loads(receipt)) for at, receipt in self.select("SELECT at, receipt FROM additions ORDER BY number")]

    def _forget(self, *rows: int) -> None:
        for row in rows:
            self._db.execute("DELETE FROM fulltext WHERE rowid = ?", (row,))
            self._db.execute("DELETE FROM papers WHERE row = ?", (row,))

    def _insert(self, entry: Entry, row: int | None) -> None:
        paper = entry.paper
        values = [storable(paper.source) if column == "source" else getattr(paper, column) for column in _COLUMNS]
        values = [json.dumps(v, ensure_ascii=False) if c in _LIST_COLUMNS else v for c, v in zip(_COLUMNS, values, strict=True)]
        spans = np.array(entry.spans, np.int32).tobytes()
        sql = f"INSERT INTO papers (row, {', '.join(_COLUMNS)}, content, spans) VALUES (?, {_marks(_COLUMNS)}, ?, ?)"
        row = self._db.execute(sql, (row, *values, entry.content, spans)).lastrowid
        self._db.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?)",
            [(row, i, h, v.astype(np.float32).tobytes()) for i, (h, v) in enumerate(entry.chunks)],
        )
        if entry.sentence_vectors is not None:
            self._db.execute("INSERT INTO sentence_vectors VALUES (?, ?)", (row, entry.sentence_vectors.tobytes()))
        self._db.executemany("INSERT INTO names VALUES (?, ?)", [(name, row) for name in sorted(entry.names)])
        title = "" if paper.title_inferred else search_text(paper.title)
        self._db.execute(
            "INSERT INTO fulltext (rowid, title, abstract) VALUES (?, ?, ?)", (row, title, search_text(paper.abstract))
        )


def compact(vectors: Vectors) -> npt.NDArray[np.int8]:
    """Unit rows as int8, each scaled so that its largest component is 127: a quarter of the bytes.

    Only the direction survives, which is all that a cosine needs; it moves by less than 0.001 on average.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled: npt.NDArray[np.int8] = np.rint(vectors * (127.0 / np.maximum(largest, 1e-12))).astype(np.int8)
    return scaled


def _paper(values: Sequence[Any]) -> Paper:
    fields = dict(zip(_COLUMNS, values, strict=True))
    for column in _LIST_COLUMNS:
        fields[column] = tuple(json.loads(fields[column]))
    return Paper(**fields | {"title_inferred": bool(fields["title_inferred"])})


def _batches(values: Sequence[Any], size: int = 500) -> Iterator[Sequence[Any]]:
    """SQLite binds at most 32,766 values a statement, and numpy's integers not at all."""
    for at in range(0, len(values), size):
        yield [value.item() if isinstance(value, np.generic) else value for value in values[at : at + size]]


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
