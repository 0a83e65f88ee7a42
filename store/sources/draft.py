"""A record of a paste while its lines are gathered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from store.papers import Record, Skipped
from store.sources.blocks import Block
from store.sources.fields import MAX_ABSTRACT, SHOWN, make_record
from store.sources.looks import TOO_SHORT, count_words, section_labels


@dataclass(slots=True)
class Draft:
    """A record that may still grow.

    Attributes:
        first: The number of the line on which its abstract begins; before there is one, of its first line.
        values: Its other fields, as written.
        lines: Those of its abstract, with their endings.
        sections: The labels of a structured abstract, so far.
        size: Characters of its abstract, those that were not kept included.
        labelled: Its abstract has a label; the text may be still to come.
    """

    first: int
    values: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    size: int = 0
    labelled: bool = False

    @property
    def has_text(self) -> bool:
        """Whether its abstract has begun."""
        return any(line.strip() for line in self.lines)

    def begin(self, first: int, lines: Sequence[str], size: int) -> None:
        """Begin the abstract; `first` is the number of the first of the lines."""
        blank = next((i for i, line in enumerate(lines) if line.strip()), 0)
        self.first, self.lines, self.size = first + blank, list(lines[blank:]), size
        self._note_section(self.lines)

    def extend(self, block: Block) -> None:
        """Add a part of the same abstract, with the blank lines before it."""
        if self.size <= MAX_ABSTRACT:
            self.lines += [*block.gap, *block.lines]
        self.size += block.size
        self._note_section(block.lines)

    def finish(self) -> Record | Skipped:
        """Make the record, or say why there is none."""
        where, text = f"line {self.first}", "".join(self.lines).strip()
        if self.size > MAX_ABSTRACT:
            return Skipped(where, "too long", text[:SHOWN])
        if text and count_words(text) < TOO_SHORT:
            return Skipped(where, "too short", text[:SHOWN])
        return make_record({**self.values, "abstract": text}, where=where)

    def _note_section(self, lines: Sequence[str]) -> None:
        self.sections += section_labels("".join(lines))
