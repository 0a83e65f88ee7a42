"""Extractive answers: which sentences to quote, from which papers, and the words they leave open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.answers import Citation, Claim, Quote
from assistant.evidence import Found, Sentence
from assistant.questions import Kind
from store.papers import Paper
from store.readable import readable
from store.sentences import Span
from store.terms import terms

MOST = 4  # sentences a reader is shown; a fifth added 1 % of the golden facts and a third to the reading
_LEANS_BACK = re.compile(
    r"(?:It|Its|This|These|That|Those|They|Their|Such|He|She|Both|Here|Thus|Hence|Therefore|Specifically|In particular)\b"
)
_NOT_MISSING = frozenset(
    (
        "paper papers abstract abstracts author authors work works study method approach exactly exact exactli name "
        "called call kind sort thing things people person way ways"
    ).split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How many sentences to quote. Fitted on the golden questions (evals/README.md).

    Attributes:
        within: A sentence is quoted if its score is at most this much below the best one's.
        at_least: Quoted in any case, if there are as many.
    """

    within: float = 0.35
    at_least: int = 3


def choose_sentences(
    sentences: Sequence[Sentence], kind: Kind, *, spread: Sequence[int] = (), choice: Choice | None = None
) -> list[Sentence]:  # fmt: skip
    """The sentences to quote, best first, one to four.

    A question about one thing takes the best sentences wherever they stand; one about papers (list, count) takes the best
    sentence of each paper.

    Args:
        spread: Rows of papers that are all to be quoted, as many sentences of each.
    """
    choice = choice or Choice()
    if spread:
        share = max(1, MOST // len(spread))
        best = [s for row in spread for s in [s for s in sentences if s.row == row][:share]]
        return sorted(best, key=lambda s: -s.score)[:MOST]
    if kind in ("list", "count"):
        firsts: dict[int, Sentence] = {}
        for sentence in sentences:
            firsts.setdefault(sentence.row, sentence)
        sentences = list(firsts.values())
    top = sentences[0].score if sentences else 0.0
    kept = [s for at, s in enumerate(sentences) if at < choice.at_least or s.score >= top - choice.within]
    return kept[:MOST]


def cite(
    chosen: Sequence[Sentence], papers: Mapping[int, Paper], spans: Mapping[int, Sequence[Span]]
) -> tuple[list[Claim], list[Citation]]:
    """One claim a quote, in the order chosen; neighbours that were both chosen become one quote.

    Args:
        spans: All sentences of each paper quoted, so that a quote that begins with "It" can take the one before it along.
    """
    numbers: dict[int, int] = {}
    quotes: dict[int, list[Quote]] = {}
    claims = []
    for row, first, last in _runs(chosen, papers, spans):
        abstract = papers[row].abstract
        start, end = spans[row][first].start, spans[row][last].end
        number = numbers.setdefault(row, len(numbers) + 1)
        quotes.setdefault(row, []).append(Quote(abstract[start:end], start, end))
        claims.append(Claim(readable(abstract[start:end]), (number,)))
    return claims, [Citation(number, papers[row], tuple(quotes[row])) for row, number in numbers.items()]


def missing_words(found: Found, chosen: Sequence[Sentence]) -> list[str]:
    """Words of the question, as typed, that neither a quoted sentence nor its paper's title has; rarest first."""
    asked = found.asked
    present = {term for sentence in chosen for term in sentence.terms}
    present |= {term for sentence in chosen for term in terms(found.papers[sentence.row].title)}
    absent = [term for term in asked.terms if term not in present and asked.terms[term] not in _NOT_MISSING]
    return [asked.terms[term] for term in sorted(absent, key=lambda term: -asked.rarity[term])]


def _runs(
    chosen: Sequence[Sentence], papers: Mapping[int, Paper], spans: Mapping[int, Sequence[Span]]
) -> list[tuple[int, int, int]]:  # fmt: skip
    """(row, first sentence, last sentence) of each quote, in the order in which the first of its sentences was chosen."""
    wanted: dict[int, set[int]] = {}
    for sentence in chosen:
        abstract = papers[sentence.row].abstract
        numbers = wanted.setdefault(sentence.row, set())
        numbers.add(sentence.number)
        if sentence.number and _LEANS_BACK.match(abstract, spans[sentence.row][sentence.number].start):
            numbers.add(sentence.number - 1)
    runs: list[tuple[int, int, int]] = []
    done: set[tuple[int, int]] = set()
    for sentence in chosen:
        if (sentence.row, sentence.number) in done:
            continue
        first = last = sentence.number
        while first - 1 in wanted[sentence.row]:
            first -= 1
        while last + 1 in wanted[sentence.row]:
            last += 1
        done |= {(sentence.row, number) for number in range(first, last + 1)}
        runs.append((sentence.row, first, last))
    return runs
