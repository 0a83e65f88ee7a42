"""What kind of thing a question asks for (an amount, a name, a person), and whether a sentence could fill the gap."""

from __future__ import annotations

import re
from dataclasses import dataclass

from store.fulltext import STOP_WORDS
from store.readable import readable, search_text
from store.terms import stem, terms

# Things that are numbers. Asked for, a sentence must speak of them and have a number.
_AMOUNTS = frozenset(
    stem(word)
    for word in (
        "rate size accuracy error score fid bleu rouge f1 auc dice map ap iou psnr perplexity speedup speedups percent "
        "percentage "
        "deviation variance exponent epsilon radius rank depth width layers heads parameters epochs steps iterations "
        "seed seeds hours days weeks memory resolution length duration cost price budget dollars decay "
        "temperature threshold ratio fraction proportion interval frequency bandwidth fps latency throughput flops"
    ).split()
)
# Things that have proper names, and those of them that a paper is tried on.
_TRIED_ON = frozenset(
    stem(word) for word in "dataset datasets data benchmark benchmarks corpus corpora collection collections".split()
)
_NAMED = _TRIED_ON | frozenset(
    stem(word)
    for word in (
        "model models llm llms mllm backbone encoder decoder network networks tokenizer tokeniser optimizer optimiser "
        "gpu tool toolkit "
        "library libraries language languages country countries licence license university company museum museums "
        "institution "
        "institutions hospital hospitals laptop phone simulator game games genomes framework software team group "
        "baseline baselines"
    ).split()
)
_ENDS = (
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|must|should|in|on|of|at|per|to|from|with|for|"
    r"behind|by|that|which|"
    r"went|fit|took|take|get|make|run|runs|sits?|covers?|embeds?|trains?|works?|suits?|used?|it|they|a|the)"
)
# What is counted may be called otherwise, and a size may come as a number of units.
_SAME = [
    frozenset(stem(word) for word in group.split())
    for group in (
        "picture image photo photograph frame",
        "people person participant subject volunteer patient user human annotator worker",
        "size gb mb tb kb gigabyte megabyte terabyte byte million billion",
        "paper work study abstract",
        "network model",
        "clip video",
        "language corpus",
    )
]
# Amounts that mean nothing without the word before them: "learning rate", "batch size".
_NEEDS_MODIFIER = frozenset(
    stem(w) for w in "rate size deviation ratio length resolution depth width rank decay interval threshold cost".split()
)
_HOW_MANY = re.compile(rf"\b(?:how many|number of)\s+((?:[\w-]+\s+){{0,3}}?[\w-]+?)(?=\s+{_ENDS}\b|\W*$)", re.IGNORECASE)
_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|large|big|long|fast|often|high|low|deep|wide|small|quickly|accurate)|by how|exact|exactly|"
    r"precise|in percent|what share)\b",
    re.IGNORECASE,
)
_KIND_OF = r"(?:(?:the\s+)?(?:type|kind|sort|names?|set|brand|make|version)s?\s+of\s+(?:the\s+)?)?"
_WHICH = re.compile(rf"\b(?:which|what)\s+{_KIND_OF}((?:[\w-]+\s+){{0,4}}?[\w-]+)(?=\s+{_ENDS}\b|\W*$)", re.IGNORECASE)
_WHAT_IS = re.compile(rf"\bwhat(?:'s| is| are| was| were)\s+{_KIND_OF}((?:[\w-]+\s*){{1,5}})", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:what|which|who|whom|whose|why|how|when|where|do|does|did|is|are|was|were|can|could)\b", re.IGNORECASE)
_WHO = re.compile(
    r"(?:^|[,;:.]|\band|\bby|\bfrom|\bof|\bto)\W*(?:who|whom|whose)\b(?!\s+(?:else|"
    r"(?:[a-z]+(?<!wa)(?<!ha)(?<!doe)(?<!i)s\b)))",
    re.IGNORECASE,
)
_WHERE_WHEN = re.compile(
    r"\b(?:where (?:was|were|is|are|did)\b|when (?:was|were|did|is|will)|which (?:year|month|university|lab|company|"
    r"country|city|venue))",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\b(?:download|url|link|web ?site|repository|where (?:can|do|could) (?:i|we|one|you) (?:get|find|download))\b", re.IGNORECASE
)
_DEFINITION = re.compile(
    r"^\W*(?:(?:so )?what(?:'s| is| are| was)|tell me (?:something )?about|describe|explain|define)\s+(?:an?\s+|"
    r"the\s+)?[\w.+-]+(?:\s[\w.+-]+){0,2}\W*$",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"\b(?:introduc|propos|present|call(?:ed|s)?\b|term(?:ed|s)?\b|dub(?:bed|s)?\b|defin|develop|formaliz|formalis|"
    r"construct|is an?\b)",
    re.IGNORECASE,
)
_SPELLED_OUT = re.compile(
    r"\bwhat (?:do|does|did) (?:the letters |the name |the acronym |the abbreviation )?(?P<a>[\w-]+) (?:stand for|mean|"
    r"abbreviate)|"
    r"\bspell(?:s|ed)? out (?:the )?(?P<b>[\w-]+)|\b(?:expansion|long form|full name) of (?P<c>[\w-]+)",
    re.IGNORECASE,
)
_LONGEST = 1000  # characters
_NUMBER = re.compile(r"(?<![\w.])[-+~]?\d[\d,]*(?:\.\d+)?")
_NUMBER_WORDS = frozenset(
    (
        "two three four five six seven eight nine ten eleven twelve dozen hundred hundreds thousand thousands million "
        "millions billion billions half twice"
    ).split()
)
_NAME = re.compile(r"(?<![\w-])(?=[\w.+-]*[A-Z])(?=[\w.+-]*[a-z\d])[A-Z\d][\w.+-]*\b|(?<![\w-])[A-Z]{2,}[\w-]*")

