"""Lines of a paste that say what they hold: "Title: …", "Abstract: …", "Keywords: …"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from store.sources.looks import are_authors, count_words

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
_VALUE_WORDS = 25  # on the lines below a label; more are no title and no keywords
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
    return [part for field, number, held in cuts for part in _split_off_text(Part(field, number, tuple(held)))]


def _split_off_text(part: Part) -> list[Part]:
    """Part an abstract without a label from the "Title: …" or "Authors: …" right above it."""
    own = next((i for i, line in enumerate(part.lines) if i and not line.startswith((" ", "\t"))), len(part.lines))
    value, rest = part.lines[:own], part.lines[own:]
    if (
        part.field in (None, "abstract")
        or not value[0].strip()
        or are_authors(part.text)
        or count_words("".join(rest)) <= _VALUE_WORDS
    ):
        return [part]
    return [Part(part.field, part.first, value), Part(None, part.first + own, rest)]
