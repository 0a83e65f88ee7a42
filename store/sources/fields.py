"""From the loose values of one entry, whatever a source calls them, to a record."""

from __future__ import annotations

import re
from collections.abc import Mapping

from store.papers import Record, Skipped
from store.sources.cut_off import ends_inside_a_sentence
from store.sources.people import read_written_list, split_authors

MAX_ABSTRACT = 200_000  # characters; the longest real one met has 16,262
SHOWN = 200  # characters of a skipped piece that are shown

# Names of a value, the best first, folded by `fold_name`. Seen in exports of papercopilot, arXiv, Semantic Scholar, virtual
# conference sites, Zotero, Scopus, Embase, ASReview and BEIR.
NAMES: dict[str, tuple[str, ...]] = {
    "abstract": ("abstract", "abstracttext", "paperabstract", "abstractnote", "summary", "text", "description"),
    "title": ("title", "papertitle", "articletitle", "documenttitle", "primarytitle", "originaltitle", "name"),
    "authors": ("authors", "author", "authornames", "authorlist", "authorfullnames", "firstauthors", "creators"),
    "year": ("year", "publicationyear", "pubyear", "yearpublished", "publicationdate", "date", "published"),
    "venue": ("venue", "conference", "journal", "booktitle", "publicationtitle", "sourcetitle", "containertitle", "journalref"),
    "url": ("url", "link", "paperurl", "openurllink", "urls", "site", "abs", "virtualsiteurl", "pdf", "pdfurl"),
    "doi": ("doi", "digitalobjectidentifier"),
    "keywords": ("keywords", "keyword", "authorkeywords", "tags", "subjects"),
    "id": ("id", "paperid", "docid", "uid", "recordid", "arxivid", "arxiv", "pmid"),
    "decision": ("decision", "status", "presentationtype", "accepttype", "eventtype"),
    "track": ("track",),
}
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def fold_name(name: str) -> str:
    """Fold a name of a field so that ``Publication Year``, ``publication_year`` and ``publicationYear`` are one."""
    return re.sub(r"[\W_]+", "", name).lower()


def make_record(values: Mapping[str, object], *, where: str) -> Record | Skipped:
    r"""Make a record of the values of one entry.

    Args:
        values: By the name that the source gives them; a mapping under ``metadata`` fills what is missing beside it.
        where: The place of the entry in its source.

    Returns:
        The record, or ``no abstract`` or ``too long``. Text is kept exactly as read, but for surrounding white space and for
        lone surrogates (``"\ud800"`` in JSON), which cannot be stored and become U+FFFD.
    """
    found = _fold(values)
    abstract = _first_text(found, "abstract")
    if abstract is None:
        return Skipped(where, "no abstract", (_first_text(found, "title") or _first_text(found, "id") or "")[:SHOWN])
    if len(abstract) > MAX_ABSTRACT:
        return Skipped(where, "too long", abstract[:SHOWN])
    return Record(
        abstract=abstract,
        where=where,
        id=_first_text(found, "id"),
        title=_first_text(found, "title"),
        authors=next((tuple(map(_storable, names)) for value in _all(found, "authors") if (names := split_authors(value))), ()),
        venue=_first_text(found, "venue"),
        year=next((year for value in _all(found, "year") if (year := parse_year(value))), None),
        url=next((url for value in _all(found, "url") if (url := _as_text(value)) and re.match(r"\S*[./]\S*$", url)), None),
        doi=_first_text(found, "doi"),
        keywords=next((words for value in _all(found, "keywords") if (words := split_keywords(value))), ()),
        decision=_first_text(found, "decision"),
        track=_first_text(found, "track"),
        flags=("cut_off",) if ends_inside_a_sentence(abstract) else (),
    )


def parse_year(value: object) -> int | None:
    """Find a year from 1000 to 2999 in ``2024``, ``2024.0``, ``"2024-05-01"`` or ``"May 2024"``."""
    found = _YEAR.search(_as_text(value) or "")
    return int(found.group()) if found else None


def split_keywords(value: object) -> tuple[str, ...]:
    """Take a list, or split a text at its semicolons, or at its commas where it has none."""
    if isinstance(value, str) and value.strip().startswith("["):
        value = read_written_list(value.strip())
    if isinstance(value, list | tuple):
        words = [_as_text(item.get("name") or item.get("keyword") if isinstance(item, Mapping) else item) for item in value]
    else:
        text = _as_text(value) or ""
        words = [word.strip() for word in text.split(";" if ";" in text else ",")]
    return tuple(dict.fromkeys(word for word in words if word))


def _fold(values: Mapping[str, object]) -> dict[str, object]:
    folded: dict[str, object] = {}
    metadata = values.get("metadata")
    for part in (values, metadata if isinstance(metadata, Mapping) else {}):
        for name, value in part.items():
            if _is_something(value):
                folded.setdefault(fold_name(str(name)), value)
    return folded


def _is_something(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value not in (None, [], {})


def _all(found: Mapping[str, object], field: str) -> list[object]:
    return [found[name] for name in NAMES[field] if name in found]


def _first_text(found: Mapping[str, object], field: str) -> str | None:
    values = _all(found, field)
    if field == "abstract":  # a number is no abstract
        values = [value for value in values if isinstance(value, str)]
    return next((text for value in values if (text := _as_text(value))), None)


def _as_text(value: object) -> str | None:
    """A text or a number as text, without surrounding white space; None for anything else and for nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return _storable(str(value).strip()) or None


def _storable(text: str) -> str:
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
