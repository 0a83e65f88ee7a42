"""The answer: claims, citations and quotes, and their JSON as the contract fixes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from store.papers import Paper

Status = Literal["answered", "partial", "abstained"]
Reason = Literal["not_in_library", "not_in_abstracts", "ambiguous", "false_premise", "conflict"]
Verdict = Literal["supported", "weak", "unsupported", "uncited"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim span: ``abstract[start:end] == text``, with the abstract exactly as stored."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A paper that the answer rests on, and the spans it rests on. ``number`` counts papers from 1 in order of first use."""

    number: int
    paper: Paper
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement and the numbers of the citations that carry it."""

    text: str
    citations: tuple[int, ...]
    verdict: Verdict = "supported"
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A paper found for the question; ``score`` is in [0, 1], higher is better."""

    rank: int
    paper: Paper
    score: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was used for the answer; all zero without one."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What comes back for a question.

    Attributes:
        status: ``partial`` if some part of the question stays open (see `missing`), or if only the best matches were looked at.
        reason: Why it abstained, else None.
        text: For reading; citation numbers in square brackets.
        note: A hint about the answer, for people, or blank: how it was understood, what to try next.
        missing: Words of the question that no shown sentence speaks of.
        confidence: Estimated probability, in [0, 1], that the library answers the question and the quotes hold the answer.
        seconds: ``retrieve``, ``answer`` and ``total``.
    """

    question: str
    status: Status
    reason: Reason | None
    text: str
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    hits: tuple[Ranked, ...] = ()
    missing: tuple[str, ...] = ()
    confidence: float = 0.0
    note: str = ""
    mode: Literal["extractive", "model"] = "extractive"
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As the contract prints it."""
        return {
            "question": self.question,
            "mode": self.mode,
            "model": self.model,
            "status": self.status,
            "reason": self.reason,
            "answer": self.text,
            "claims": [_claim(claim) for claim in self.claims],
            "citations": [_citation(citation) for citation in self.citations],
            "hits": [hit_json(hit) for hit in self.hits],
            "missing": list(self.missing),
            "confidence": round(self.confidence, 4),
            "note": self.note,
            "usage": {name: getattr(self.usage, name) for name in Usage.__slots__},
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


def _claim(claim: Claim) -> dict[str, Any]:
    return {"text": claim.text, "citations": list(claim.citations), "verdict": claim.verdict, "problems": list(claim.problems)}


def _citation(citation: Citation) -> dict[str, Any]:
    paper = citation.paper
    shown = {name: getattr(paper, name) for name in ("id", "title", "title_inferred", "venue", "year", "url")}
    quotes = [{"text": quote.text, "start": quote.start, "end": quote.end} for quote in citation.quotes]
    return {"number": citation.number, "paper": shown | {"authors": list(paper.authors)}, "quotes": quotes}


def hit_json(hit: Ranked) -> dict[str, Any]:
    """One hit as the contract prints it."""
    return {
        "rank": hit.rank,
        "id": hit.paper.id,
        "title": hit.paper.title,
        "title_inferred": hit.paper.title_inferred,
        "score": round(hit.score, 4),
    }
