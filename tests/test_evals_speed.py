"""What the speed script computes itself: import times by package, tables, slices, and rows of figures."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

from evals.embedding_speed import measure
from evals.speed import Took, by_package, chunks_of, row, take, timed

TOLD = """import time: self [us] | cumulative | imported package
import time:       200 |        200 |   _io
import time:      1000 |       1200 | json
import time:      5000 |       5000 |     numpy._core
import time:       400 |       5400 |   numpy
import time:        30 |         30 | store.names
import time:     bogus
"""


def test_import_times_by_package():
    assert by_package(TOLD) == [("numpy", 5400), ("the standard library", 1200), ("store", 30)]


def test_a_row_tells_medians_and_the_fastest():
    took = [Took(0.31, 0.1), Took(0.2, 0.3), Took(0.29, 0.2)]

    assert row("help", took, "< 0.3 s") == ["help", "0.29 s", "0.2 s", "0.2 s", "< 0.3 s"]
    assert row("ask", took, "< 0.3 s", unit="ms")[1:4] == ["290 ms", "200 ms", "200 ms"]


def test_a_slice_of_a_corpus(tmp_path):
    (tmp_path / "ponds").mkdir()
    with gzip.open(tmp_path / "ponds" / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(f'{{"_id": {number}}}\n' for number in range(5))

    assert take(tmp_path / "ponds" / "corpus.jsonl.gz", 1, 3, tmp_path).read_text() == '{"_id": 1}\n{"_id": 2}\n'


def test_the_bare_loop_embeds_what_adding_embeds(library, tmp_path):
    source = tmp_path / "papers.jsonl"
    paper = {"_id": "1", "title": "Late ice", "text": "Ponds freeze late. Owls hunt at night."}
    source.write_text(json.dumps(paper) + "\n")

    (chunk,) = chunks_of(source, library.embedding)

    assert chunk.title == "Late ice"
    assert [piece.text for piece in chunk.pieces] == ["Ponds freeze late.", "Owls hunt at night."]


def test_work_is_timed_by_clock_and_processor():
    took = timed(lambda: subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True))

    assert took.clock > 0
    assert took.processor > 0


def test_ways_to_embed_take_turns():
    turns = []
    ways = {"one": lambda: turns.append("one"), "two": lambda: turns.append("two")}

    seconds = measure(ways, rounds=2)

    assert turns == ["one", "two", "one", "two"]
    assert [len(seconds[name]) for name in ways] == [2, 2]
