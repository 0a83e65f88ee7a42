"""Where the sentences of an abstract begin and end, as character offsets into the text exactly as stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# A full stop after one of these does not end a sentence, whatever follows. As they are written: "CF." and "MS." do end one.
_NEVER_LAST = frozenset(
    (
        "e.g i.e eg cf vs viz ca approx resp eq eqs eqn fig figs sec sect ref refs thm lem prop cor alg dr mr mrs prof "
        "w.r.t a.k.a i.i.d Fig Figs Eq Eqs Eqn Sec Ref Refs Thm Dr Mr Mrs Ms Prof St Alg Vs Cf"
    ).split()
)
# These end a sentence only when a capital or a digit-free new start follows clearly ("et al. We", "etc. The", "U.S. The").
_OFTEN_LAST = frozenset(["al", "etc", "inc", "ltd", "corp", "co", "jr", "sr", "u.s", "u.k", "e.u", "a.m", "p.m"])

_BEFORE_A_NUMBER = frozenset(["no", "No", "nos", "Nos", "vol", "Vol", "pp", "p", "ch", "Ch", "tab", "Tab", "ver", "Ver", "v"])
_STARTS_A_SENTENCE = frozenset(
    (
        "the a an this these those that it its we our in on at for to by with from as when while although however here "
        "there such both each many most some all if since because moreover furthermore finally additionally experiments "
        "results using under unlike despite given building despite second third first next then they their he she his her "
        "you your no not"
    ).split()
)

_END = re.compile(
    r"""
    (?<![.!?…])[.!?…]++              # the stop itself, once for a row of them
    (?:[)\]}"'”’»*_]|\$(?=\s))*     # what closes with it: quotes, brackets, emphasis, the end of a formula
    (?:\[\d[\d,\s–-]*\])?           # a numeric citation glued to the stop
    (?=\s|$)
  | [。！？]+[”」』）]*               # Chinese and Japanese put no space after a sentence
  | \n[ \t]*\n                      # a blank line always ends one
    """,
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘]+$")
_STRAY = 1200  # characters after which an open bracket counts as a slip
_OPENING = "([{\"'“‘«*_$\\"


class Span(NamedTuple):
    """A half-open range of characters: ``text[start:end]``."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Cut a text into sentences; every character that is not white space between sentences belongs to exactly one.

    A stop ends a sentence when what stands before it is no abbreviation or initial, what follows can begin one, and no
    bracket or formula is open. Lines of a wrapped paste do not count; a blank line always does.

    Returns:
        Spans in the order of the text, none empty, none overlapping, without surrounding white space. Empty for blank text.
    """
    spans: list[Span] = []
    start = 0
    for end in _ends(text):
        spans.extend(_trimmed(text, start, end))
        start = end
    spans.extend(_trimmed(text, start, len(text)))
    return spans


def _ends(text: str) -> Iterator[int]:
    depth = _Depth(text)
    for match in _END.finditer(text):
        if match.group().isspace() or (_ends_here(text, match) and depth.is_closed_at(match.end())):
            depth.restart(match.end())
            yield match.end()


def _ends_here(text: str, stop: re.Match[str]) -> bool:
    rest = text[stop.end() : stop.end() + 60].lstrip()
    if not rest:
        return True
    if stop.group()[0] in "。！？":
        return True
    if not _can_begin(rest):
        return False
    if not stop.group().startswith(".") or stop.group().startswith(".."):
        return stop.group()[0] in "!?" or _begins_clearly(rest)
    before = _LAST_WORD.search(text, max(0, stop.start() - 40), stop.start())
    word = before.group() if before else ""
    if word in _NEVER_LAST or (word in _BEFORE_A_NUMBER and rest[0].isdigit()):
        return False
    if word.lower() in _OFTEN_LAST or _is_initial(word.lower()):
        return _begins_clearly(rest)
    return True


def _can_begin(rest: str) -> bool:
    """Whether a sentence may begin so: not with a lower-case word, unless that is a name such as "pyMARL" or "p53"."""
    first = rest.lstrip(_OPENING)[:1]
    if not first.islower():
        return first not in ",;:.)"
    word = re.match(r"[\w-]+", rest.lstrip(_OPENING))
    return bool(word and any(c.isupper() or c.isdigit() for c in word.group())) and not rest.startswith("\\")


def _begins_clearly(rest: str) -> bool:
    word = re.match(r"[^\W\d_]+", rest.lstrip(_OPENING))
    return word is not None and word.group()[0].isupper() and word.group().lower() in _STARTS_A_SENTENCE


def _is_initial(word: str) -> bool:
    """One letter ("J. Smith"), or letters with stops between ("N.Y")."""
    return (bool(re.fullmatch(r"[a-z](?:\.[a-z])*", word)) and word not in {"i", "a"}) or word == "a"


class _Depth:
    """Whether round brackets and $formulas$ are closed, counted from the last sentence end, so that a stray one heals."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._from = 0

    def restart(self, at: int) -> None:
        self._from = at

    def is_closed_at(self, at: int) -> bool:
        if at - self._from > _STRAY:
            return True
        piece = self._text[self._from : at]
        brackets = piece.count("(") - piece.count(")")
        dollars = piece.count("$") - piece.count("\\$")
        return brackets <= 0 and dollars % 2 == 0


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = end - (len(piece) - len(piece.rstrip()))
    if left < right:
        yield Span(left, right)
