"""Understanding a question without a model: what it leans on, what kind it is, what it asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from store.fulltext import STOP_WORDS, words
from store.sentences import split_sentences

Kind = Literal["fact", "list", "count", "comparison"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the rest of the program sees it.

    Attributes:
        text: As typed.
        core: The part that asks: without orders, greetings and asides around it; of a question for papers, their subject.
        context: What earlier turns said, if the question leans on them; else blank.
        kind: ``list`` and ``count`` are about the papers of the library, not about one of them.
        of_each: Whether it asks about several papers, each by itself.
    """

    text: str
    core: str
    context: str
    kind: Kind
    of_each: bool

    @property
    def standalone(self) -> str:
        """The question with what it leans on, for search."""
        return f"{self.context} {self.core if self.about_papers else self.text}".strip()

    @property
    def about_papers(self) -> bool:
        """Whether papers are asked for, not what one of them says."""
        return self.kind in ("list", "count")


_SWITCH = re.compile(
    r"^\W*(?:different|another|new|unrelated|other)\s+(?:thing|topic|question|subject|matter)|^\W*(?:changing|switching|"
    r"change of)\b|\bunrelated\b|"
    r"^\W*(?:now\s+)?(?:something|on to something)\s+(?:else|different)",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"^\W*(?:and|but|or|also|so|then|ok(?:ay)?|what about|how about|what of|i mean(?:t)?|i'?m asking|same|why|how so|"
    r"which one|"
    r"with|on|for|in|by|at|from|against|compared|versus|vs|than|instead|besides|apart)\b",
    re.IGNORECASE,
)
_POINTS_BACK = frozenset(
    (
        "it its itself they them their theirs this that these those he she his her one ones there former latter same another both"
    ).split()
)
_ORDINAL = re.compile(
    r"\b(?:the\s+)?(first|second|third|fourth|fifth|last|former|latter|other)\b(?:\s+(?:one|paper|of them))?", re.IGNORECASE
)
_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "other": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_LONGEST = 4000  # characters of a reply in which an item is looked for
_SEGMENT = re.compile(r"\[\d+\]|(?:^|\s)\(?\d[.)]\s|;|,?\s{1,3}(?:and\s{1,3})?the\s{1,3}other\b|\n+", re.IGNORECASE)
_PAPERS = (
    r"(?:papers|abstracts|studies|articles|submissions|publications|works(?!\s+(?:best|better|well|for|on|in|with|most|"
    r"least)\b))"
)
_THINGS = rf"(?:{_PAPERS}|(?<!one )of\s+(?:these|them|those)|of\s+the\s+{_PAPERS})"
_COUNT = re.compile(rf"\b(?:how many|number of|count(?: of)?)\s+(?:\w+\s+){{0,2}}?{_THINGS}", re.IGNORECASE)
_LIST = re.compile(
    rf"\b(?:which|what|list|name|show|find|give|any|all|every|are there)\b(?:\s+\w+){{0,3}}?\s+{_THINGS}|"
    r"^\W*(?:list|enumerate|group)\b|^\W*themes?\b|\b(?:name|list) them\b|\bwhich papers\b|"
    r"^\W*who\s+(?:else\s+)?(?!is\b|was\b|has\b|does\b)[a-z]+s\b",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:compar\w+|versus|vs\.?|differ\w*|trade-?offs?|pros and cons|in each|each (?:one|of them)|both|rather than|than)\b",
    re.IGNORECASE,
)


_OF_EACH = re.compile(
    r"\b(?:two|three|both)\s+[\w-]+s\b|\bthe\s+(?:papers|works|abstracts)\b|\bin each\b|\beach (?:one|of them|paper)\b",
    re.IGNORECASE,
)
# What only says that papers are wanted: "paper" would otherwise find papers that say "this paper", or are called so.
_SCAFFOLD = frozenset(
    (
        "which what how many list name show find give me all any are is there the a papers paper abstracts abstract works "
        "work studies study articles article about on of them these those here this library themes theme do does who "
        "please enumerate group together"
    ).split()
)
_ASKS = re.compile(r"^\W*(?:give|name|list|tell|explain|describe|show|find|compare|summari[sz]e)\b", re.IGNORECASE)


def understand(text: str, history: Sequence[Turn] = ()) -> Question:
    """Find what a question leans on and what kind it is.

    Args:
        text: As typed, not blank.
        history: Earlier turns, oldest first.
    """
    core = _core(text)
    kind = _kind(core)
    of_each = bool(_OF_EACH.search(core))
    if kind in ("list", "count"):
        core = _topic(core)
    return Question(text=text, core=core, context=_context(text, history), kind=kind, of_each=of_each)


def _topic(core: str) -> str:
    """What the papers asked for are to be about; the whole question if it does not say."""
    kept = [word for word in core.split() if word.strip("?!.,:;").lower() not in _SCAFFOLD]
    return " ".join(kept) if any(w not in STOP_WORDS for word in kept for w in words(word)) else core


def _core(text: str) -> str:
    """The sentences that ask, if some do and others do not: orders and asides around a question are not the question."""
    sentences = [text[start:end] for start, end in split_sentences(text)]
    asking = [s for s in sentences if (s.endswith("?") or _ASKS.match(s)) and len(words(s)) > 2]
    return " ".join(asking) if asking and len(asking) < len(sentences) else text


def _kind(core: str) -> Kind:
    if _COUNT.search(core):
        return "count"
    if _LIST.search(core):
        return "list"
    return "comparison" if _COMPARISON.search(core) else "fact"


def leans(text: str) -> bool:
    """Whether a question needs earlier turns to be understood."""
    if _SWITCH.search(text):
        return False
    if _CONTINUES.search(text):
        return True
    every = words(text)
    content = [word for word in every if word not in STOP_WORDS]
    return len(content) <= 1 or bool(_POINTS_BACK & set(every)) or bool(_ORDINAL.search(text) and len(content) <= 4)


def _context(text: str, history: Sequence[Turn]) -> str:
    """The earlier turns that the question leans on: back to the last user turn that stands by itself."""
    if not history or not leans(text):
        return ""
    kept: list[str] = []
    for turn in reversed(history):
        kept.append(_chosen(text, turn) if turn.role == "assistant" and not kept else turn.text)
        if turn.role == "user" and not leans(turn.text):
            break
    return " ".join(" ".join(part.split()[:80]) for part in reversed(kept))


def _chosen(text: str, turn: Turn) -> str:
    """Of an enumeration in the last reply, the item that "the second one" means; else the whole reply."""
    ordinal = _ORDINAL.search(text)
    segments = [s.strip() for s in _SEGMENT.split(turn.text[:_LONGEST]) if len(s.split()) > 2]
    if not ordinal or len(segments) < 2:
        return turn.text
    at = _ORDINALS[ordinal.group(1).lower()]
    return segments[at] if -len(segments) <= at < len(segments) else turn.text
