"""Evidence: the sentences of the papers found, scored for what a question asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from store.catalogue import Catalogue, Vectors
from store.embeddings.base import unit
from store.papers import Paper
from store.search import Hit
from store.sentences import Span
from store.terms import document_frequencies, idf, query_terms, terms

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of a sentence's score; fitted on SciFact train claims and golden questions, see evals/README.md."""

    cosine: float = 1.0
    coverage: float = 0.5
    paper: float = 1.0
    neighbour: float = 0.15


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a paper found.

    Attributes:
        number: Its place in the abstract, from 0.
        score: Higher is better; comparable within one question.
        cosine: Of its vector and the question's.
        covered: Share of the question's terms in it, weighted by rarity, in [0, 1].
        vector: Unit length; zeros where the embedding gives no token states.
    """

    row: int
    number: int
    span: Span
    score: float
    cosine: float
    covered: float
    terms: frozenset[str]
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Asked:
    """The question as sentences are scored for it.

    Attributes:
        vector: Unit vector of what is asked.
        terms: Content terms, each with the word it was typed as.
        rarity: Inverse document frequency of each term in this library.
        known: Terms that occur in at least one paper of the library.
    """

    vector: Vectors
    terms: Mapping[str, str]
    rarity: Mapping[str, float]
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval gives for a question.

    Attributes:
        hits: Papers, best first.
        papers: Those papers, by row.
        sentences: Of the first few papers, best first.
    """

    hits: Sequence[Hit]
    papers: Mapping[int, Paper]
    asked: Asked
    sentences: Sequence[Sentence]

    def without(self, rows: set[int]) -> Found:
        """The same with the sentences of some papers left out, and the papers last among the hits."""
        kept = [hit for hit in self.hits if hit.row not in rows]
        last = [hit for hit in self.hits if hit.row in rows]
        return replace(self, hits=[*kept, *last], sentences=[s for s in self.sentences if s.row not in rows])


def weigh_terms(text: str, vector: Vectors, catalogue: Catalogue) -> Asked:
    """Look up how rare each content term of a question is in the library."""
    found = query_terms(text)
    frequencies = document_frequencies(catalogue, found)
    papers = len(catalogue)
    rarity = {term: idf(frequency, papers) for term, frequency in frequencies.items()}
    return Asked(vector, found, rarity, frozenset(term for term, frequency in frequencies.items() if frequency))


def score_sentences(
    asked: Asked, hits: Sequence[Hit], papers: Mapping[int, Paper], catalogue: Catalogue, weights: Weights | None = None
) -> list[Sentence]:  # fmt: skip
    """Score every sentence of the papers found, best first; ties in the order of hits and sentences."""
    weights = weights or Weights()
    vectors = catalogue.sentence_vectors([hit.row for hit in hits], len(asked.vector))
    best = max((hit.score for hit in hits), default=1.0) or 1.0
    scored: list[Sentence] = []
    for hit in hits:
        spans = catalogue.spans(hit.row)
        abstract = papers[hit.row].abstract
        found = [frozenset(terms(abstract[start:end])) for start, end in spans]
        rows = _unit_rows(vectors.get(hit.row), len(spans), len(asked.vector))
        cosines = rows @ asked.vector if hit.row in vectors else np.full(len(spans), hit.cosine)
        covered = np.array([coverage(asked, sentence) for sentence in found])
        own = weights.cosine * cosines + weights.coverage * covered
        score = own + weights.neighbour * _neighbours(own) + weights.paper * hit.score / best
        scored += [
            Sentence(hit.row, number, span, float(score[number]), float(cosines[number]), float(covered[number]), found[number], rows[number])
            for number, span in enumerate(spans)
        ]
    return sorted(scored, key=lambda sentence: -sentence.score)


def coverage(asked: Asked, present: frozenset[str] | set[str]) -> float:
    """Share of the question's terms that are present, weighted by rarity; 0 for a question without terms."""
    total = sum(asked.rarity.values())
    return sum(weight for term, weight in asked.rarity.items() if term in present) / total if total else 0.0


def _unit_rows(compacted: npt.NDArray[np.int8] | None, count: int, dimensions: int) -> Vectors:
    if compacted is None:
        return np.zeros((count, dimensions), np.float32)
    return unit(compacted.astype(np.float32))


def _neighbours(scores: Floats) -> Floats:
    """Mean score of the sentences before and after each."""
    padded = np.pad(scores, 1, mode="edge") if len(scores) else np.zeros(2)
    return (padded[:-2] + padded[2:]) / 2
