"""The public collections in ../shared/benchmarks: their queries and judgements, a library of each, and nDCG@10 of a ranking."""

from __future__ import annotations

import csv
import json
import math
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import SourceError
from store.library import Library, Place, plan, sync_index

BENCHMARKS = Path("../shared/benchmarks")
LIBRARIES = Path("build/benchmarks")
COLLECTIONS = ("medline", "cranfield", "scifact", "pubmedqa", "mlpapers")


@dataclass(frozen=True, slots=True)
class Collection:
    """Queries by id, and for each the judged papers with their grades; a query whose papers are not in the library stays."""

    name: str
    corpus: Path
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over queries and its standard error."""

    value: float
    error: float


def add_arguments(parser: ArgumentParser) -> None:
    """Where the collections are, and where their libraries lie or are to be made."""
    parser.add_argument("--benchmarks", type=Path, default=BENCHMARKS, help="folder of the collections")
    parser.add_argument("--libraries", type=Path, default=LIBRARIES, help="folder of their libraries; what is missing is added")


def corpus_of(folder: Path) -> Path:
    """The papers of a collection.

    Raises:
        SourceError: The collection is not there.
    """
    path = folder / "corpus.jsonl.gz"
    if not path.is_file():
        raise SourceError(f"There is no collection at {folder}. Name the folder that holds {folder.name} with --benchmarks.")
    return path


def load_collection(folder: Path) -> Collection:
    """Read one collection in BEIR layout; of several sets of queries (train, test) all that are there.

    Raises:
        SourceError: It is not there.
    """
    corpus = corpus_of(folder)
    queries = {line["_id"]: line["text"] for path in sorted(folder.glob("queries*.jsonl")) for line in json_lines(path)}
    judgements: dict[str, dict[str, int]] = {name: {} for name in queries}
    for path in sorted(folder.glob("qrels*.tsv")):
        with path.open(encoding="utf-8", newline="") as lines:
            for query, paper, grade in list(csv.reader(lines, delimiter="\t"))[1:]:
                judgements[query][paper] = int(grade)
    return Collection(folder.name, corpus, queries, judgements)


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def open_library(corpus: Path, folder: Path) -> Library:
    """The library of a corpus, made by the product's own addition where there is none; an unfinished one is finished."""
    place = Place(folder=folder)
    addition = plan(place, [str(corpus)])
    if addition.total:
        for done in addition.carry_out():
            sys.stderr.write(f"\r{folder.name}: {done} of {addition.total} papers embedded")
        sys.stderr.write("\n")
        sync_index(place)
    return Library.open(place)


def ndcg_at_10(collection: Collection, rankings: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """nDCG@10 of every query of the collection (Järvelin and Kekäläinen, 2002; by ir-measures).

    trec_eval sorts by score and breaks ties by the paper's id, which no reader of a list does. So the measure is given ranks,
    not scores: ties are broken by whoever made the ranking, and the figure is that of the list as shown.

    Args:
        rankings: Paper ids, best first, by query; a query that is missing or empty counts 0.
    """
    import ir_measures
    from ir_measures import nDCG

    qrels = {query: dict(grades) for query, grades in collection.judgements.items()}
    run = {query: {paper: float(-rank) for rank, paper in enumerate(papers)} for query, papers in rankings.items()}
    found = {figure.query_id: float(figure.value) for figure in ir_measures.iter_calc([nDCG @ 10], qrels, run)}
    return {query: found.get(query, 0.0) for query in collection.queries}


def mean(values: Sequence[float]) -> Mean:
    """Mean and standard error; the error of fewer than two values is 0."""
    middle = sum(values) / len(values)
    if len(values) < 2:
        return Mean(middle, 0.0)
    variance = sum((value - middle) ** 2 for value in values) / (len(values) - 1)
    return Mean(middle, math.sqrt(variance / len(values)))


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
