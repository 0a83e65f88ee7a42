"""Hybrid search: BM25 and vectors over the same papers, fused into one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from store.catalogue import Vectors
from store.embeddings.base import unit
from store.fulltext import bm25, match_expression, searched_words
from store.index import ChromaIndex
from store.library import Library
from store.nearest import VectorLeg
from store.own_names import named_papers
from store.papers import Paper
from store.terms import document_frequencies, idf, stem, terms

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The constants of the score: ``lexical + vector * cosine + feedback * similarity to the first papers + name``.

    The defaults are the middle of a wide plateau over five collections; evals/README.md has the table.

    Attributes:
        depth: Papers taken from each leg; the first ten are the same from 50 to 150.
        title_weight: How often BM25 counts a word of the title; 2 to 5 measure alike.
        vector: Weight of the cosine. BM25 comes as a share of the most a paper could score, so the sum does not depend on which
            other papers were found (min-max over the candidates: 0.005 nDCG@10 worse).
        feedback: Weight of the cosine with the first papers' mean vector (pseudo relevance feedback; Rocchio, 1971).
        feedback_papers: How many first papers that are, discounted by rank as in DCG.
        name: Added for a paper that the query calls by a name that it alone has; less, the more papers use that name.
    """

    depth: int = 100
    title_weight: float = 3.0
    vector: float = 0.75
    feedback: float = 0.2
    feedback_papers: int = 5
    name: float = 0.3


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper found.

    Attributes:
        score: In [0, 1]; made of the two others.
        cosine: Of its nearest chunk.
        bm25: As a share of the most possible.
    """

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
        with self.library.catalogue.reading():
            return self._fused(text, query, rows)[:limit]

    def named(self, text: str) -> dict[str, list[int]]:
        """The names in a text by which papers call their own work, each with those papers' rows."""
        return named_papers(text, self.library.catalogue)

    def papers(self, hits: Sequence[Hit]) -> Mapping[int, Paper]:
        """The papers of hits, by row."""
        return self.library.catalogue.papers([hit.row for hit in hits])

    def _fused(self, text: str, query: Vectors, rows: Sequence[int] | None) -> list[Hit]:
        """Both legs' first papers, each with both scores: a paper that one leg missed is not scored as if it had none there."""
        constants, parts = self._ranking, searched_words(text)
        expression = match_expression(parts)
        named = {row: share for row, share in self._called(text).items() if rows is None or row in rows}
        near = self.vectors.nearest(query, limit=constants.depth, rows=rows)
        lexical = self._bm25(expression, limit=constants.depth, rows=rows)
        missed = [row for row in {*near, *named} if row not in lexical]
        lexical |= self._bm25(expression, limit=len(missed), rows=missed)
        candidates = np.array(sorted({*lexical, *missed}), np.int64)
        cosines, means = self.vectors.compare(query, candidates)
        words = np.array([lexical.get(int(row), 0.0) for row in candidates]) / self._most_bm25(parts)
        scores = words + constants.vector * cosines
        scores += constants.feedback * _feedback(scores, means, constants.feedback_papers)
        scores += constants.name * np.array([named.get(int(row), 0.0) for row in candidates])
        most = 1 + constants.vector + constants.feedback
        shares = np.clip(scores / most, 0, 1)
        order = np.lexsort((candidates, -scores))
        return [Hit(int(candidates[at]), float(shares[at]), float(cosines[at]), float(words[at])) for at in order]

    def _called(self, text: str) -> dict[int, float]:
        """Papers called by a name of theirs, each with the share of such papers among all that have the name in them.

        A name that everybody uses ("Transformer", a gene) points to its bearer less than one that only its bearer has.
        """
        named = self.named(text)
        frequencies = document_frequencies(self.library.catalogue, {term for name in named for term in terms(name)})
        called: dict[int, float] = {}
        for name, bearers in named.items():
            users = min((frequencies[term] for term in terms(name)), default=0)
            for row in bearers:
                called[row] = max(called.get(row, 0.0), min(1.0, len(bearers) / max(1, users)))
        return called

    def _bm25(self, expression: str, *, limit: int, rows: Sequence[int] | None) -> dict[int, float]:
        return bm25(self.library.catalogue, expression, title_weight=self._ranking.title_weight, limit=limit, rows=rows)

    def _most_bm25(self, parts: Sequence[str]) -> float:
        """What BM25 gives a paper in which every word of the query occurs without end: (k1 + 1) times the sum of the idf."""
        catalogue = self.library.catalogue
        papers = len(catalogue)
        frequencies = document_frequencies(catalogue, (stem(part) for part in parts))
        return 2.2 * sum(idf(frequency, papers) for frequency in frequencies.values() if frequency) or 1.0


def _feedback(scores: Floats, means: Vectors, count: int) -> Floats:
    """Cosine of each candidate's mean vector with that of the first papers."""
    first = np.argsort(-scores, kind="stable")[:count]
    if not len(first):
        return np.zeros(0)
    centre = unit((means[first] / np.log2(2 + np.arange(len(first)))[:, None]).sum(axis=0))
    similarity: Floats = (means @ centre).astype(np.float64)
    return similarity
