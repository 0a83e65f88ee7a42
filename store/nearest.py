"""The vector leg: which papers are nearest to a query vector. The one place that decides between exact search and Chroma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from store.catalogue import Catalogue, Vectors
from store.embeddings.base import unit
from store.errors import LibraryError
from store.index import ChromaIndex

Rows = npt.NDArray[np.int64]

EXACT_AT_MOST = 100_000
"""Chunks that a one-shot command searches exactly: loading 50,000 from the catalogue takes 0.12 s and comparing them 11 ms, while
importing chromadb alone takes 1.0 s."""


def choose_leg(*, chunks: int, long_lived: bool, index_is_current: bool) -> Literal["exact", "chroma"]:
    """Exact search where it is faster over the life of the process, Chroma where the process lives on or the library is large."""
    if not index_is_current:
        return "exact"
    return "chroma" if long_lived or chunks > EXACT_AT_MOST else "exact"


@dataclass(slots=True)
class _Matrix:
    """All chunk vectors of one generation: sorted by paper, with where each paper begins."""

    generation: int
    papers: Rows
    starts: npt.NDArray[np.int64]
    vectors: Vectors


class VectorLeg:
    """Nearest papers of one library; notices when the catalogue has changed since the last question.

    Attributes:
        failure: Why Chroma no longer answers, in a word or two; None while it does or was not asked. Search goes on without it.
    """

    def __init__(self, catalogue: Catalogue, index: ChromaIndex, *, long_lived: bool = False) -> None:
        self._catalogue = catalogue
        self._index = index
        self._long_lived = long_lived
        self._matrix: _Matrix | None = None
        self._leg: tuple[int, Literal["exact", "chroma"]] | None = None
        self.failure: str | None = None

    def leg(self) -> Literal["exact", "chroma"]:
        """How the next unfiltered question is searched."""
        generation = self._catalogue.generation
        if self._leg is None or self._leg[0] != generation:
            chunks = self._catalogue.chunk_count()
            matters = self._long_lived or chunks > EXACT_AT_MOST
            current = matters and self._index.is_current(self._catalogue)
            self._leg = generation, choose_leg(chunks=chunks, long_lived=self._long_lived, index_is_current=current)
        return self._leg[1]

    def nearest(self, query: Vectors, *, limit: int, rows: Sequence[int] | None = None) -> list[int]:
        """Rows of the papers with the most similar chunk, best first.

        Args:
            query: Unit vector of shape (dimensions,).
            rows: Only these papers, if given; then the search is exact.
        """
        if rows is None and self.leg() == "chroma":
            try:
                return self._index.nearest(query, limit=limit, catalogue=self._catalogue)
            except Exception as error:  # whatever a damaged index raises, the catalogue still has the answer
                self.failure = type(error).__name__
                self._index.distrust()
                self._leg = self._catalogue.generation, "exact"
        papers, scores = self._scores(query, rows)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [int(row) for row in papers[best]]

    def compare(self, query: Vectors, rows: Rows) -> tuple[npt.NDArray[np.float64], Vectors]:
        """Cosine of each paper's nearest chunk, shape (papers,), and its chunks' mean, unit length, shape (papers, dimensions).

        Args:
            rows: Papers that are in the catalogue, ascending.
        """
        matrix = self._some(rows)
        if not len(matrix.papers):
            return np.zeros(0), np.zeros((0, len(query)), np.float32)
        cosines = np.maximum.reduceat(matrix.vectors @ query, matrix.starts).astype(np.float64)
        return cosines, unit(np.add.reduceat(matrix.vectors, matrix.starts, axis=0))

    def _scores(self, query: Vectors, rows: Sequence[int] | None) -> tuple[Rows, npt.NDArray[np.float32]]:
        matrix = self._all() if rows is None else self._some(np.array(sorted(rows), np.int64))
        if not len(matrix.papers):
            return matrix.papers, np.zeros(0, np.float32)
        if matrix.vectors.shape[1] != len(query):
            raise LibraryError(
                f"The library's vectors have {matrix.vectors.shape[1]} dimensions, the embedding's {len(query)}. "
                "It was made with another embedding: add its files to a new library with --library."
            )
        return matrix.papers, np.maximum.reduceat(matrix.vectors @ query, matrix.starts)

    def _some(self, rows: Rows) -> _Matrix:
        """The chunks of some papers, ascending: out of memory if all are there already, else from the catalogue."""
        every = self._matrix
        if every is None or every.generation != self._catalogue.generation or not np.isin(rows, every.papers).all():
            return _grouped(0, *self._catalogue.chunk_vectors(rows.tolist()))
        ends = np.append(every.starts[1:], len(every.vectors))
        at = np.searchsorted(every.papers, rows)
        counts = ends[at] - every.starts[at]
        starts = np.cumsum(counts) - counts
        within = np.arange(int(counts.sum())) - np.repeat(starts, counts)
        return _Matrix(every.generation, rows, starts, every.vectors[np.repeat(every.starts[at], counts) + within])

    def _all(self) -> _Matrix:
        generation = self._catalogue.generation
        if self._matrix is None or self._matrix.generation != generation:
            self._matrix = _grouped(generation, *self._catalogue.chunk_vectors())
        return self._matrix


def _grouped(generation: int, papers: Rows, vectors: Vectors) -> _Matrix:
    order = np.argsort(papers, kind="stable")
    distinct, starts = np.unique(papers[order], return_index=True)
    ordered = vectors if np.array_equal(order, np.arange(len(order))) else vectors[order]
    return _Matrix(generation, distinct, starts, ordered)