_TRIED = re.compile(rf"\b(?:on|across|over|from|in|using|with)\s+(?:the\s+)?({_NAME.pattern})")


@dataclass(frozen=True, slots=True)
class Slot:
    """The gap in a question.

    Attributes:
        amount: Terms of the thing whose amount is asked for, all of which a sentence must have; None if no amount is.
        named: Terms of the thing whose name is asked for; None if no name is.
        phrase: That thing, as typed; blank if none is named.
        spelled_out: A short form whose long form is asked for; None if none is.
        person: Whether a person, place or time is asked for.
        link: Whether an address is asked for.
        definition: Whether it is asked what something is.
    """

    amount: frozenset[str] | None
    named: frozenset[str] | None
    phrase: str
    spelled_out: str | None
    person: bool
    link: bool
    definition: bool


def find_slot(core: str) -> Slot:
    """What a question asks for; an amount goes before a name."""
    core = core[:_LONGEST]  # some patterns take time that grows with the square of the length
    short = _SPELLED_OUT.search(core)
    which = " ".join(match.group(1) for match in _WHICH.finditer(core))
    phrase = _amount_phrase(core, which)
    kinds = [word for word in re.findall(r"[\w-]+", which) if stem(word) in _NAMED] if phrase is None else []
    return Slot(
        amount=None if phrase is None else _must_have(phrase),
        named=frozenset(stem(word) for word in kinds) or None,
        phrase=phrase or " ".join(kinds[-1:]),
        spelled_out=next(name for name in short.groups() if name) if short else None,
        person=bool(_WHO.search(core) or _WHERE_WHEN.search(core)),
        link=bool(_LINK.search(core)),
        definition=bool(_DEFINITION.search(core)),
    )


def fills(slot: Slot, sentence: str, question: str) -> bool:
    """Whether a sentence has the kind of thing that a question asks for; False if it asks for no kind we know."""
    if slot.link:
        return "http" in sentence or "www." in sentence
    if slot.definition:
        return bool(_INTRODUCES.search(sentence))
    if slot.amount is not None:
        return has_amount(slot, sentence, question)
    return slot.named is not None and has_name(slot, sentence, question)


def _amount_phrase(core: str, which: str) -> str | None:
    """What is counted or measured, as typed; blank if only "how much" is asked; None if no amount is."""
    counted = _HOW_MANY.search(core)
    if counted:
        return counted.group(1)
    typed = re.findall(r"[^\W_]+", search_text(core))
    amounts = [at for at, word in enumerate(typed) if stem(word) in _AMOUNTS]
    asked = frozenset(terms(" ".join([which, *(match.group(1) for match in _WHAT_IS.finditer(core))])))
    meant = [at for at in amounts if stem(typed[at]) in asked] or (amounts if not _ASKING.search(core) else [])
    if not meant:
        return "" if _HOW_MUCH.search(core) else None
    first = meant[0]
    modified = first and needs_modifier(typed[first]) and stem(typed[first - 1]) not in _STOPS
    return " ".join(typed[first - bool(modified) : first + 1])


def _must_have(phrase: str) -> frozenset[str]:
    """Terms that a sentence with the amount must have: the head of what is counted, and a modifier that it needs."""
    found = terms(phrase)
    return frozenset(found[-2:] if len(found) > 1 and found[-1] in _NEEDS_MODIFIER else found[-1:])


_STOPS = frozenset(stem(word) for word in STOP_WORDS)


def asks_for_data(slot: Slot) -> bool:
    """Whether the name asked for is that of data: a dataset, a benchmark."""
    return bool(slot.named and slot.named & _TRIED_ON)


def needs_modifier(word: str) -> bool:
    """Whether an amount means nothing without the word before it."""
    return stem(word) in _NEEDS_MODIFIER


def has_amount(slot: Slot, sentence: str, question: str) -> bool:
    """Whether a sentence speaks of the thing counted and has a number that the question has not."""
    text = readable(sentence)
    found = frozenset(terms(text))
    for term in slot.amount or ():
        if not any(group & found for group in _SAME if term in group) and term not in found:
            return False
    asked = set(_NUMBER.findall(readable(question)))
    return bool(set(_NUMBER.findall(text)) - asked or _NUMBER_WORDS & set(text.lower().split()))


def has_long_form(short: str, abstract: str) -> bool:
    """Whether an abstract spells a short form out: "Long Form (LF)" or "LF (long form)"."""
    text = readable(abstract)
    return bool(
        re.search(
            rf"\b\w{{1,40}}[ -]\w{{1,40}} \({re.escape(short)}s?\)|\b{re.escape(short)}s? \([a-z]+[ -]\w+", text, re.IGNORECASE
        )
    )


def has_name(slot: Slot, sentence: str, question: str) -> bool:
    """Whether a sentence speaks of the kind of thing asked for and has a proper name that the question has not."""
    text = readable(sentence)[: 3 * _LONGEST]
    asked = frozenset(terms(question))
    named = slot.named or frozenset()
    tried = [match.group(1) for match in _TRIED.finditer(text)] if named & _TRIED_ON else []
    names = tried or (_NAME.findall(text.split(" ", 1)[-1]) if named & frozenset(terms(text)) else [])
    return any(not frozenset(terms(name)) <= asked | named for name in names)
