"""The lexical leg: BM25 over FTS5, for any text a user may type."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from store.readable import search_text

if TYPE_CHECKING:
    from store.catalogue import Catalogue  # brings numpy, which terms do without

STOP_WORDS = frozenset(
    (
        "a about above after again against all also am an and any are as at be because been before being below between "
        "both but by can could did do does doing done down during each else ever few for from further get gets give given "
        "gives go had has have having he her here hers him his how i if in into is it its itself just let like made make "
        "makes many may me might more most much must my no nor not now of off on once one only or other our ours out over "
        "own per please same say says she should since so some such tell than that the their theirs them then there these "
        "they this those through to too under until up upon us use used uses using very was we were what when where "
        "whether which while who whom whose why will with within without would you your yours"
    ).split()
)
# Left out of BM25: Lucene's English list and the words that ask. The longer list above costs 0.003 nDCG@10 on SciFact.
NOT_SEARCHED = frozenset(
    (
        "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
        "to was will with what which who whom whose how when where why does do did can could should would has have had "
        "been from"
    ).split()
)
_WORD = re.compile(r"\w+(?:[-'’.+#/]\w+)*(?:\+\+|#)?")


def words(text: str) -> list[str]:
    """Words as typed, compounds whole ("GPT-4", "C++", "Wan 2.1" as two), lower case, in order, repeats kept."""
    return [word.casefold() for word in _WORD.findall(search_text(text))]


def content_words(text: str) -> list[str]:
    """`words` without stop words; if nothing else is there, the stop words."""
    every = words(text)
    return [word for word in every if word not in STOP_WORDS] or every


def searched_words(text: str) -> list[str]:
    """The parts of words that BM25 looks for, each once; if stop words are all there is, those."""
    parts = list(dict.fromkeys(part for word in words(text) for part in re.findall(r"[^\W_]+", word)))
    return [part for part in parts if part not in NOT_SEARCHED] or parts


def match_expression(parts: Sequence[str]) -> str:
    """An FTS5 query that finds any of these words; blank if there are none. Every string is safe: all words are quoted."""
    return " OR ".join(f'"{part}"' for part in parts)


def bm25(
    catalogue: Catalogue, expression: str, *, title_weight: float, limit: int, rows: Sequence[int] | None = None
) -> dict[int, float]:
    """BM25 scores (k1 = 1.2, b = 0.75, as FTS5 has them) of the best papers, higher is better.

    Args:
        expression: From `match_expression`; blank finds nothing.
        title_weight: How often a word of the title counts.
        rows: Only these papers, if given.
    """
    if not expression or (rows is not None and not len(rows)):
        return {}
    within = " AND +rowid IN (SELECT value FROM json_each(?))" if rows is not None else ""
    values = (expression, limit) if rows is None else (expression, json.dumps([int(row) for row in rows]), limit)
    score = f"bm25(fulltext, {float(title_weight)}, 1.0)"
    sql = f"SELECT rowid, -{score} FROM fulltext WHERE fulltext MATCH ?{within} ORDER BY {score} LIMIT ?"
    return dict(catalogue.select(sql, values))
