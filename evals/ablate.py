"""What each part of the ranking is worth: nDCG@10 over public collections, every setting through the product's own search.

python -m evals.ablate --collections medline cranfield scifact
python -m evals.ablate --product            # only BM25 and the product as it is
python -m evals.ablate --check scifact      # the same figure from `abstracts search --batch`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evals.benchmarks import (
    COLLECTIONS,
    Collection,
    Mean,
    add_arguments,
    json_lines,
    load_collection,
    markdown,
    mean,
    ndcg_at_10,
    open_library,
)
from store.catalogue import Vectors
from store.embeddings.base import unit
from store.fulltext import bm25, match_expression, searched_words
from store.library import Library
from store.search import Hit, Ranking, Search

DEPTH = 100
_RRF = 60  # k of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)
BASELINE = "BM25 alone, title ×3"
PRODUCT = f"the product: {Ranking().vector} + {Ranking().feedback} feedback + {Ranking().name} names"


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its vector, embedded once for all settings."""

    text: str
    vector: Vectors


Ranker = Callable[[Search, Query], Sequence[int]]
"""Rows, best first."""


# -- references, from the two legs alone -------------------------------------------------------------------------------


def lexical(search: Search, query: Query, *, title_weight: float = 3.0) -> dict[int, float]:
    """BM25 of its first papers, best first."""
    expression = match_expression(searched_words(query.text))
    return bm25(search.library.catalogue, expression, title_weight=title_weight, limit=DEPTH)


def nearest(search: Search, query: Query) -> dict[int, float]:
    """Cosine of the nearest chunk of the first papers by it, best first."""
    rows = np.array(sorted(search.vectors.nearest(query.vector, limit=DEPTH)), np.int64)
    cosines, _ = search.vectors.compare(query.vector, rows)
    return {int(rows[at]): float(cosines[at]) for at in np.argsort(-cosines, kind="stable")}


def by_reciprocal_rank(search: Search, query: Query) -> list[int]:
    """Sum of 1 / (60 + rank) over the two legs."""
    scores: dict[int, float] = {}
    for leg in (lexical(search, query), nearest(search, query)):
        for rank, row in enumerate(leg, 1):
            scores[row] = scores.get(row, 0.0) + 1 / (_RRF + rank)
    return ordered(scores)


def by_min_max(search: Search, query: Query) -> list[int]:
    """Sum of both legs' scores, each stretched to [0, 1] over its first hundred; 0 where a leg missed the paper."""
    scores: dict[int, float] = {}
    for leg in (lexical(search, query), nearest(search, query)):
        low, high = min(leg.values(), default=0.0), max(leg.values(), default=0.0)
        for row, score in leg.items():
            scores[row] = scores.get(row, 0.0) + ((score - low) / (high - low) if high > low else 1.0)
    return ordered(scores)


def ordered(scores: Mapping[int, float]) -> list[int]:
    """Rows by score, best first; ties in the order they were added."""
    return sorted(scores, key=lambda row: (-scores[row], row))


# -- the product, with its constants varied ----------------------------------------------------------------------------


def by_product(search: Search, query: Query) -> list[int]:
    """The product's own ranking."""
    return [hit.row for hit in search.find(query.text, limit=10, vector=query.vector)]


def by_best_sentence(search: Search, query: Query, *, share: float, vector: float = 0.85) -> list[int]:
    """The score without feedback, a share of the chunk's cosine replaced by that of the paper's best sentence."""
    hits = search.find(query.text, limit=4 * DEPTH, vector=query.vector)
    best = _best_sentences(search, hits, query.vector)
    return ordered({hit.row: hit.bm25 + vector * ((1 - share) * hit.cosine + share * best[hit.row]) for hit in hits})


def _best_sentences(search: Search, hits: Sequence[Hit], query: Vectors) -> dict[int, float]:
    vectors = search.library.catalogue.sentence_vectors([hit.row for hit in hits], len(query))
    return {
        hit.row: float((unit(vectors[hit.row].astype(np.float32)) @ query).max()) if hit.row in vectors else hit.cosine
        for hit in hits
    }  # fmt: skip


def settings() -> dict[str, tuple[Ranking, Ranker]]:
    """Every line of the table: its name, the constants of the search, and who ranks. Names count in the last lines only."""
    unnamed = partial(Ranking, title_weight=3.0, vector=0.85, name=0.0)  # whatever the product's own constants are
    plain = partial(unnamed, feedback=0.0)
    table: dict[str, tuple[Ranking, Ranker]] = {
        "BM25 alone, title ×1": (Ranking(), lambda s, q: list(lexical(s, q, title_weight=1.0))),
        BASELINE: (Ranking(), lambda s, q: list(lexical(s, q))),
        "vector alone": (Ranking(), lambda s, q: list(nearest(s, q))),
        "reciprocal rank fusion, k = 60": (Ranking(), by_reciprocal_rank),
        "min-max over the first 100, equal": (Ranking(), by_min_max),
    }
    for weight in (0.7, 0.85, 1.0):
        table[f"BM25 share + {weight} cosine"] = plain(vector=weight), by_product
    table["0.85, title ×1"] = plain(title_weight=1.0), by_product
    for share in (0.25, 0.5):
        table[f"0.85, {share} of it the best sentence's"] = plain(), partial(by_best_sentence, share=share)
    for feedback in (0.3, 0.5):
        table[f"0.85 + {feedback} feedback"] = unnamed(feedback=feedback), by_product
    table["0.85 + 0.3 feedback + 0.1 names"] = unnamed(feedback=0.3, name=0.1), by_product
    table["0.85 + 0.3 feedback + 0.3 names"] = unnamed(feedback=0.3, name=0.3), by_product
    return table | {PRODUCT: (Ranking(), by_product)}


