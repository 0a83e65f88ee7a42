"""Hybrid search: BM25 and vectors over the same papers, fused into one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.catalogue import Vectors
from store.embeddings.base import unit
from store.fulltext import bm25, match_expression
from store.index import ChromaIndex
from store.library import Library
from store.nearest import VectorLeg
from store.papers import Paper


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The constants of the score. The defaults measured best over five collections; evals/README.md has the table.

    Attributes:
        depth: Papers taken from each leg.
        title_weight: How often BM25 counts a word of the title.
        vector: Weight of the cosine beside the scaled BM25.
        feedback: Weight of the first papers' mean vector, added to the query's (Rocchio, 1971); 0 turns it off.
        feedback_papers: How many first papers that are.
    """

    depth: int = 100
    title_weight: float = 2.0
    vector: float = 3.0
    feedback: float = 0.0
    feedback_papers: int = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper found. ``score`` is in [0, 1]; ``cosine`` and ``bm25`` are what it was made from (``bm25`` is 0 if no word is shared)."""

    row: int
    score: float
    cosine: float
    bm25: float


class Search:
    """Search over one library; keep it for several questions, its vectors stay in memory and notice when the library changes."""

    def __init__(self, library: Library, ranking: Ranking | None = None, *, long_lived: bool = False) -> None:
        self.library = library
        self._ranking = ranking or Ranking()
        self.vectors = VectorLeg(library.catalogue, ChromaIndex(Path(library.place.folder)), long_lived=long_lived)

    def embed(self, text: str) -> Vectors:
        """Unit vector of a query, shape (dimensions,)."""
        return self.library.embedding.embed_query(text)

    def find(self, text: str, *, limit: int, rows: Sequence[int] | None = None, vector: Vectors | None = None) -> list[Hit]:
        """The best papers for a query, best first; ties in the order they were added.

        Args:
            text: Any text; a blank one finds nothing.
            limit: Most hits, at least 1.
            rows: Only these papers (from a filter), if given.
            vector: Stands in for the embedding of `text`, if given.
        """
        if not text.strip() or (rows is not None and not len(rows)):
            return []
        query = self.embed(text) if vector is None else vector
        hits = self._fused(text, query, rows)
        if self._ranking.feedback and hits:
            hits = self._fused(text, self._with_feedback(query, hits), rows)
        return hits[:limit]

    def papers(self, hits: Sequence[Hit]) -> Mapping[int, Paper]:
        """The papers of hits, by row."""
        return self.library.catalogue.papers([hit.row for hit in hits])

    def _fused(self, text: str, query: Vectors, rows: Sequence[int] | None) -> list[Hit]:
        """Both legs' first papers, each with both scores: a paper that one leg missed is not scored as if it had none there."""
        constants, catalogue, expression = self._ranking, self.library.catalogue, match_expression(text)
        lexical = bm25(catalogue, expression, title_weight=constants.title_weight, limit=constants.depth, rows=rows)
        near = self.vectors.nearest(query, limit=constants.depth, rows=rows)
        missed = [row for row in near if row not in lexical]
        lexical |= bm25(catalogue, expression, title_weight=constants.title_weight, limit=len(missed), rows=missed)
        candidates = sorted({*lexical, *near})
        cosines = self.vectors.cosines(query, candidates)
        top = max(lexical.values(), default=0.0) or 1.0
        hits = []
        for row in candidates:
            word, meaning = lexical.get(row, 0.0), cosines.get(row, 0.0)
            score = (word / top + constants.vector * max(meaning, 0.0)) / (1 + constants.vector)
            hits.append(Hit(row, score, meaning, word))
        return sorted(hits, key=lambda hit: (-hit.score, hit.row))

    def _with_feedback(self, query: Vectors, hits: Sequence[Hit]) -> Vectors:
        first = [hit.row for hit in hits[: self._ranking.feedback_papers]]
        mean = self.vectors.best_vectors(query, first).mean(axis=0)
        return unit(query + self._ranking.feedback * unit(mean))
