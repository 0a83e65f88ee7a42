"""From a question to a cited answer, read from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant import compose
from assistant.abstention import Signals, judge, read_signals
from assistant.answers import Answer, Ranked
from assistant.evidence import Found, Sentence, score_sentences, weigh_terms
from assistant.extract import MOST, choose_sentences
from assistant.names import tells_apart, without_names
from assistant.questions import Question, Turn, understand
from store.embeddings.base import unit
from store.errors import UsageError
from store.filters import filtered_rows
from store.search import Search

HITS = 10  # papers shown as found
READ = 6  # of these, papers whose sentences are read: the answer's paper is among them for 99 % of the golden questions

# Of papers that share a name, one is meant if the rest of the question is this near to it, and this much nearer than to the next.
_CLEAR, _APART = 0.30, 0.15


@dataclass(frozen=True, slots=True)
class _Meant:
    """What a question means among the papers found.

    Attributes:
        chosen: Sentences to quote.
        names: The names in the question, with the papers that bear them.
        unclear: Papers that share a name, if the question does not say which it means; then nothing is chosen.
    """

    found: Found
    chosen: Sequence[Sentence]
    names: Mapping[str, Sequence[int]]
    unclear: Sequence[int] = ()


class Engine:
    """Answers questions from one library. Keep it for several: the model and the vectors stay in memory."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._catalogue = search.library.catalogue

    def ask(self, text: str, *, history: Sequence[Turn] = (), filters: Sequence[str] = ()) -> Answer:
        """Answer a question with quoted sentences, or say why not.

        Args:
            text: The question, not blank.
            history: Earlier turns, oldest first.
            filters: As for `store.filters.filtered_rows`; several are joined by AND.

        Raises:
            UsageError: The question is blank, or a filter cannot be used.
            LibraryError: The library is damaged.
            ProviderError: The query could not be embedded.
        """
        started = time.perf_counter()
        if not text.strip():
            raise UsageError("The question is empty. Ask something, such as: abstracts ask 'What speeds up video diffusion?'")
        question = understand(text, history)
        found = self._retrieve(question, filters)
        retrieved = time.perf_counter()
        answer = self._answer(question, found) if found.hits else compose.nothing_found(question, bool(filters))
        hits = tuple(Ranked(rank, found.papers[hit.row], hit.score) for rank, hit in enumerate(found.hits, 1))
        ended = time.perf_counter()
        seconds = {"retrieve": retrieved - started, "answer": ended - retrieved, "total": ended - started}
        return replace(answer, hits=hits, seconds=seconds)

    def signals(self, text: str, *, history: Sequence[Turn] = (), filters: Sequence[str] = ()) -> Signals | None:
        """What the confidence in an answer is made from, for fitting it; None if nothing was found, or the name is ambiguous."""
        question = understand(text, history)
        found = self._retrieve(question, filters)
        meant = self._meant(question, found) if found.hits else None
        return None if meant is None or meant.unclear else read_signals(question, meant.found, meant.chosen, meant.names)

    def _retrieve(self, question: Question, filters: Sequence[str]) -> Found:
        rows = filtered_rows(self._catalogue, filters)
        names = self._search.named(question.text)
        # A question that calls a paper by name finds it by itself; earlier turns only help to choose its sentences.
        sought = question.core if names and question.context else question.standalone
        whole = self._search.embed(question.standalone)
        core = whole if question.core == question.standalone else self._search.embed(question.core)
        # A follow-up's own words and what they lean on count alike for its sentences.
        vector = unit(core + whole) if question.context else core
        asked = weigh_terms(question.core, vector, self._catalogue)
        hits = self._search.find(sought, limit=HITS, rows=rows, vector=core if sought == question.core else whole)
        papers = dict(self._search.papers(hits))
        bearers = {row for rows in names.values() for row in rows}
        read = [hit for place, hit in enumerate(hits) if place < READ or hit.row in bearers]
        return Found(hits, papers, asked, score_sentences(asked, read, papers, self._catalogue))

    def _answer(self, question: Question, found: Found) -> Answer:
        meant = self._meant(question, found)
        if meant.unclear:
            return compose.ambiguous(question, meant.unclear, found.papers, found.sentences, self._catalogue)
        signals = read_signals(question, meant.found, meant.chosen, meant.names)
        judgement = judge(signals)
        if not judgement.on_subject:
            return compose.off_subject(question, meant.found, meant.chosen, judgement.confidence)
        if not judgement.is_said or not meant.chosen:
            return compose.abstained(question, meant.chosen, meant.found, self._catalogue, judgement.confidence, signals)
        return compose.quoted(question, meant.chosen, meant.found, self._catalogue, judgement.confidence)

    def _meant(self, question: Question, found: Found) -> _Meant:
        """Settle which papers are meant by the names in a question, and choose what to quote from them."""
        names = found.borne(self._search.named(question.standalone))
        for name, bearers in names.items():
            if len(bearers) > 1 and not question.about_papers and not (question.kind == "comparison" and question.of_each):
                bearer = self._bearer(question, name, found, names)
                if bearer is None:
                    return _Meant(found, [], names, unclear=bearers)
                found = found.without(set(bearers) - {bearer})
        if question.kind == "fact":
            found = found.only({row for bearers in names.values() for row in bearers})
        chosen = choose_sentences(found.sentences, question.kind, spread=_spread_over(question, names, found))
        return _Meant(found, chosen, names)

    def _bearer(self, question: Question, name: str, found: Found, names: Mapping[str, Sequence[int]]) -> int | None:
        """Of the papers that share a name, the one the question means; None if it does not say."""
        rows = names[name]
        if tells_apart(question.standalone, name):
            return rows[0]
        rest = without_names(question.core, [name])
        only = found.alone_with(rest, rows)
        if only is not None or not rest:
            return only
        ascending = np.array(sorted(rows))
        cosines, _ = self._search.vectors.compare(self._search.embed(rest), ascending)
        second, first = np.argsort(cosines)[-2:]
        clear = cosines[first] >= _CLEAR and cosines[first] - cosines[second] >= _APART
        return int(ascending[first]) if clear else None


def _spread_over(question: Question, names: Mapping[str, Sequence[int]], found: Found) -> list[int]:
    """Papers that must all be quoted: those a comparison names, or the first two where "each" or "both papers" are asked for."""
    if question.kind != "comparison":
        return []
    named = list(dict.fromkeys(row for rows in names.values() for row in (rows if question.of_each else rows[:1])))
    if len(named) > 1:
        return named[:MOST]
    return [hit.row for hit in found.hits[:2]] if question.of_each else []
