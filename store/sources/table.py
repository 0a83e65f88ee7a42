"""Tables with a header line: values separated by commas, tabs or semicolons, quoted where they need it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from store.errors import SourceError
from store.papers import Record, Skipped
from store.sources.content import Content
from store.sources.fields import NAMES, SHOWN, fold_name, make_record
from store.sources.reading import Reading

SUFFIXES = (".csv", ".tsv")
_DELIMITERS = (",", "\t", ";", "|")
_KNOWN = frozenset(name for names in NAMES.values() for name in names)
_MAX_CELL = 1_000_000  # characters; a quote that is never closed swallows no more than this
_LOOKED_AT = 10  # rows


def recognises(head: str, name: str, /) -> bool:
    """Whether a header with the column of an abstract comes first, and the rows below are as wide as it is.

    A column alone is a table only where its cells are quoted or the name says so: a paste may begin with the line "Abstract".
    """
    delimiter = find_delimiter(head)
    if delimiter is None:
        return False
    columns, *widths = _widths(head.lstrip(), delimiter)
    if columns == 1:
        return name.lower().removesuffix(".gz").endswith(SUFFIXES) or head.lstrip().partition("\n")[2].startswith('"')
    if _count_known(_first_line(head), delimiter) == columns:
        return not widths or max(widths) > 1
    return not widths or sum(width == columns for width in widths) * 2 > len(widths)


def read(content: Content) -> Reading:
    """Read one record a row; the header is row 1, as a spreadsheet counts.

    Raises:
        SourceError: No column of the header is known as one of abstracts.
    """
    if not content.head.strip():
        return Reading(iter(()))
    delimiter = find_delimiter(content.head)
    if delimiter is None:
        choices = ", ".join(NAMES["abstract"])
        raise SourceError(f"{content.shown} has no column of abstracts. Name one of its columns {choices}.")
    return Reading(_read_rows(content, delimiter))


def find_delimiter(head: str) -> str | None:
    """The delimiter with which the first line has a column of abstracts, and the most columns of known names; None if none."""
    counts = {delimiter: _count_known(_first_line(head), delimiter) for delimiter in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda delimiter: counts[delimiter])
    return best if counts[best] else None


def _first_line(head: str) -> str:
    return re.split(r"[\r\n]", head.lstrip(), maxsplit=1)[0]


def _count_known(line: str, delimiter: str) -> int:
    names = [fold_name(name) for name in next(_parse([line], delimiter), [])]
    return sum(name in _KNOWN for name in names) if set(names) & set(NAMES["abstract"]) else 0


def _widths(head: str, delimiter: str) -> list[int]:
    """How many cells the first rows have, the header first."""
    rows = _parse([line + "\n" for line in head.split("\n")], delimiter)
    try:
        return [len(row) for row in islice(rows, _LOOKED_AT) if row]
    except csv.Error:
        return [len(next(_parse([_first_line(head)], delimiter)))]


def _read_rows(content: Content, delimiter: str) -> Iterator[Record | Skipped]:
    spaced = bool(re.search(rf'{re.escape(delimiter)} +"', content.head))  # "A", "We show …"
    rows = _parse(content.lines(), delimiter, spaced=spaced)
    header: list[str] = []
    number = 0
    while True:
        number += 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            reason = "too long" if "limit" in str(error) else "not a record"
            yield Skipped(f"row {number}", reason, str(error)[:SHOWN])
            continue
        if not any(cell.strip() for cell in row):
            continue
        if header:
            yield _read_row(header, row, where=f"row {number}", delimiter=delimiter)
        header = header or row


def _read_row(header: Sequence[str], row: list[str], *, where: str, delimiter: str) -> Record | Skipped:
    """Read a row; one that is wider than the header has an unquoted delimiter, which is healed where the abstract comes last."""
    if any(cell.strip() for cell in row[len(header) :]):
        if fold_name(header[-1]) not in NAMES["abstract"]:
            return Skipped(where, "not a record", delimiter.join(row)[:SHOWN])
        row = [*row[: len(header) - 1], delimiter.join(row[len(header) - 1 :])]
    values: dict[str, object] = {}
    for name, cell in zip(header, row, strict=False):
        values.setdefault(fold_name(name), cell)
    return make_record(values, where=where)


def _parse(lines: Iterable[str], delimiter: str, *, spaced: bool = True) -> Iterator[list[str]]:
    csv.field_size_limit(_MAX_CELL)  # of the process, and 131,072 by default: a long abstract with its references is longer
    # A line that was cut at MAX_LINE holds a cell over the limit, so it is reported, not read in part.
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=spaced)
