"""From a question to a cited answer, read from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assistant import compose
from assistant.abstention import Signals, load_model, read_signals
from assistant.answers import Answer, Ranked
from assistant.evidence import Found, Sentence, score_sentences, weigh_terms
from assistant.extract import choose_sentences
from assistant.names import tells_apart, without_names
from assistant.questions import Question, Turn, understand
from store.catalogue import Vectors
from store.embeddings.base import unit
from store.errors import UsageError
from store.filters import filtered_rows
from store.search import Search

HITS = 10  # papers shown as found
READ = 6  # of these, papers whose sentences are read: the answer's paper is among them for 99 % of the golden questions

# Of papers that share a name, one is meant if the rest of the question is this near to it, and this much nearer than to the next.
_CLEAR, _APART = 0.30, 0.15


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
        """What the confidence in an answer is made from, for fitting it; None if nothing was found. Arguments as in `ask`."""
        question = understand(text, history)
        found = self._retrieve(question, filters)
        if not found.hits:
            return None
        names = self._search.named(question.standalone)
        chosen = choose_sentences(found.sentences, question.kind, spread=_spread_over(question, names, found))
        return read_signals(question.core, found, chosen, named=names, rest=self._rest(question, names))

    def _retrieve(self, question: Question, filters: Sequence[str]) -> Found:
        rows = filtered_rows(self._catalogue, filters)
        whole = self._search.embed(question.standalone)
        core = whole if question.core == question.standalone else self._search.embed(question.core)
        # A follow-up's own words and what they lean on count alike for its sentences.
        vector = unit(core + whole) if question.context else core
        asked = weigh_terms(question.core, vector, self._catalogue)
        hits = self._search.find(question.standalone, limit=HITS, rows=rows, vector=whole)
        papers = dict(self._search.papers(hits))
        return Found(hits, papers, asked, score_sentences(asked, hits[:READ], papers, self._catalogue))

    def _answer(self, question: Question, found: Found) -> Answer:
        names = self._search.named(question.standalone)
        rest = self._rest(question, names)
        for name, rows in names.items():
            if len(rows) < 2 or question.kind in ("list", "count"):
                continue
            meant = self._meant(question, name, rows, rest)
            if meant is None:
                return compose.ambiguous(question, rows, found.papers, found.sentences, self._catalogue)
            found = found.without(set(rows) - {meant})
        chosen = choose_sentences(found.sentences, question.kind, spread=_spread_over(question, names, found))
        confidence, on_subject = self._confidence(question, found, chosen, names, rest)
        if confidence < load_model().threshold:
            return compose.abstained(question, chosen, found, self._catalogue, confidence, on_subject)
        return compose.quoted(question, chosen, found, self._catalogue, confidence)

    def _rest(self, question: Question, names: Mapping[str, Sequence[int]]) -> Vectors | None:
        """Vector of what is asked once the papers' names are taken out; None if nothing is left."""
        rest = without_names(question.core, list(names))
        return self._search.embed(rest) if names and rest else None

    def _meant(self, question: Question, name: str, rows: Sequence[int], rest: Vectors | None) -> int | None:
        """Of the papers that share a name, the one the question means; None if it does not say."""
        if tells_apart(question.standalone, name):
            return rows[0]
        if rest is None:
            return None
        cosines, _ = self._search.vectors.compare(rest, np.array(sorted(rows)))
        second, first = np.argsort(cosines)[-2:]
        clear = cosines[first] >= _CLEAR and cosines[first] - cosines[second] >= _APART
        return sorted(rows)[first] if clear else None

    def _confidence(
        self,
        question: Question,
        found: Found,
        chosen: Sequence[Sentence],
        names: Mapping[str, Sequence[int]],
        rest: Vectors | None,
    ) -> tuple[float, bool]:
        model = load_model()
        signals = read_signals(question.core, found, chosen, named=names, rest=rest)
        return model.probability(signals), signals.paper >= model.subject


def _spread_over(question: Question, names: Mapping[str, Sequence[int]], found: Found) -> list[int]:
    """Papers that must all be quoted: those a comparison names, or the first two where "each" or "both papers" are asked for."""
    if question.kind != "comparison":
        return []
    named = list(dict.fromkeys(rows[0] for rows in names.values()))
    if len(named) > 1:
        return named
    return [hit.row for hit in found.hits[:2]] if question.of_each else []
