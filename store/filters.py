"""Filters: 'year>=2025', 'venue=NeurIPS', 'author~Smith' as conditions over the catalogue; several are joined by AND."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.catalogue import Catalogue
from store.database import folded
from store.errors import UsageError

_COLUMN = {
    "id": "id", "title": "title", "author": "authors", "authors": "authors", "venue": "venue", "year": "year", "url": "url",
    "doi": "doi", "keyword": "keywords", "keywords": "keywords", "decision": "decision", "track": "track", "source": "source",
    "flag": "flags",
}  # fmt: skip
_LISTS = {"authors", "keywords", "flags"}
_FILTER = re.compile(r"\s*([A-Za-z]+)\s*(>=|<=|!=|=|~|>|<)\s*(.*?)\s*", re.DOTALL)
Condition = tuple[str, list[str | int]]


def filtered_rows(catalogue: Catalogue, filters: Sequence[str]) -> list[int] | None:
    """Rows of the papers that meet every filter; None if there is no filter.

    ``=`` compares whole values and ``~`` parts of them, both without regard to case; ``!=`` is what ``=`` is not. A list
    (authors, keywords) matches if one of its items does. ``<`` and the like compare years.

    Raises:
        UsageError: A filter cannot be read, or names a field that no paper has; the text lists the fields there are.
    """
    if not filters:
        return None
    conditions = [_condition(catalogue, text) for text in filters]
    sql = " AND ".join(condition for condition, _ in conditions)
    return catalogue.rows(sql, [value for _, values in conditions for value in values])


def fields(catalogue: Catalogue) -> list[str]:
    """Names of the fields that at least one paper has, for filters."""
    names = {column: name for name, column in reversed(_COLUMN.items())}  # the first name of each
    test = "SELECT 1 FROM papers WHERE {0} IS NOT NULL AND {0} NOT IN ('', '[]') LIMIT 1"
    return [names[column] for column in dict.fromkeys(_COLUMN.values()) if catalogue.select(test.format(column))]


def _condition(catalogue: Catalogue, text: str) -> Condition:
    match = _FILTER.fullmatch(text)
    if not match:
        raise UsageError(f"The filter {text!r} cannot be read. Write it like 'year>=2025', 'venue=NeurIPS' or 'author~Smith'.")
    name, operator, value = match.groups()
    column = _COLUMN.get(name.lower())
    known = fields(catalogue)
    if column is None or not any(_COLUMN[other] == column for other in known):
        choices = ", ".join(known) or "none, there are no papers"
        raise UsageError(f"No paper here has a field {name!r}. Fields to filter by: {choices}.")
    if operator in ("<", ">", "<=", ">=") or column == "year":
        return _compared(column, operator, value, text)
    return _worded(column, operator, value)


def _compared(column: str, operator: str, value: str, text: str) -> Condition:
    if column != "year" or operator == "~":
        raise UsageError(f"The filter {text!r} compares what is no number. Only the year can be compared: 'year>=2025'.")
    if not re.fullmatch(r"\d{1,4}", value):
        raise UsageError(f"The filter {text!r} needs a year, as in 'year>=2025'.")
    return f"year {'IS NOT' if operator == '!=' else operator} ?", [int(value)]


def _worded(column: str, operator: str, value: str) -> Condition:
    test = "instr(folded({}), ?)" if operator == "~" else "folded({}) = ?"
    if column in _LISTS:
        condition = f"EXISTS (SELECT 1 FROM json_each(papers.{column}) WHERE {test.format('json_each.value')})"
    else:
        condition = test.format(f"coalesce({column}, '')")
    return f"NOT ({condition})" if operator == "!=" else condition, [folded(value)]
