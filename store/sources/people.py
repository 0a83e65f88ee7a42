"""Author lists: the many ways in which sources write them, taken apart into names."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Mapping

_AND = re.compile(r"\s+(?:and|AND|&)\s+")
_PARTICLES = tuple(
    f"{word} " for word in ("van", "von", "de", "da", "del", "della", "der", "di", "du", "la", "le", "ter", "ten", "el", "al")
)


def split_authors(value: object) -> tuple[str, ...]:
    """Take a list of names, or of mappings with a name, or split a text.

    A text is split at semicolons; where it has none, at " and " and, if all pieces between commas have the look of whole names
    ("Ada Byron, Kurt Gödel"), at commas. "Byron, Ada and Gödel, Kurt" is two names.

    Returns:
        The names in order; empty where there is none.
    """
    if isinstance(value, str):
        value = _split_text(value)
    if not isinstance(value, list | tuple):
        return ()
    names = [_name_of(item) for item in value]
    return tuple(name for name in names if name)


def _name_of(item: object) -> str:
    if isinstance(item, Mapping):
        whole = next((item[key] for key in ("name", "fullname", "full_name", "display_name") if item.get(key)), None)
        parts = (item.get("given") or item.get("first"), item.get("family") or item.get("last"))
        item = whole or " ".join(str(part) for part in parts if part)
    return item.strip() if isinstance(item, str) else ""


def _split_text(text: str) -> list[object]:
    text = html.unescape(text).replace("\xa0", " ").strip()  # "Ada Byron,&nbsp;Kurt Gödel" on proceedings sites
    if text.startswith("[") and text.endswith("]"):
        return read_written_list(text)
    if ";" in text:
        return list(text.split(";"))
    names: list[object] = []
    for part in _AND.split(text):
        pieces = [piece.strip() for piece in part.strip(" ,").split(",")]
        names.extend(pieces if _are_whole_names(pieces) else [", ".join(pieces)])
    return names


def read_written_list(text: str) -> list[object]:
    """Read a list that pandas wrote into the cell of a table: ``['Ada Byron', 'Kurt Gödel']``."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return [name.strip(" '\"") for name in text[1:-1].split(",")]
    return value if isinstance(value, list) else []


def _are_whole_names(pieces: list[str]) -> bool:
    """Whether "A, B" is two names: each has two words at least, and it is not a surname with a particle, "van Dyk, David A."."""
    if any(" " not in piece for piece in pieces):
        return False
    return len(pieces) != 2 or not pieces[0].lower().startswith(_PARTICLES)
