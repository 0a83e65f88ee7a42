"""Evidence: the sentences of the papers found, scored for what a question asks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assistant.slots import Slot, fills, find_slot
from store.catalogue import Catalogue, Vectors
from store.embeddings.base import unit
from store.papers import Paper
from store.search import Hit
from store.sentences import Span
from store.terms import document_frequencies, idf, query_terms, stem, terms

_NAME_LIKE = re.compile(r"\b(?=\w*[A-Z\d])\w[\w.+-]*\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of a sentence's score beside its cosine; chosen on SciFact train claims and our own questions, see evals/README.md.

    Attributes:
        covered: Share of the question's terms in the sentence, by rarity.
        paper: Score of its paper.
        place: Where it stands, from 0 to 1: results stand late in an abstract.
        finding: Whether it states a finding (1) or an aim or a method (-1).
        first: Divided by the rank of its paper.
        length: Words, up to forty: a short sentence seldom holds the whole answer.
        fills: Whether it has the kind of thing that the question asks for: a number, a name, an address.
    """

    covered: float = 0.6
    paper: float = 2.15
    place: float = 0.2
    finding: float = 0.1
    first: float = 0.1
    length: float = 0.1
    fills: float = 0.3


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
        core: The part of the question that asks, as typed.
        slot: What kind of thing it asks for.
    """

    core: str
    slot: Slot
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

    def only(self, rows: set[int]) -> Found:
        """The same with the sentences of these papers alone, if there are any."""
        kept = [s for s in self.sentences if s.row in rows]
        return replace(self, sentences=kept) if kept else self

    def borne(self, names: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
        """Names with those of their bearers that were found, best first; names that no paper found bears are left out."""
        found = {name: [hit.row for hit in self.hits if hit.row in rows] for name, rows in names.items()}
        return {name: rows for name, rows in found.items() if rows}

    def alone_with(self, text: str, rows: Sequence[int]) -> int | None:
        """Of some papers, the one that alone has a word of the text that is written like a name; None if none or several do."""
        wanted = names_in(text)
        having = [row for row in rows if wanted & frozenset(terms(self.papers[row].abstract))]
        return having[0] if len(having) == 1 else None


def names_in(text: str) -> set[str]:
    """Terms of the words that are written like names: with a capital or a digit, not the first of the text."""
    written = {name for word in text.split()[1:] for name in _NAME_LIKE.findall(word)}
    return {stem(part) for name in written for part in re.findall(r"[^\W_]+", name)}


def weigh_terms(text: str, vector: Vectors, catalogue: Catalogue) -> Asked:
    """Look up how rare each content term of a question is in the library."""
    found = query_terms(text)
    frequencies = document_frequencies(catalogue, found)
    papers = len(catalogue)
    rarity = {term: idf(frequency, papers) for term, frequency in frequencies.items()}
    return Asked(
        text, find_slot(text), vector, found, rarity, frozenset(term for term, frequency in frequencies.items() if frequency)
    )


def score_sentences(
    asked: Asked, hits: Sequence[Hit], papers: Mapping[int, Paper], catalogue: Catalogue, weights: Weights | None = None
) -> list[Sentence]:  # fmt: skip
    """Score every sentence of the papers found, best first; ties in the order of hits and sentences."""
    weights = weights or Weights()
    vectors = catalogue.sentence_vectors([hit.row for hit in hits], len(asked.vector))
    scored: list[Sentence] = []
    for rank, hit in enumerate(hits, 1):
        spans = catalogue.spans(hit.row)
        texts = [papers[hit.row].abstract[start:end] for start, end in spans]
        found = [frozenset(terms(text)) for text in texts]
        rows = _unit_rows(vectors.get(hit.row), len(spans), len(asked.vector))
        cosines = rows @ asked.vector if hit.row in vectors else np.full(len(spans), hit.cosine)
        of_paper = weights.paper * hit.score + weights.first / rank
        for number, span in enumerate(spans):
            covered = coverage(asked, found[number])
            fit = weights.covered * covered + weights.fills * fills(asked.slot, texts[number], asked.core)
            prior = 0.0 if asked.slot.definition else _prior(texts[number], number, len(spans), weights)
            score = float(cosines[number]) + fit + of_paper + prior
            scored.append(Sentence(hit.row, number, span, score, float(cosines[number]), covered, found[number], rows[number]))
    return sorted(scored, key=lambda sentence: -sentence.score)


_FINDING = re.compile(
    r"\b(?:we (?:find|found|show|showed|observe|observed|demonstrate|demonstrated|report|identify|identified|conclude|prove)|"
    r"(?:results?|experiments?|evaluations?) (?:show|suggest|indicate|demonstrate|on|across)|(?:these|our|"
    r"the) (?:results|findings|data|observations)|"
    r"conclusions?|suggest\w*|indicat\w+|demonstrat\w+|findings|in summary|thus|therefore|associated with|significant(?:ly)?|"
    r"outperform\w*|achiev\w+|improv\w+|state[- ]of[- ]the[- ]art)\b",
    re.IGNORECASE,
)
_AIM = re.compile(
    r"^(?:background|objectives?|aims?|purpose|methods?|design|setting|context|introduction|importance|rationale|"
    r"materials and methods|"
    r"participants|patients|interventions?|measurements?)\b[^a-z]{0,3}(?=[A-Z])|\b(?:aim(?:ed)?|sought|was to|objective|"
    r"purpose|recruited|randomi[sz]ed|enrolled|"
    r"we (?:investigate|investigated|study|studied|examine|examined|assess|assessed|evaluate|evaluated|searched|"
    r"performed|conducted))\b",
    re.IGNORECASE,
)


def _prior(text: str, number: int, count: int, weights: Weights) -> float:
    """What a sentence is worth before it is compared with the question."""
    finding = bool(_FINDING.search(text)) - bool(_AIM.search(text))
    return weights.place * (number + 0.5) / count + weights.finding * finding + weights.length * min(text.count(" "), 40) / 40


def coverage(asked: Asked, present: frozenset[str] | set[str]) -> float:
    """Share of the question's terms that are present, weighted by rarity; 0 for a question without terms."""
    total = sum(asked.rarity.values())
    return sum(weight for term, weight in asked.rarity.items() if term in present) / total if total else 0.0


def _unit_rows(compacted: npt.NDArray[np.int8] | None, count: int, dimensions: int) -> Vectors:
    if compacted is None:
        return np.zeros((count, dimensions), np.float32)
    return unit(compacted.astype(np.float32))
