"""The names by which people ask for a paper: what it calls its own work, folded as questions are."""

from __future__ import annotations

import re

from store.catalogue import Catalogue
from store.fulltext import STOP_WORDS, words
from store.names import system_names
from store.papers import Paper

_PREFIX = re.compile(r"^(?:the\s+)?([^\s:]{2,30}(?:\s[^\s:]{2,20})?)\s*:\s", re.IGNORECASE)
_LONGEST = 4  # words; longer names are met by search anyway


def own_names(paper: Paper) -> frozenset[str]:
    """The systems and data that a paper introduces by name, and what stands before the colon of its title."""
    found = {name.name for name in system_names(paper.abstract) if name.kind != "idea"}
    prefix = _PREFIX.match(paper.title)
    if prefix:
        found.add(prefix.group(1))
    folded = {" ".join(words(name)) for name in found}
    return frozenset(name for name in folded if name and name not in STOP_WORDS and len(name) > 1)


def possible_names(text: str) -> list[str]:
    """Every run of one to four words of a question, longest first; also without the "s" or "'s" at its end."""
    every = words(text)
    runs = [" ".join(every[at : at + n]) for n in range(_LONGEST, 0, -1) for at in range(len(every) - n + 1)]
    return list(dict.fromkeys([*runs, *(re.sub(r"(?:['’]s|s|['’])$", "", run) for run in runs if len(run) > 3)]))


def named_papers(question: str, catalogue: Catalogue) -> dict[str, list[int]]:
    """The names in a question by which papers call their own work, with their rows; none that lies inside a longer name."""
    bearers = catalogue.bearers(possible_names(question))
    longest: dict[str, list[int]] = {}
    for name in sorted(bearers, key=lambda name: -len(name.split())):
        if not any(f" {name} " in f" {other} " for other in longest):
            longest[name] = bearers[name]
    return longest
