"""What a line of a paste looks like: a heading, a title, authors, the label of a section."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.sources.people import split_authors

TOO_SHORT = 8  # words; a piece with fewer is no abstract
_TITLE_WORDS = 25  # of 21,295 titles of ML papers, one has more
_TITLE_LENGTH = 250
# Thai, Lao, Japanese, Chinese: two letters count as a word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}")
_MARKS = re.compile(r"^\s*(#{1,6}\s+)?(?:\*\*|__)?(?:[(\[]?\d{1,4}[.)\]]\s+)?(?:\*\*|__)?(.*?)(?:\*\*|__)?\s*#*\s*$", re.DOTALL)
_COLLECTION = r"(?:papers|abstracts|proceedings|posters|orals|spotlights|submissions|publications|articles|preprints)"
_HEADING = re.compile(
    rf"""
    (?=.*\b(?:19|20)\d\d\b)(?:.*\b{_COLLECTION}\b|.*\baccepted\b).*           # NeurIPS 2026 Papers
  | (?:\w+[ ]){{0,4}}{_COLLECTION}(?:\s*\(\d+\))?:?                           # List of accepted papers
  | (?:(?:oral|poster|spotlight)\s+)?(?:session|track|part|day|section|topic)\s+(?:\d+[a-z]?|[ivx]+|[a-z])\b.* # Session 3: Vision
  | (?:abstract|paper|submission|poster)\s*(?:no\.?\s*|\#\s*)?\d+\s*[:.]?      # Abstract 12
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# What a title does not say, and the first line of an abstract often does.
_PROSE = re.compile(
    r"^We [a-z]|[,;:] we\b|^This (?:paper|work|study|article|thesis)\b|\b[Ii]n this (?:paper|work|study)\b|[a-z)]{3}\. [A-Z]"
)
_NAME = re.compile(r"[^\W\d_a-z][\w'’.-]*|van|von|de|da|del|der|den|di|du|la|le|bin|al|el|ter|ten")
_SECTIONS = r"""
    background introduction context motivation importance rationale objectives? aims? purpose hypothesis design setting
    participants patients interventions? methods? methodology approach measurements results? findings conclusions? discussion
    interpretation significance limitations contact funding materials?\sand\smethods methods\sand\sresults
    main\soutcomes?(?:\sand|\smeasures?)* availability(?:\sand\simplementation)? supplementary\sinformation trial\sregistration
"""
# "Methods:", "METHODS.", "**Methods.**", and "METHODS We", which PubMed has.
_SECTION = re.compile(
    rf"\s*(?:\*\*|__)?({'|'.join(_SECTIONS.split())})(?:\s*[:.]?(?:\*\*|__)|\s*:|\.(?=\s)|(?-i:(?<=[A-Z]{{4}})(?=\s+[A-Z])))",
    re.IGNORECASE,
)
_OPENS = re.compile(r"background|introduction|context|motivation|importance|rationale")
_NEVER_OPENS = re.compile(r"(?:material.*)?method|result|finding|conclusion|discussion|interpretation|limitation|availability")
_ALL_PARTS = 3  # labels in one paragraph: an abstract of its own


def count_words(text: str) -> int:
    """Count words; in scripts without spaces, two letters are one."""
    if text.isascii():
        return len(text.split())
    return len(_UNSPACED.sub("", text).split()) + len(_UNSPACED.findall(text))


def without_marks(line: str) -> str:
    """Take a Markdown heading mark, bold type and a leading number off a title or a heading."""
    found = _MARKS.match(line)
    return found.group(2).strip() if found else line.strip()


def is_short(lines: Sequence[str], *, stops: bool = False) -> bool:
    """Whether a piece may be a title or a heading: few lines, no prose, and no full stop at its end unless `stops`."""
    text = "".join(lines).strip()
    if len(text) > _TITLE_LENGTH or len(lines) > 3 or count_words(text) > _TITLE_WORDS:
        return False
    if text.startswith("#") or (text.startswith("**") and text.endswith("**")):
        return True
    return (stops or text[-1:] not in ".。;,…") and not _PROSE.search(text) and any(c.isalpha() for c in text)


def is_heading(line: str) -> bool:
    """Whether a line names a collection or a part of one, and so is no title: "NeurIPS 2026 Papers", "Session 3: Vision"."""
    text = without_marks(line)
    return count_words(text) <= 12 and bool(_HEADING.fullmatch(text))


def is_title_case(line: str) -> bool:
    """Whether most of the longer words begin with a capital."""
    words = [word for word in re.findall(r"[^\W\d_][\w-]*", line) if len(word) > 3]
    return len(words) > 1 and sum(word[0].isupper() for word in words) >= 0.7 * len(words)


def are_authors(line: str) -> bool:
    """Whether a line is nothing but two or more names, separated by commas, semicolons or "and"."""
    text = " ".join(line.split())
    if len(text) > 2000 or text.endswith((":", "?", "!")):
        return False
    names = [re.sub(r"[*†‡§¶\d]+", "", name).strip(" ,") for name in split_authors(text.removesuffix("."))]
    return len(names) > 1 and all(
        2 <= len(name.split()) <= 5 and all(_NAME.fullmatch(word) for word in name.split()) for name in names
    )


def section_label(text: str) -> str | None:
    """Return the label with which a part of a structured abstract begins, in lower case: ``method`` of "Methods: We …"."""
    found = _SECTION.match(text)
    return found.group(1).lower().removesuffix("s") if found else None


def section_labels(text: str) -> list[str]:
    """All labels of the parts in a text, at its beginning and after its sentences, in order."""
    labels = [section_label(text), *(section_label(text[end.end() :]) for end in re.finditer(r"[.?!)\n]\s+(?=[A-Z*_])", text))]
    return [label for label in labels if label]


def continues(text: str, earlier: Sequence[str]) -> bool:
    """Whether a paragraph is a part of the structured abstract above it.

    It begins with the label of a part, and has no label that is there already: else it is the next abstract.

    Args:
        text: The paragraph.
        earlier: The labels above, as `section_labels` gives them.
    """
    labels = section_labels(text)
    if not section_label(text) or _OPENS.match(labels[0]) or set(labels) & set(earlier):
        return False
    return bool(earlier) or (bool(_NEVER_OPENS.match(labels[0])) and len(labels) < _ALL_PARTS)
