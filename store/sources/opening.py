"""Open a source: choose its format by its content, and read it as a stream of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from store.errors import UsageError
from store.papers import Record, Skipped
from store.sources import document, jsonl, plain, table
from store.sources.content import open_content
from store.sources.fields import make_record
from store.sources.finding import find_files
from store.sources.reading import Reader

# Asked in this order; the last takes what no other recognises. A new format is one module and one line here.
READERS: Mapping[str, Reader] = MappingProxyType({"jsonl": jsonl, "json": document, "csv": table, "text": plain})
_EXAMPLES = {
    "authors": "authors='Ada Byron; Kurt Gödel'",
    "decision": "decision=oral",
    "keywords": "keywords='graphs; flows'",
    "track": "track=main",
    "url": "url=https://example.org/papers",
    "venue": "venue=NeurIPS",
    "year": "year=2026",
}
DEFAULTS = tuple(_EXAMPLES)  # an id, a title or a doi belongs to one record
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Source:
    """One source, open.

    Attributes:
        name: As given; ``-`` is standard input.
        format: One of the keys of `READERS`.
        declared: How many records the source itself says it has, or None.
        entries: Every piece of the source in its order, read while it is iterated; can be iterated once.
        warnings: What people should know about the whole of it, such as "not UTF-8: read as Windows-1252".
    """

    name: str
    format: str
    declared: int | None
    entries: Iterator[Record | Skipped]
    warnings: tuple[str, ...] = ()


def find_sources(names: Sequence[str]) -> list[str]:
    """Expand folders into the files that can be read, keep files and ``-``.

    Raises:
        SourceError: A name does not exist, or a folder holds nothing that can be read.
    """
    return find_files(names, [suffix for reader in READERS.values() for suffix in reader.SUFFIXES])


def open_source(name: str, *, format: str | None = None, fields: Mapping[str, str] = _NONE) -> Source:
    """Open a file or standard input.

    Args:
        name: A path, or ``-``.
        format: One of the keys of `READERS`; chosen by the content where None.
        fields: Values for the records that lack them, by the names in `DEFAULTS`, as text.

    Returns:
        The source; one without any text has no entries.

    Raises:
        UsageError: There is no such format or field, or a year is none.
        SourceError: It cannot be read, is no text, or is not in the format as a whole.
    """
    if format is not None and format not in READERS:
        raise UsageError(f"There is no format {format!r}. Choose one of {', '.join(sorted(READERS))}.")
    defaults = _parse_defaults(fields)
    content = open_content(name)
    chosen = format or next((key for key, reader in READERS.items() if reader.recognises(content.head, name)))
    reading = READERS[chosen].read(content)
    entries = (_fill(entry, defaults) for entry in reading.entries) if defaults else reading.entries
    return Source(name, chosen, reading.declared, entries, content.encoding.warnings)


def _parse_defaults(fields: Mapping[str, str]) -> dict[str, Any]:
    unknown = [key for key in fields if key not in DEFAULTS]
    if unknown:
        raise UsageError(f"There is no field {unknown[0]!r} to set. Choose one of {', '.join(DEFAULTS)}.")
    parsed = make_record({"abstract": "any", **fields}, where="")
    defaults = {key: getattr(parsed, key) for key in fields}
    wrong = [key for key, value in defaults.items() if not value]
    if wrong:
        raise UsageError(f"{fields[wrong[0]]!r} cannot be the {wrong[0]} of a paper. Write it like {_EXAMPLES[wrong[0]]}.")
    return defaults


def _fill(entry: Record | Skipped, defaults: Mapping[str, Any]) -> Record | Skipped:
    """Set the defaults that a record lacks."""
    if isinstance(entry, Skipped):
        return entry
    lacking = {key: value for key, value in defaults.items() if not getattr(entry, key)}
    return replace(entry, **lacking) if lacking else entry
