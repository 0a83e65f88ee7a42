"""What a paper is: the record a reader found, and the paper the library keeps."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of a source, every field exactly as read; not yet a paper, since it may lack an id and a title.

    Attributes:
        abstract: Exactly as read: Unicode, LaTeX and line breaks untouched. Never blank.
        where: Its place in the source, for people: ``line 3``, ``record 12``, ``row 7``.
        id: The source's own id, or None.
        title: The source's own title, or None.
        year: Four digits, or None.
        flags: What a reader noticed: ``cut_off`` (the text stops inside a sentence).
    """

    abstract: str
    where: str
    id: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    url: str | None = None
    doi: str | None = None
    keywords: tuple[str, ...] = ()
    decision: str | None = None
    track: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A piece of a source that gave no paper.

    Attributes:
        where: Its place in the source, for people.
        reason: One of ``heading``, ``no abstract``, ``not a record``, ``too long``, ``too short``.
        text: The piece itself, at most 200 characters.
    """

    where: str
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One paper of a library. ``abstract`` is exactly as read; every offset anywhere counts its characters.

    Attributes:
        title: Never blank: the source's, or one inferred from the abstract, then ``title_inferred`` is true.
        source: The name of the source it came from.
    """

    id: str
    title: str
    abstract: str
    title_inferred: bool = False
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    url: str | None = None
    doi: str | None = None
    keywords: tuple[str, ...] = ()
    decision: str | None = None
    track: str | None = None
    source: str = ""
    flags: tuple[str, ...] = field(default=())


def paper_id(abstract: str) -> str:
    """The id of a paper whose source gives none: ten hex digits of its text, the same wherever the same text is pasted.

    White space does not count, so that wrapped and unwrapped copies are one paper. Ten digits clash once in a million
    libraries of 1,000 papers.
    """
    return hashlib.sha256(" ".join(abstract.split()).encode("utf-8", "surrogatepass")).hexdigest()[:10]
