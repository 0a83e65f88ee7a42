"""Does the library answer this? A logistic model over plain features; its weights are data, fitted by evals/fit_abstention.py."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files

from assistant.evidence import Found, Sentence
from assistant.questions import Question
from assistant.slots import has_amount, has_long_form, has_name
from store.terms import stem, terms

_SHORT = 5  # terms
_NAME_LIKE = re.compile(r"\b(?=\w*[A-Z\d])\w[\w.+-]*\b")


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for or against an answer, each about -1 to 1. Nine of the thirty tried; the others added nothing beside them.

    Attributes:
        paper: Cosine of the best paper.
        sentence: Cosine of the best sentence.
        errand: 1 if something is to be done, not known.
        other_name: 1 if a word written like a name, and no name of a paper meant, is in no quoted sentence.
        amount_missing: 1 if an amount is asked for and no sentence of the best paper has one.
        name_found: 1 if a name of some kind is asked for and a sentence of the best paper has one.
        name_missing: 1 if none has.
        spelled_out: 1 if a long form is asked for and the best paper has it, -1 if it has not.
        person: 1 if a person, a place or a time is asked for.
        about_papers: 1 if papers are asked for, not what one says.
        unknown: Share of the terms of a short question that no paper has; 0 for a question of more than five terms, which may
            well put a known thing in other words.
    """

    paper: float
    sentence: float
    errand: float
    other_name: float
    amount_missing: float
    name_found: float
    name_missing: float
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
    others = (_names_in(core) & found.asked.terms.keys()) - frozenset(terms(" ".join(named))) - quoted
    asked = frozenset(found.asked.terms)
    about_papers = question.kind in ("list", "count")
    slot = found.asked.slot
    cosine = max((s.cosine for s in found.sentences), default=0.0)
    has_one = slot.named is not None and any(has_name(slot, text, question.standalone) for text in texts)
    return Signals(
        paper=best.cosine,
        sentence=cosine,
        errand=float(question.errand),
        other_name=float(bool(others)),
        amount_missing=float(
            slot.amount is not None and not about_papers and not any(has_amount(slot, text, core) for text in texts)
        ),
        name_found=float(has_one),
        name_missing=float(slot.named is not None and not has_one),
        spelled_out=0.0 if slot.spelled_out is None else 1.0 if has_long_form(slot.spelled_out, abstract) else -1.0,
        person=float(slot.person and not about_papers),
        about_papers=float(about_papers),
        unknown=len(asked - found.asked.known) / len(asked) if 0 < len(asked) <= _SHORT else 0.0,
    )


def _names_in(core: str) -> set[str]:
    """Terms of the words written like names, the first word of the question left out."""
    return {stem(part) for word in core.split()[1:] for name in _NAME_LIKE.findall(word) for part in re.findall(r"[^\W_]+", name)}


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic regression (Cox, 1958) over standardised signals.

    Attributes:
        threshold: Below this probability the answer is withheld.
        subject: Below this cosine of the best paper, what is withheld is not even on the subject.
    """

    weights: Mapping[str, float]
    means: Mapping[str, float]
    scales: Mapping[str, float]
    bias: float
    threshold: float
    subject: float

    def probability(self, signals: Signals) -> float:
        """That the quoted sentences answer the question, in [0, 1]."""
        values = dict(zip((f.name for f in fields(Signals)), astuple(signals), strict=True))
        total = self.bias + sum(w * (values[name] - self.means[name]) / self.scales[name] for name, w in self.weights.items())
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


@cache
def load_model() -> Model:
    """The fitted model that ships with the package."""
    return Model(**json.loads(files("assistant").joinpath("data/abstention.json").read_text("utf-8")))
