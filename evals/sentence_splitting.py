"""Sentence starts against SciFact's own: precision, recall and time of our splitter, and of pysbd where it is installed.

python -m evals.sentence_splitting --abstracts 800
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from evals.benchmarks import BENCHMARKS, corpus_of, markdown
from store.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Abstract:
    """A text, where its sentences start, as published, and starts that do not count.

    Those are the first, which is always right, and those of sentences without a letter: one table of contents alone has
    348 "sentences" that are a full stop each.
    """

    text: str
    starts: frozenset[int]
    ignored: frozenset[int]


Splitter = Callable[[str], Iterable[int]]
"""Offsets at which sentences start."""


def load_abstracts(corpus: Path, limit: int) -> list[Abstract]:
    """A random sample of SciFact's abstracts, always the same: the file begins with easier ones."""
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    papers = random.Random(1).sample(papers, min(limit, len(papers)))  # noqa: S311
    return [known_starts(paper["text"], paper["metadata"]["sentence_offsets"]) for paper in papers]


def known_starts(text: str, offsets: Sequence[Sequence[int]]) -> Abstract:
    """The starts that count and those that do not, of sentences given as character offsets."""
    ignored = {start for start, end in offsets if not any(c.isalpha() for c in text[start:end])} | {0}
    return Abstract(text, frozenset(start for start, _ in offsets) - ignored, frozenset(ignored))


def ours(text: str) -> list[int]:
    """The product's splitter."""
    return [span.start for span in split_sentences(text)]


def pysbd_splitter() -> Splitter | None:
    """Its splitter with offsets, if the package is installed."""
    if find_spec("pysbd") is None:
        return None
    segmenter = import_module("pysbd").Segmenter(language="en", clean=False, char_span=True)
    return lambda text: [span.start for span in segmenter.segment(text)]


def compare(split: Splitter, abstracts: Sequence[Abstract]) -> tuple[float, float, float]:
    """Precision and recall of the sentence starts that count, and milliseconds an abstract."""
    started = time.perf_counter()
    found = [frozenset(split(abstract.text)) for abstract in abstracts]
    seconds = time.perf_counter() - started
    pairs = [(starts - abstract.ignored, abstract.starts) for starts, abstract in zip(found, abstracts, strict=True)]
    right = sum(len(starts & known) for starts, known in pairs)
    given, known = sum(len(starts) for starts, _ in pairs), sum(len(known) for _, known in pairs)
    return right / max(1, given), right / max(1, known), 1000 * seconds / len(abstracts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", type=Path, default=BENCHMARKS)
    parser.add_argument("--abstracts", type=int, default=800)
    arguments = parser.parse_args()
    abstracts = load_abstracts(corpus_of(arguments.benchmarks / "scifact"), arguments.abstracts)
    splitters = {"ours": ours, "pysbd": pysbd_splitter()}
    rows = []
    for name, split in splitters.items():
        if split is None:
            sys.stderr.write(f"{name} is not installed; to compare: pip install {name}\n")
            continue
        precision, recall, milliseconds = compare(split, abstracts)
        rows.append([name, f"{precision:.3f}", f"{recall:.3f}", f"{milliseconds:.2f}"])
    sys.stdout.write(
        f"{len(abstracts)} abstracts\n\n" + markdown(["sentence starts", "precision", "recall", "ms an abstract"], rows)
    )


if __name__ == "__main__":
    main()
