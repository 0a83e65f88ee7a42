"""Abstracts embedded a second by the local model: one text a thread, as the product does it, against batches.

python -m evals.embedding_speed
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from evals.benchmarks import BENCHMARKS, corpus_of, markdown
from store.embeddings.minilm import MiniLM
from store.readable import search_text

Tokens = list[int]


class Model:
    """The product's model, also with more threads within one run. Reaches into its adapter: nobody else needs this."""

    def __init__(self) -> None:
        self._model = MiniLM.load()

    def tokens(self, text: str) -> Tokens:
        """Word pieces as the product cuts them."""
        return self._model._ids(search_text(text))[: self._model.room]

    def session(self, threads: int) -> Any:
        """A session whose every run uses that many threads."""
        from store.embeddings import minilm

        single = self._model._session
        options = single.get_session_options()
        options.intra_op_num_threads = threads
        return type(single)(minilm._read("weights"), options, providers=["CPUExecutionProvider"])


def run_batch(session: Any, batch: Sequence[Tokens]) -> None:
    """Embed texts in one padded batch."""
    ids = np.zeros((len(batch), 2 + max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens) + 2] = [101, *tokens, 102]
        mask[row, : len(tokens) + 2] = 1
    session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})


def run_all(session: Any, texts: Sequence[Tokens], *, batch: int, workers: int) -> None:
    """Embed all texts, longest first so that batches pad little, by several workers at once."""
    by_length = sorted(texts, key=len, reverse=True)
    batches = [by_length[at : at + batch] for at in range(0, len(by_length), batch)]
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(run_batch, session, part) for part in batches]:
            done.result()


def measure(ways: dict[str, Callable[[], None]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each round by way; the ways take turns, so that a busy minute slows them all."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            started = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - started)
    return seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", type=Path, default=BENCHMARKS)
    parser.add_argument("--abstracts", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=12)
    arguments = parser.parse_args()
    model = Model()
    with gzip.open(corpus_of(arguments.benchmarks / "mlpapers"), "rt", encoding="utf-8") as lines:
        texts = [model.tokens(json.loads(line)["text"]) for line in islice(lines, arguments.abstracts)]
    one, two = model.session(1), model.session(2)
    ways: dict[str, Callable[[], None]] = {
        "two workers, a thread and a text each (the product)": lambda: run_all(one, texts, batch=1, workers=2),
        "two workers, a thread each, batches of 8": lambda: run_all(one, texts, batch=8, workers=2),
        "one worker, two threads, one text": lambda: run_all(two, texts, batch=1, workers=1),
        "one worker, two threads, batches of 8": lambda: run_all(two, texts, batch=8, workers=1),
        "one worker, two threads, batches of 32": lambda: run_all(two, texts, batch=32, workers=1),
    }
    rows = [
        [name, f"{len(texts) / median(seconds):.1f}", f"{len(texts) / min(seconds):.1f}"]
        for name, seconds in measure(ways, arguments.rounds).items()
    ]
    sys.stdout.write(markdown(["abstracts a second", "median", "least disturbed"], rows))


if __name__ == "__main__":
    main()
