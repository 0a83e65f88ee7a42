"""What kind of thing a question asks for (an amount, a name, a person), and whether a sentence could fill the gap."""

from __future__ import annotations

import re
from dataclasses import dataclass

from store.readable import readable
from store.terms import stem, terms

# Things that are numbers. Asked for, a sentence must speak of them and have a number.
_AMOUNTS = frozenset(
    stem(word)
    for word in (
        "rate size accuracy error score fid bleu rouge f1 auc dice map ap iou psnr perplexity speedup speedups percent "
        "percentage deviation variance exponent epsilon radius rank depth width layers heads parameters epochs steps "
        "iterations seed seeds batch gpus gpu tpus hours days weeks seconds minutes memory resolution length duration "
        "cost price budget dollars tokens images videos examples samples people participants annotators subjects users "
        "volunteers experts neighbours neighbors dimensions temperature threshold ratio ratios fraction share weight "
        "decay interval frequency bandwidth fps latency throughput flops"
    ).split()
)
# Things that have proper names.
_NAMED = frozenset(
    stem(word)
    for word in (
        "model models llm llms mllm backbone encoder decoder network tokenizer optimizer optimiser dataset datasets data "
        "benchmark benchmarks corpus corpora collection collections gpu tool toolkit library libraries language languages "
        "country countries licence license university company museum museums institution institutions phone laptop game "
        "games genomes simulator"
    ).split()
)
_HOW_MANY = re.compile(r"\b(?:how many|number of)\s+((?:[\w-]+\s+){0,3}?[\w-]+?)(?=\s+(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|must|should|in|on|of|at|per|to|from|with|for|by|that|which|went|fit|took|take|get|make|run|used?|a|the)\b|\W*$)", re.IGNORECASE)  # fmt: skip
_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|large|big|long|fast|often|high|low|deep|wide|small|quickly|accurate|well)|by how|what (?:percentage|percent|fraction|share|"
    r"proportion|number|size|value|score|speed-?up|rate|factor)|exact|exactly|precise|avg|average|in percent)\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b(?!\s+(?:else|trains|tests|uses|works|tries))", re.IGNORECASE)
_WHERE_WHEN = re.compile(
    r"\b(?:where (?!can|do i|to)|when (?:was|were|did|is|will)|which (?:year|month|university|lab|company|country|city|venue))",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:which|what)\s+((?:[\w-]+\s+){0,3}?[\w-]+)(?=\s+(?:do|does|did|is|are|was|were|has|have|can|could|will|would|sits?|runs?|covers?|embeds?|trains?|works?|suits?|that|to|in|on|of|for|it|they|the|a)\b|\W*$)", re.IGNORECASE)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.])[-+~]?\d[\d,]*(?:\.\d+)?")
_NUMBER_WORDS = frozenset(
    (
        "two three four five six seven eight nine ten eleven twelve dozen hundred hundreds thousand thousands million "
        "millions billion billions half twice"
    ).split()
)
_NAME = re.compile(r"(?<![\w-])(?=[\w.+-]*[A-Z])(?=[\w.+-]*[a-z\d])[A-Z\d][\w.+-]*\b|(?<![\w-])[A-Z]{2,}[\w-]*")


@dataclass(frozen=True, slots=True)
class Slot:
    """The gap in a question.

    Attributes:
        amount: Terms of the thing whose amount is asked for; None if no amount is.
        named: Terms of the thing whose name is asked for; None if no name is.
        person: Whether a person, place or time is asked for.
    """

    amount: frozenset[str] | None
    named: frozenset[str] | None
    person: bool


def find_slot(core: str) -> Slot:
    """What a question asks for; an amount goes before a name."""
    counted = _HOW_MANY.search(core)
    every = frozenset(terms(core))
    amount: frozenset[str] | None = None
    if counted:
        amount = frozenset(terms(counted.group(1)))
    elif _HOW_MUCH.search(core) or every & _AMOUNTS:
        amount = every & _AMOUNTS
    which = _WHICH.search(core)
    named = frozenset(terms(which.group(1))) & _NAMED if which and amount is None else None
    return Slot(amount, named or None, bool(_WHO.search(core) or _WHERE_WHEN.search(core)))


def has_amount(slot: Slot, sentence: str, question: str) -> bool:
    """Whether a sentence speaks of the thing counted and has a number that the question has not."""
    text = readable(sentence)
    found = frozenset(terms(text))
    if slot.amount and not slot.amount & found:
        return False
    asked = set(_NUMBER.findall(readable(question)))
    return bool(set(_NUMBER.findall(text)) - asked or _NUMBER_WORDS & set(text.lower().split()))


def has_name(sentence: str, question: str) -> bool:
    """Whether a sentence has a proper name, not its first word, that the question has not."""
    asked = frozenset(terms(question))
    words = readable(sentence).split(" ", 1)
    return any(not frozenset(terms(name)) <= asked for name in _NAME.findall(words[-1]))
