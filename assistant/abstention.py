"""Does the library answer this? Two logistic models over plain signals, fitted by evals/fit_abstention.py."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from assistant.evidence import Found, Sentence, names_in
from assistant.questions import Question
from assistant.slots import asks_for_data, has_amount, has_long_form, has_name
from store.terms import terms

_SHORT = 5  # terms


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for or against an answer, each about -1 to 1. Some thirty were tried; the others added nothing.

    Attributes:
        paper: Cosine of the best paper.
        sentence: Cosine of the best sentence.
        lexical: BM25 of the best paper, as a share of the most possible.
        named: 1 if the best paper is called by its name.
        other_name: 1 if a word written like a name, and no name of a paper meant, is in no quoted sentence.
        amount_missing: 1 if an amount is asked for and no sentence of the best paper has one.
        name_missing: 1 if a name of some kind is asked for and no sentence of the best paper has one.
        name_doubtful: 1 if one has, but any name would do: of a model or a tool, where of data "tested on X" is a sign.
        spelled_out: 1 if a long form is asked for and the best paper has it, -1 if it has not.
        person: 1 if a person, a place or a time is asked for.
        about_papers: 1 if papers are asked for, not what one says.
        unknown: Share of the terms of a short question that no paper has; 0 for a question of more than five terms, which may
            well put a known thing in other words.
    """

    paper: float
    sentence: float
    lexical: float
    named: float
    other_name: float
    amount_missing: float
    name_missing: float
    name_doubtful: float
    spelled_out: float
    person: float
    about_papers: float
    unknown: float


def read_signals(question: Question, found: Found, chosen: Sequence[Sentence], named: Mapping[str, Sequence[int]]) -> Signals:
    """The signals of a question for which at least one paper was found.

    Args:
        chosen: What would be quoted.
        named: Papers that the question calls by their names.
    """
    best, core = found.hits[0], question.core
    abstract = found.papers[best.row].abstract
    texts = [abstract[s.span.start : s.span.end] for s in found.sentences if s.row == best.row]
    quoted = {term for s in chosen for term in s.terms} | {t for s in chosen for t in terms(found.papers[s.row].title)}
    others = (names_in(core) & found.asked.terms.keys()) - frozenset(terms(" ".join(named))) - quoted
    asked = frozenset(found.asked.terms)
    about_papers = question.about_papers
    slot = found.asked.slot
    cosine = max((s.cosine for s in found.sentences), default=0.0)
    asks_name = slot.named is not None and not about_papers
    has_one = asks_name and any(has_name(slot, text, question.standalone) for text in texts)
    return Signals(
        paper=best.cosine,
        sentence=cosine,
        lexical=best.bm25,
        named=float(any(best.row in bearers for bearers in named.values())),
        other_name=float(bool(others)),
        amount_missing=float(
            slot.amount is not None and not about_papers and not any(has_amount(slot, text, core) for text in texts)
        ),
        name_missing=float(asks_name and not has_one),
        name_doubtful=float(has_one and not asks_for_data(slot)),
        spelled_out=0.0 if slot.spelled_out is None else 1.0 if has_long_form(slot.spelled_out, abstract) else -1.0,
        person=float(slot.person and not about_papers),
        about_papers=float(about_papers),
        unknown=len(asked - found.asked.known) / len(asked) if 0 < len(asked) <= _SHORT else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic regression (Cox, 1958) over some of the signals, standardised.

    Attributes:
        threshold: Below this probability the answer is no.
    """

    weights: Mapping[str, float]
    means: Mapping[str, float]
    scales: Mapping[str, float]
    bias: float
    threshold: float

    def probability(self, signals: Signals) -> float:
        """That the answer is yes, in [0, 1]."""
        total = self.bias + sum(
            weight * (getattr(signals, name) - self.means[name]) / self.scales[name] for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the two models say of a question.

    Attributes:
        on_subject: Whether the library has papers on it.
        is_said: Whether their abstracts say it.
        confidence: That both are so, in [0, 1].
    """

    on_subject: bool
    is_said: bool
    confidence: float


def judge(signals: Signals) -> Judgement:
    """First whether the question is about anything in the library, then whether the abstracts say what it asks."""
    subject, said = load_model("subject"), load_model("said")
    first, second = subject.probability(signals), said.probability(signals)
    return Judgement(first >= subject.threshold, second >= said.threshold, first * second)


@cache
def load_model(name: Literal["subject", "said"]) -> Model:
    """One of the two fitted models that ship with the package."""
    return Model(**json.loads(files("assistant").joinpath("data/abstention.json").read_text("utf-8"))[name])
