"""Terms as the full-text index sees them: folded, stemmed words, and in how many papers each occurs."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import Stemmer

from store.fulltext import content_words
from store.readable import search_text

if TYPE_CHECKING:
    from store.catalogue import Catalogue  # brings numpy, which terms do without

_WORD = re.compile(r"[^\W_]+")
_PORTER = Stemmer.Stemmer("porter", 0)
# Where FTS5's `porter` tokenizer differs from Porter's paper: "-logi" and "-bli" after a vowel and a consonant lose their "i".
_LOGI_OR_BLI = re.compile(r"^(.*[aeiouy][^aeiou].*?)(log|bl)(?:y|i|ies)$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The term of one word: case and accents folded, then Porter's stem, as FTS5's `porter` tokenizer has it."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    if len(plain.encode("utf-8", "replace")) < 3:
        return plain
    regular = _LOGI_OR_BLI.sub(lambda m: m.group(1) + {"log": "log", "bl": "ble"}[m.group(2)], plain)
    return str(_PORTER.stemWord(regular))


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
    sql = "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"  # a list may be longer than 32,766
    found = dict(catalogue.select(sql, (json.dumps(names),)))
    return {name: int(found.get(name, 0)) for name in names}


def idf(frequency: int, papers: int) -> float:
    """Inverse document frequency, smoothed and never negative (Robertson and Spärck Jones, 1976, as BM25 uses it, plus 1)."""
    return math.log(1 + (papers - frequency + 0.5) / (frequency + 0.5))