def remember_lexical(library: Library) -> None:
    """Let the catalogue answer a BM25 query that it has answered before from memory: most settings ask the same ones."""
    select, answered = library.catalogue.select, dict[tuple[str, tuple[Any, ...]], list[tuple[Any, ...]]]()

    def remembered(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        if "bm25(" not in sql:
            return select(sql, parameters)
        key = sql, tuple(parameters)
        if key not in answered:
            answered[key] = select(sql, parameters)
        return answered[key]

    setattr(library.catalogue, "select", remembered)  # noqa: B010 — mypy allows no assignment to a method


# -- measuring ---------------------------------------------------------------------------------------------------------


def measure(collection: Collection, library: Library, chosen: Sequence[str]) -> dict[str, dict[str, float]]:
    """nDCG@10 by setting and query, of the settings with the chosen names."""
    remember_lexical(library)
    embedding, catalogue = library.embedding, library.catalogue
    queries = {name: Query(text, embedding.embed_query(text)) for name, text in collection.queries.items()}
    ids = {row: paper.id for row, paper in catalogue.papers(catalogue.rows()).items()}
    figures = {}
    for name in chosen:
        ranking, ranker = settings()[name]
        search = Search(library, ranking)
        rankings = {key: [ids[row] for row in ranker(search, query)[:10]] for key, query in queries.items()}
        figures[name] = ndcg_at_10(collection, rankings)
        sys.stderr.write(f"{collection.name:10} {name:42} {mean(list(figures[name].values())).value:.4f}\n")
    return figures


def gain(figures: Mapping[str, float], baseline: Mapping[str, float]) -> Mean:
    """Mean of the paired differences, query by query."""
    return mean([figures[query] - baseline[query] for query in baseline])


def report(measured: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Two Markdown tables: the figures, and their gains over BM25 with standard errors."""
    heads = [f"{name} ({len(figures[BASELINE])})" for name, figures in measured.items()]
    values, gains = [], []
    for setting in next(iter(measured.values())):
        values.append([setting, *(f"{mean(list(f[setting].values())).value:.4f}" for f in measured.values())])
        differences = [gain(f[setting], f[BASELINE]) for f in measured.values()]
        gains.append([setting, *(f"{d.value:+.3f} ± {d.error:.3f}" for d in differences)])
    return markdown(["nDCG@10 (queries)", *heads], values) + "\n" + markdown([f"gain over {BASELINE}", *heads], gains)


def check_batch(collection: Collection, library: Library) -> tuple[float, float]:
    """nDCG@10 of the run that `abstracts search --batch` writes, and of the product's search called from here."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        queries, run = Path(folder) / "queries.jsonl", Path(folder) / "run.txt"
        queries.write_text("".join(line.read_text("utf-8") for line in sorted(collection.corpus.parent.glob("queries*.jsonl"))))
        command = ["search", "--batch", str(queries), "--out", str(run), "-k", "10", "-L", str(library.place.folder)]
        subprocess.run([sys.executable, "-c", "from assistant.cli import main; main()", *command], check=True)
        rankings: dict[str, list[str]] = {}
        for line in run.read_text("utf-8").splitlines():
            rankings.setdefault(line.split(" ")[0], []).append(line.split(" ")[2])
        figures.append(mean(list(ndcg_at_10(collection, rankings).values())).value)
        search, catalogue = Search(library), library.catalogue
        found = {line["_id"]: search.find(line["text"], limit=10) for line in json_lines(queries)}
        ids = {row: paper.id for row, paper in catalogue.papers(catalogue.rows()).items()}
        called = {query: [ids[hit.row] for hit in hits] for query, hits in found.items()}
        figures.append(mean(list(ndcg_at_10(collection, called).values())).value)
    return figures[0], figures[1]


def main() -> None:
    """Print the tables, or the check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", choices=COLLECTIONS, default=COLLECTIONS)
    parser.add_argument("--product", action="store_true", help="only BM25 and the product as it is")
    parser.add_argument("--check", choices=COLLECTIONS, help="compare with the command line's run on this collection")
    add_arguments(parser)
    arguments = parser.parse_args()
    measured = {}
    for name in [arguments.check] if arguments.check else arguments.collections:
        collection = load_collection(arguments.benchmarks / name)
        library = open_library(collection.corpus, arguments.libraries / name)
        if arguments.check:
            batch, called = check_batch(collection, library)
            sys.stdout.write(f"{name}: abstracts search --batch {batch:.4f}, called from here {called:.4f}\n")
            return
        measured[name] = measure(collection, library, [BASELINE, PRODUCT] if arguments.product else list(settings()))
    sys.stdout.write(report(measured))


if __name__ == "__main__":
    main()
