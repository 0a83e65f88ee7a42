"""Terms as the full-text index sees them: folded, stemmed words, and in how many papers each occurs."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import Stemmer

from store.catalogue import Catalogue
from store.fulltext import content_words
from store.readable import search_text

_WORD = re.compile(r"[^\W_]+")
_PORTER = Stemmer.Stemmer("porter", 0)  # the algorithm that FTS5's `porter` tokenizer runs


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The term of one word: case and accents folded, then Porter's stem."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    return str(_PORTER.stemWord(plain))


def terms(text: str) -> list[str]:
    """Every word of a text as a term, in order."""
    return [stem(word) for word in _WORD.findall(search_text(text))]


def query_terms(text: str) -> dict[str, str]:
    """The content terms of a question, each with the word it was typed as; a compound gives its parts."""
    found: dict[str, str] = {}
    for word in content_words(text):
        for part in _WORD.findall(word):
            found.setdefault(stem(part), part)
    return found


def document_frequencies(catalogue: Catalogue, wanted: Iterable[str]) -> dict[str, int]:
    """In how many papers each term occurs; 0 for those that occur in none."""
    names = list(dict.fromkeys(wanted))
    marks = ", ".join("?" * len(names))
    found = dict(catalogue.select(f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})", names)) if names else {}
    return {name: int(found.get(name, 0)) for name in names}


def idf(frequency: int, papers: int) -> float:
    """Inverse document frequency, smoothed and never negative (Robertson and Spärck Jones, 1976, as BM25 uses it, plus 1)."""
    return math.log(1 + (papers - frequency + 0.5) / (frequency + 0.5))
