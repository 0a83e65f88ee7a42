"""Does the library answer this? A logistic model over plain features; its weights are data, fitted by evals/fit_abstention.py."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files

from assistant.evidence import Asked, Found, Sentence, coverage
from store.catalogue import Vectors
from store.papers import Paper
from store.readable import readable
from store.terms import stem, terms

# What people ask of a paper and abstracts rarely say. Asking for one that the paper does not mention is a sign, not a verdict.
_DETAILS = frozenset(
    stem(word)
    for word in (
        "learning rate batch seed optimizer optimiser hyperparameter hyperparameters epoch epochs gpu gpus tpu tpus "
        "hardware hours days cost costs dollars price paid licence license affiliation university institution country "
        "city funding funded grant email supervisor conference deadline page pages appendix section table figure version "
        "url repository github memory ram disk annotators annotator salary deviation variance interval exponent constant "
        "layers heads width depth dropout weight decay temperature threshold resolution fps length size count parameters "
        "tokens exact exactly precise percent percentage"
    ).split()
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?[%×x]|[KMB]\b)?")
_NUMBER_WORDS = frozenset(
    (
        "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion half twice "
        "both single"
    ).split()
)
_HOW_MUCH = re.compile(
    r"\b(?:how (?:many|much|large|big|long|fast|often|high|low|far|well|accurate)|what (?:percentage|percent|fraction|share|proportion|number|"
    r"size|value|score|accuracy|speed-?up|rate|ratio|factor|exponent|cost|price|budget)|exact|exactly|precise|average|avg|percent|%|"
    r"accuracy|fid|bleu|f1|auc|dice|map|error rate|speed-?ups?|learning rate|batch size|standard deviation|resolution|length|hours|dollars)\b",
    re.IGNORECASE,
)
_WHO_WHERE_WHEN = re.compile(r"\b(?:who(?!\s+(?:trains|tests|uses|else))|whose|where|when|which (?:year|university|lab|company|country|city|institution|venue))\b", re.IGNORECASE)  # fmt: skip
_NAME_LIKE = re.compile(r"\b(?=\w*[A-Z\d])\w[\w.+-]*\b")


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for or against an answer, each about 0 to 1.

    Attributes:
        paper: Cosine of the best paper.
        lead: How far its score is ahead of the fifth paper's.
        sentence: Cosine of the best sentence.
        second: Cosine of the second best sentence.
        covered: Share of the question's terms in the quoted sentences or their papers' titles, by rarity.
        covered_by_paper: The same for the whole best paper.
        unknown: Share of the question's terms that no paper has.
        unknown_name: 1 if one of these is written like a name.
        named: 1 if the best paper's own name is in the question.
        detail: 1 if a detail is asked for that the best paper does not mention.
        number_missing: 1 if an amount is asked for, and no quoted sentence has a number that the question has not.
        number_found: 1 if one has.
        person_or_place: 1 if a person, a place or a time is asked for.
        rest: Cosine of the best sentence with the question without the paper's name.
    """

    paper: float
    lead: float
    sentence: float
    second: float
    covered: float
    covered_by_paper: float
    unknown: float
    unknown_name: float
    named: float
    detail: float
    number_missing: float
    number_found: float
    person_or_place: float
    rest: float


def read_signals(
    core: str, found: Found, chosen: Sequence[Sentence], *, named: Mapping[str, Sequence[int]], rest: Vectors | None
) -> Signals:  # fmt: skip
    """The signals of a question for which at least one paper was found.

    Args:
        core: The part of the question that asks.
        chosen: What would be quoted.
        named: Papers that the question calls by their names.
        rest: Vector of the question without those names.
    """
    asked, best = found.asked, found.hits[0]
    of_paper = _terms_of(found.papers[best.row])
    quoted = {term for s in chosen for term in s.terms} | {t for s in chosen for t in terms(found.papers[s.row].title)}
    unknown = [term for term in asked.terms if term not in asked.known]
    cosines = sorted((s.cosine for s in found.sentences), reverse=True)
    wants_number, has_number = bool(_HOW_MUCH.search(core)), _has_new_number(core, found, chosen)
    return Signals(
        paper=best.cosine,
        lead=best.score - found.hits[min(4, len(found.hits) - 1)].score,
        sentence=cosines[0] if cosines else 0.0,
        second=cosines[1] if len(cosines) > 1 else 0.0,
        covered=coverage(asked, quoted),
        covered_by_paper=coverage(asked, of_paper),
        unknown=len(unknown) / max(1, len(asked.terms)),
        unknown_name=float(_has_unknown_name(core, asked)),
        named=float(any(best.row in rows for rows in named.values())),
        detail=float(any(term in _DETAILS and term not in of_paper for term in asked.terms)),
        number_missing=float(wants_number and not has_number),
        number_found=float(wants_number and has_number),
        person_or_place=float(bool(_WHO_WHERE_WHEN.search(core))),
        rest=max((float(s.vector @ rest) for s in chosen), default=0.0) if rest is not None else cosines[0] if cosines else 0.0,
    )


def _terms_of(paper: Paper) -> frozenset[str]:
    return frozenset(terms(f"{paper.title} {paper.abstract}"))


def _has_new_number(core: str, found: Found, chosen: Sequence[Sentence]) -> bool:
    in_question = set(_NUMBER.findall(readable(core)))
    for sentence in chosen:
        text = readable(found.papers[sentence.row].abstract[sentence.span.start : sentence.span.end])
        if set(_NUMBER.findall(text)) - in_question or _NUMBER_WORDS & set(text.lower().split()):
            return True
    return False


def _has_unknown_name(core: str, asked: Asked) -> bool:
    """Whether a word written like a name, not the first of the question, occurs in no paper."""
    names = {
        stem(part) for word in core.split()[1:] for name in _NAME_LIKE.findall(word) for part in re.findall(r"[^\W_]+", name)
    }
    return any(name in asked.terms and name not in asked.known for name in names)


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
