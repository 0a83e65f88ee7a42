"""Plain text: abstracts as people paste them, told apart by blank lines, list markers, titles or labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from store.papers import Record, Skipped
from store.sources.blocks import Block, cut_into_blocks
from store.sources.content import Content
from store.sources.draft import Draft
from store.sources.fields import MAX_ABSTRACT, SHOWN
from store.sources.labels import Part, split_labels
from store.sources.looks import are_authors, continues, is_heading, section_label, without_marks
from store.sources.manner import Manner, judge_manner
from store.sources.reading import Reading

SUFFIXES = (".txt", ".text")
_LOOKED_AT = 500_000  # characters by which the manner of a paste is judged: some 300 abstracts


def recognises(_head: str, _name: str, /) -> bool:
    """Any text is a paste."""
    return True


def read(content: Content) -> Reading:
    """Read one abstract after the other, in the manner in which the first 300 or so are written."""
    return Reading(_read_paste(content.lines()))


def _read_paste(lines: Iterator[str]) -> Iterator[Record | Skipped]:
    sample: list[str] = []
    size = 0
    while size < _LOOKED_AT and (line := next(lines, "")):
        sample.append(line)
        size += len(line)
    manner = judge_manner(sample)
    blocks = cut_into_blocks(chain(sample, lines), marker=manner.marker, by_line=manner.by_line)
    yield from _Paste(manner).read(blocks)


class _Paste:
    """The blocks of one paste on their way to become records: a draft that may go on, and short pieces not yet placed."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._draft: Draft | None = None
        self._above: list[Block] = []

    def read(self, blocks: Iterator[Block]) -> Iterator[Record | Skipped]:
        """Yield records and skipped pieces in the order of their lines."""
        for block in blocks:
            parts = split_labels(block.lines, block.first)
            plain = len(parts) == 1 and parts[0].field is None
            if self._draft and self._goes_on(self._draft, block, plain=plain):
                self._draft.extend(block)
            elif plain and self._manner.is_short(block.lines):
                yield from self._finish_draft()
                self._above.append(block)
            else:
                for part in parts:
                    yield from self._place(part, size=block.size if block.size > MAX_ABSTRACT else len(part.text))
        yield from self._finish_draft()
        yield from self._skip_above()

    def _goes_on(self, draft: Draft, block: Block, *, plain: bool) -> bool:
        """Whether a block is a part of the abstract above it, in spite of the blank line."""
        if not plain or block.marked or not draft.has_text or any(line.strip() for line in block.gap):
            return False
        if section_label(block.text):
            return continues(block.text, draft.sections)
        if self._manner.is_short(block.lines):
            return False
        indented = block.lines[0].startswith((" ", "\t"))
        return (self._manner.labelled and draft.labelled) or (self._manner.marker is not None and indented)

    def _place(self, part: Part, *, size: int) -> Iterator[Record | Skipped]:
        """Give a part of a block to the draft it belongs to, after finishing the one before."""
        if part.field is None:
            yield from self._place_text(part, size=size)
            return
        if self._draft is None or self._begins_anew(self._draft, part.field):
            yield from self._finish_draft()
            values = {} if part.field == "title" else self._take_title()
            yield from self._skip_above()
            self._draft = Draft(part.first, values)
        if part.field == "abstract":
            self._draft.begin(part.first, part.lines, size)
            self._draft.labelled = True
        else:
            self._draft.values[part.field] = part.text

    def _place_text(self, part: Part, *, size: int) -> Iterator[Record | Skipped]:
        if self._draft and not self._draft.has_text and not self._above:  # its labels came first
            self._draft.begin(part.first, part.lines, size)
            return
        yield from self._finish_draft()
        first, lines = part.first, list(part.lines)
        if self._manner.is_short(lines):  # above the labels of its own block
            self._above.append(Block(first, lines=lines))
            return
        if len(lines) > 1 and self._manner.is_short(lines[:1]) and is_heading(lines[0]):
            self._above.append(Block(first, lines=lines[:1]))
            first, lines = first + 1, lines[1:]
        above = {} if self._manner.inline else self._take_title()
        taken, values = (0, above) if above else _split_front(lines, self._manner)
        yield from self._skip_above()
        self._draft = Draft(first, values)
        self._draft.begin(first + taken, lines[taken:], size)

    def _begins_anew(self, draft: Draft, label: str) -> bool:
        """Whether a label begins the next record: the draft has it already, or it is the one that comes first in a record."""
        if label in draft.values or (draft.has_text and label == "abstract"):
            return True
        return draft.has_text and label in ("title", self._manner.first_label)

    def _take_title(self) -> dict[str, str]:
        """Take the title right above an abstract, with the authors below it, from the short pieces, if it is one."""
        if not self._manner.titled or not self._above:
            return {}
        lines = [line.strip() for block in self._above[-2:] for line in block.lines]
        authors = lines[-1] if len(lines) > 1 and are_authors(lines[-1]) and not is_heading(lines[-2]) else None
        if authors and len(self._above[-1].lines) == 1:
            self._above.pop()
        if is_heading(self._above[-1].text):
            return {}
        own = [line.strip() for line in self._above.pop().lines]
        title = " ".join(own[:-1] if own[-1] == authors else own)
        return {"title": without_marks(title)} | ({"authors": authors} if authors else {})

    def _finish_draft(self) -> Iterator[Record | Skipped]:
        if self._draft:
            yield self._draft.finish()
        self._draft = None

    def _skip_above(self) -> Iterator[Skipped]:
        yield from (Skipped(f"line {block.first}", "heading", block.text[:SHOWN]) for block in self._above)
        self._above = []


def _split_front(lines: list[str], manner: Manner) -> tuple[int, dict[str, str]]:
    """How many lines on top of a block are its title and authors, and what they are."""
    if not manner.has_title_line(lines):
        return 0, {}
    title = {"title": without_marks(lines[0])}
    if len(lines) > 2 and are_authors(lines[1]):
        return 2, title | {"authors": lines[1].strip()}
    return 1, title
