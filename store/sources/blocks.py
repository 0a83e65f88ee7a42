"""Blocks of a paste: lines without a blank line between, or the items of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from store.sources.fields import MAX_ABSTRACT

# How the items of a list are marked, indentation aside. Space must follow: "**Bold**" and "*endogenous*" are no marks.
MARKERS = (
    r"(\d{1,5})\.[ \t]+(?=\S)",
    r"(\d{1,5})\)[ \t]+(?=\S)",
    r"\((\d{1,5})\)[ \t]+(?=\S)",
    r"\[(\d{1,5})\][ \t]+(?=\S)",
    r"[-–—][ \t]+(?=\S)",
    r"[*+][ \t]+(?=\S)",
    r"[•◦▪‣●·][ \t]*(?=\S)",
)
_MOST_LEFT_OUT = 8  # items in a row that a numbered list may lack
_MAX_GAP = 1000  # blank lines kept in case the blocks around them turn out to be one abstract
_RULE = re.compile(r"\s*(?:[-=_*~]\s?){3,}\s*")


@dataclass(slots=True)
class Block:
    """Lines that belong together.

    Attributes:
        first: The number of its first line.
        lines: With their endings, the marker of an item taken off; no more than an abstract may be long.
        gap: The blank lines before it, with their endings.
        marked: It is an item of a list.
        size: Characters, those that were not kept included.
    """

    first: int
    gap: tuple[str, ...] = ()
    marked: bool = False
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, line: str) -> None:
        """Add a line, and forget it if there are too many."""
        if self.size <= MAX_ABSTRACT:
            self.lines.append(line)
        self.size += len(line)

    @property
    def text(self) -> str:
        """Its lines as one text, without white space around."""
        return "".join(self.lines).strip()


def is_blank(line: str) -> bool:
    """Whether a line separates: only white space, or a rule such as ``-----``."""
    return not line.strip() or (len(line) < 200 and bool(_RULE.fullmatch(line)))


def cut_into_blocks(lines: Iterable[str], *, marker: re.Pattern[str] | None = None, by_line: bool = False) -> Iterator[Block]:
    """Group the lines of a source into blocks.

    Args:
        lines: With their endings.
        marker: A line that matches begins an item, also without a blank line above. Within a block, a number, its first group,
            must be one of the next: items do get deleted from a numbered list.
        by_line: Every line is a block.
    """
    block: Block | None = None
    gap: list[str] = []
    last = 0
    for number, line in enumerate(lines, start=1):
        if is_blank(line):
            if block:
                yield block
            block = None
            if len(gap) < _MAX_GAP:
                gap.append(line)
            continue
        item = _match_item(line, marker, after=last if block else None)
        last = int(item.group(1)) if item and item.groups() else last
        if block and (item or by_line):
            yield block
            block = None
        if block is None:
            block = Block(number, tuple(gap), marked=bool(item))
            gap = []
        block.add(line[item.end() :] if item else line)
    if block:
        yield block


def _match_item(line: str, marker: re.Pattern[str] | None, *, after: int | None) -> re.Match[str] | None:
    """Match the marker of an item; below other lines of a block, its number must come soon `after` the last."""
    item = marker.match(line) if marker else None
    if item and item.groups() and after is not None and not after < int(item.group(1)) <= after + _MOST_LEFT_OUT + 1:
        return None
    return item
