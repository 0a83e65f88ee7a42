"""Answers put into words: quotes, abstentions and questions back, each with its citations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assistant.abstention import Signals
from assistant.answers import Answer, Claim, Reason
from assistant.evidence import Found, Sentence
from assistant.extract import cite, missing_words
from assistant.questions import Question
from store.catalogue import Catalogue
from store.papers import Paper
from store.readable import readable
from store.sentences import Span

Papers = Mapping[int, Paper]

_OWN_NUMBERS = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
_CLOSEST = 2  # sentences quoted beside "the abstracts do not say", so that a reader can judge it
OVER_ALL = "This shows the best matches, not a count over the whole library."


def quoted(question: Question, chosen: Sequence[Sentence], found: Found, catalogue: Catalogue, confidence: float) -> Answer:
    """The chosen sentences as the answer; partial where a question about all papers was answered from the best matches."""
    claims, citations = cite(chosen, found.papers, _spans(chosen, catalogue))
    over_all = question.kind in ("list", "count")
    return Answer(
        question=question.text,
        status="partial" if over_all else "answered",
        reason=None,
        text=_joined(claims),
        claims=tuple(claims),
        citations=tuple(citations),
        missing=tuple(missing_words(found, chosen)),
        confidence=confidence,
        note=OVER_ALL if over_all else "",
    )


def off_subject(question: Question, found: Found, chosen: Sequence[Sentence], confidence: float) -> Answer:
    """No answer, since no paper of the library is about it."""
    return _without(
        question, "not_in_library", "Nothing in this library is about that.", missing_words(found, chosen), confidence
    )


def abstained(
    question: Question, chosen: Sequence[Sentence], found: Found, catalogue: Catalogue, confidence: float, signals: Signals
) -> Answer:  # fmt: skip
    """No answer, since the papers on the subject do not say it; with the closest sentences."""
    missing = missing_words(found, chosen)
    claims, citations = cite(chosen[:_CLOSEST], found.papers, _spans(chosen[:_CLOSEST], catalogue))
    text = f"The abstracts do not say. {_gap(found, signals, missing)}The closest they come: {_joined(claims)}"
    return Answer(
        question=question.text,
        status="abstained",
        reason="not_in_abstracts",
        text=text,
        claims=tuple(claims),
        citations=tuple(citations),
        missing=tuple(missing),
        confidence=confidence,
        note="The full paper may say it.",
    )


def _gap(found: Found, signals: Signals, missing: Sequence[str]) -> str:
    """What exactly they do not say, as a sentence."""
    phrase = found.asked.slot.phrase
    if signals.amount_missing:
        return f"They give no figure for {phrase}. " if phrase else "They give no figure for it. "
    if signals.name_missing:
        return f"They name no {phrase}. "
    return f"They do not speak of {_listed(missing[:4])}. " if missing else ""


def ambiguous(
    question: Question, rows: Sequence[int], papers: Papers, sentences: Sequence[Sentence], catalogue: Catalogue
) -> Answer:
    """One name, several papers: what each says to the question, and a question back."""
    chosen = [s for row in rows for s in [s for s in sentences if s.row == row][:2]]
    claims, citations = cite(chosen, papers, _spans(chosen, catalogue))
    told = " ".join(
        f"“{_unnumbered(readable(c.paper.title))}” says: {_joined([k for k in claims if c.number in k.citations])}"
        for c in citations
    )
    return Answer(
        question=question.text,
        status="abstained",
        reason="ambiguous",
        text=f"{len(rows)} papers use that name. Which one do you mean? {told}",
        claims=tuple(claims),
        citations=tuple(citations),
        confidence=0.5,
        note="Say which one, for example by what it does.",
    )


def nothing_found(question: Question, filtered: bool) -> Answer:
    """No paper at all: an empty library, or a filter that lets none through."""
    text = "No paper meets the filter." if filtered else "This library has no papers yet."
    return _without(question, "not_in_library", text, [], 0.0)


def _without(question: Question, reason: Reason, text: str, missing: Sequence[str], confidence: float) -> Answer:
    return Answer(
        question=question.text, status="abstained", reason=reason, text=text, missing=tuple(missing), confidence=confidence
    )


def _spans(chosen: Sequence[Sentence], catalogue: Catalogue) -> dict[int, Sequence[Span]]:
    return {row: catalogue.spans(row) for row in dict.fromkeys(s.row for s in chosen)}


def _joined(claims: Sequence[Claim]) -> str:
    return " ".join(f"{_unnumbered(claim.text)} {''.join(f'[{number}]' for number in claim.citations)}" for claim in claims)


def _unnumbered(text: str) -> str:
    """A quote whose own "[2]" cannot be taken for one of our citations."""
    return _OWN_NUMBERS.sub(r"(\1)", text)


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""
