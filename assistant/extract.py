"""Extractive answers: which sentences to quote, from which papers, and the words they leave open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.answers import Citation, Claim, Quote
from assistant.evidence import Found, Sentence
from assistant.questions import Kind
from assistant.slots import needs_modifier
from store.fulltext import STOP_WORDS
from store.papers import Paper
from store.readable import readable
from store.sentences import Span
from store.terms import terms

MOST = 4  # sentences a reader is shown; a fifth added 1 % of the golden facts and a third to the reading
_LEANS_BACK = re.compile(
    r"(?:It|Its|This|These|That|Those|They|Their|Such|He|She|Both|Here|Thus|Hence|Therefore|Specifically|In particular)\b"
)
_LONGEST = 2000  # characters of a question that are looked at for how a word was typed
# Words that ask, and verbs that every question may have: that no sentence has them says nothing.
_NOT_MISSING = frozenset(
    (
        "paper papers abstract abstracts author authors work works study approach exact exactly name called call kind "
        "sort thing things people person way ways wrote write written published publish stand stands reach reaches "
        "evaluated evaluate proposed proposes happen happens mean means different difference topic question answer tell "
        "told say says said according become becomes come comes went going lead leads need needs want wants work works "
        "help helps take takes took put puts look looks find finds found show shows compare"
    ).split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How many sentences to quote. Fitted on the golden questions (evals/README.md).

    Attributes:
        within: A sentence is quoted if its score is at most this much below the best one's.
        at_least: Quoted in any case, if there are as many.
    """

    within: float = 0.3
    at_least: int = 1


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
    absent.sort(key=lambda term: -asked.rarity[term])
    typed = list(dict.fromkeys(_as_typed(asked.terms[term], asked.core) for term in absent))
    return [one for one in typed if not any(one != other and f" {one} " in f" {other} " for other in typed)]


def _as_typed(word: str, core: str) -> str:
    """The word as typed, or the name that it is a part of ("Stable Diffusion"), or "learning rate" for a bare "rate"."""
    typed = [part.strip("?!.,:;()\"'“”") for part in core[:_LONGEST].split()]
    at = next((place for place, part in enumerate(typed) if word in re.findall(r"[^\W_]+", part.casefold())), None)
    if at is None:
        return word
    first = last = at
    while first > 1 and _in_a_name(typed, first) and typed[first - 1][:1].isupper():
        first -= 1
    while last + 1 < len(typed) and last and typed[first][:1].isupper() and _in_a_name(typed, last + 1):
        last += 1
    if first == at == last and at and needs_modifier(word) and typed[at - 1].lower() not in STOP_WORDS:
        first -= 1
    return " ".join(typed[first : last + 1])


def _in_a_name(typed: Sequence[str], at: int) -> bool:
    """Whether a word can go on a name: "Diffusion", "2.1"."""
    return typed[at][:1].isupper() or typed[at][:1].isdigit()


def _runs(
    chosen: Sequence[Sentence], papers: Mapping[int, Paper], spans: Mapping[int, Sequence[Span]]
) -> list[tuple[int, int, int]]:  # fmt: skip
    """(row, first sentence, last sentence) of each quote, in the order in which the first of its sentences was chosen."""
    wanted = _with_antecedents(chosen, papers, spans)
    runs: list[tuple[int, int, int]] = []
    for row, number in wanted:
        if any(row == r and first <= number <= last for r, first, last in runs):
            continue
        first = last = number
        while (row, first - 1) in wanted:
            first -= 1
        while (row, last + 1) in wanted:
            last += 1
        runs.append((row, first, last))
    return runs


def _with_antecedents(
    chosen: Sequence[Sentence], papers: Mapping[int, Paper], spans: Mapping[int, Sequence[Span]]
) -> dict[tuple[int, int], None]:  # fmt: skip
    """The sentences chosen, each with the one before it if it begins with "It" or the like; four at most, the best first."""
    wanted: dict[tuple[int, int], None] = {}
    for sentence in chosen:
        row, number = sentence.row, sentence.number
        leans = number and _LEANS_BACK.match(papers[row].abstract, spans[row][number].start)
        both = dict.fromkeys([(row, number), *([(row, number - 1)] if leans else [])])
        if len(wanted | both) <= MOST:
            wanted |= both
    return wanted
