"""JSON lines: one JSON object a line, in the manner of BEIR, arXiv snapshots and crawlers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from store.papers import Record, Skipped
from store.sources.content import MAX_LINE, Content
from store.sources.fields import NAMES, SHOWN, fold_name, make_record
from store.sources.reading import Reading

SUFFIXES = (".jsonl", ".ndjson")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[\[\]{}]')


def recognises(head: str, name: str, /) -> bool:
    """Whether one of the first two lines is an object by itself, and not an only one that wraps a list of records."""
    if not re.match(r'\s*\{\s*["}]', head):
        return False
    lines = [line for line in head.split("\n") if line.strip()][:2]
    objects = [value for line in lines if (value := parse_object(line)) is not None]
    if objects:
        return len(lines) > 1 or not wraps_records(objects[0])
    if "\n" in head.strip():
        return name.lower().removesuffix(".gz").endswith(SUFFIXES)
    return _depth_of_abstract(head) == 1  # a first line longer than the head


def read(content: Content) -> Reading:
    """Read one record a line; a line that is none is skipped and reading goes on. Blank lines do not count."""
    return Reading(_read_lines(content))


def parse_object(text: str) -> dict[str, object] | None:
    """Parse one JSON object; None where the text is no JSON, no object, or nested too deeply."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_record(value: dict[str, object]) -> bool:
    """Whether an object has a text under one of the names of an abstract."""
    return any(isinstance(item, str) and fold_name(name) in NAMES["abstract"] for name, item in value.items())


def wraps_records(value: dict[str, object]) -> bool:
    """Whether an object holds records rather than being one: ``{"papers": [{…}, …], "count": 2}``."""
    return not is_record(value) and any(isinstance(item, list) and item and isinstance(item[0], dict) for item in value.values())


def _read_lines(content: Content) -> Iterator[Record | Skipped]:
    for number, line in enumerate(content.lines(), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        if len(line) >= MAX_LINE:
            yield Skipped(where, "too long", line[:SHOWN])
        elif (value := parse_object(line)) is None:
            yield Skipped(where, "not a record", line.strip()[:SHOWN])
        else:
            yield make_record(value, where=where)


def _depth_of_abstract(head: str) -> int | None:
    """How many brackets are open around the first key that names an abstract; None where there is no such key."""
    depth = 0
    for token in _TOKEN.finditer(head):
        if token.group()[0] != '"':
            depth += 1 if token.group() in "[{" else -1
        elif token.group(2) and fold_name(token.group(1)) in NAMES["abstract"]:
            return depth
    return None
