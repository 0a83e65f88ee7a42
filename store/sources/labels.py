"""Lines of a paste that say what they hold: "Title: …", "Abstract: …", "Keywords: …"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FIELDS = {
    "Title": "title",
    "Abstract": "abstract",
    "Author": "authors",
    "Authors": "authors",
    "Keyword": "keywords",
    "Keywords": "keywords",
    "Key words": "keywords",
    "Key Words": "keywords",
    "Index Terms": "keywords",
    "Year": "year",
    "Venue": "venue",
    "Journal": "venue",
    "Conference": "venue",
    "Link": "url",
    "Url": "url",
    "Doi": "doi",
    "doi": "doi",
    "arXiv": "id",
    "Arxiv": "id",
}
# With a capital: "…, see the\nlink: https://…" is a wrapped sentence.
_NAMES = {**_FIELDS, **{name.upper(): field for name, field in _FIELDS.items()}}
_MARK = r"(?:\*\*|__)?"
_START = rf"[ \t]*(?:\#{{1,6}}[ \t]+)?{_MARK}"
_LABEL = re.compile(rf"{_START}({'|'.join(sorted(_NAMES, key=len, reverse=True))})[ \t]*{_MARK}:{_MARK}[ \t]*")
_ALONE = re.compile(
    rf"{_START}(Abstract|ABSTRACT){_MARK}(?:[ \t]*(?:[\r\n]|$)|[ \t]?[—–][ \t]*)"
)  # above its text, or "Abstract—We …"
_ADDRESS = re.compile(r"\s*https?://\S+\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of a block under one label.

    Attributes:
        field: A field of a record, or None for lines before any label.
        first: The number of the first line.
        lines: With their endings, the label taken off.
    """

    field: str | None
    first: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as one text, without white space around."""
        return "".join(self.lines).strip()


def split_labels(lines: Sequence[str], first: int) -> list[Part]:
    """Cut a block at the lines that begin with a label. A block that is only an address is a part of its own, a ``url``.

    Returns:
        The parts in order, none of them without lines; the first has no field when the block does not begin with a label.
    """
    if len(lines) == 1 and _ADDRESS.fullmatch(lines[0]):
        return [Part("url", first, tuple(lines))]
    cuts: list[tuple[str | None, int, list[str]]] = []
    for number, line in enumerate(lines, start=first):
        label = _LABEL.match(line) or _ALONE.match(line)
        if label:
            cuts.append((_NAMES[label.group(1)], number, [line[label.end() :]]))
        elif cuts:
            cuts[-1][2].append(line)
        else:
            cuts.append((None, number, [line]))
    return [Part(field, number, tuple(held)) for field, number, held in cuts]
