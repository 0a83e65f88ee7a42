"""Papers that a question calls by name, and names that several papers share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from store.fulltext import words
from store.names import system_names
from store.papers import Paper

_PREFIX = re.compile(r"^(?:the\s+)?([^\s:]{2,30}(?:\s[^\s:]{2,20})?)\s*:\s")


def own_names(paper: Paper) -> set[str]:
    """What a paper calls its own work, as `words` would give it: from its abstract, and before the colon of its title."""
    found = {name.name for name in system_names(paper.abstract) if name.kind != "idea"}
    prefix = _PREFIX.match(paper.title)
    if prefix:
        found.add(prefix.group(1))
    return {" ".join(words(name)) for name in found} - {""}


def papers_by_name(question: str, papers: Mapping[int, Paper]) -> dict[str, list[int]]:
    """The names in a question that papers found for it call their own work by, each with the rows of those papers, in order."""
    asked = words(question)
    text = f" {' '.join(asked)} "
    named: dict[str, list[int]] = {}
    for row, paper in papers.items():
        for name in own_names(paper):
            if f" {name} " in text or f" {name}s " in text:
                named.setdefault(name, []).append(row)
    return named


def without_names(question: str, names: Sequence[str]) -> str:
    """The question's words without those names; blank if nothing else was asked."""
    text = f" {' '.join(words(question))} "
    for name in names:
        text = text.replace(f" {name} ", " ")
    return text.strip()


def tells_apart(question: str, name: str) -> bool:
    """Whether a question says which bearer of a name it means: "the video PanoWorld", "the PanoWorld that ...", "SAM for images"."""
    text = " ".join(words(question))
    quoted = re.escape(name)
    before = rf"\bthe (?:(?!{quoted}\b)[\w-]+ ){{1,4}}{quoted}\b(?! (?:paper|work|abstract)\b)"
    after = rf"\b{quoted}(?:s)? (?:that|which|who|for|from|about|of|with|where|whose|on|in the sense)\b"
    return bool(re.search(before, text) or re.search(after, text) or re.search(r"\bnot the \w+(?: \w+)? one\b|\bthe one\b", text))
