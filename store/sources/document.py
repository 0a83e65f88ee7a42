"""One JSON document: a list of records, an object that wraps one, or records by their ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from store.errors import SourceError
from store.papers import Record, Skipped
from store.sources.content import Content
from store.sources.fields import SHOWN, make_record
from store.sources.jsonl import is_record
from store.sources.reading import Reading

SUFFIXES = (".json",)
MAX_SIZE = 200_000_000  # bytes: a document is parsed whole, in about three times its size
_WRAPPERS = ("papers", "results", "records", "notes", "articles", "items", "documents", "abstracts", "entries", "data")
_ADVICE = "Write it as JSON lines, one record a line."
_COUNTS = ("count", "total", "total_count", "totalCount", "numFound", "num_papers")


def recognises(head: str, _name: str, /) -> bool:
    r"""Whether the text begins as an object or a list of objects does. "[1] We study …" and "{\em We} study …" do not."""
    return bool(re.match(r'\s*(?:\{\s*["}]|\[\s*[{\]])', head))


def read(content: Content) -> Reading:
    """Read the whole document, then give its records one by one.

    Raises:
        SourceError: It is larger than `MAX_SIZE`, no valid JSON, or holds no list of records.
    """
    if content.size > MAX_SIZE:
        limit = f"{MAX_SIZE // 1_000_000} MB"
        raise SourceError(f"{content.shown} is one JSON document of more than {limit}. {_ADVICE}")
    try:
        value = json.loads(content.whole())
    except RecursionError as error:
        raise SourceError(f"{content.shown} is JSON nested too deeply. {_ADVICE}") from error
    except ValueError as error:
        advice = "Correct it, or use --format jsonl to read it line by line."
        raise SourceError(f"{content.shown} is not valid JSON ({error}). {advice}") from error
    records, declared = _find_records(value)
    if records is None:
        raise SourceError(f'{content.shown} is JSON without a list of records. Write it as [{{"title": …, "abstract": …}}, …].')
    return Reading(_read_records(records), declared)


def _find_records(value: object) -> tuple[list[object] | None, int | None]:
    """The records of a document, and how many it says there are."""
    if isinstance(value, list):
        return value, None
    if not isinstance(value, dict):
        return None, None
    if is_record(value):
        return [value], None
    declared = next((value[name] for name in _COUNTS if type(value.get(name)) is int), None)
    lists = [value[name] for name in (*_WRAPPERS, *value) if isinstance(value.get(name), list)]
    if lists:
        return next((records for records in lists if any(isinstance(item, dict) for item in records)), lists[0]), declared
    return _records_by_id(value), declared


def _records_by_id(value: Mapping[str, object]) -> list[object] | None:
    """``{"paper7": {"abstract": …}, …}``: the key is the id of a record that has none."""
    records = [{"id": key, **item} for key, item in value.items() if isinstance(item, dict) and is_record(item)]
    return list(records) or None


def _read_records(records: list[object]) -> Iterator[Record | Skipped]:
    for number, value in enumerate(records, start=1):
        where = f"record {number}"
        if isinstance(value, Mapping):
            yield make_record(value, where=where)
        else:
            yield Skipped(where, "not a record", json.dumps(value, ensure_ascii=False)[:SHOWN])
