"""What every reader offers, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from store.papers import Record, Skipped
from store.sources.content import Content


@dataclass(frozen=True, slots=True)
class Reading:
    """The records of one source.

    Attributes:
        entries: One for every piece of the source, in its order.
        declared: How many records the source itself says it has, or None.
    """

    entries: Iterator[Record | Skipped]
    declared: int | None = None


class Reader(Protocol):
    """A module that reads one format."""

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802 - a constant of the module
        """Endings of the files that are read in this format when they lie in a folder."""
        ...

    def recognises(self, head: str, name: str, /) -> bool:
        """Whether a source is in this format, by its first 64 kB; the name may settle what they leave open."""
        ...

    def read(self, content: Content, /) -> Reading:
        """Read a source, one entry after the other.

        Raises:
            SourceError: The source as a whole is not in this format.
        """
        ...
