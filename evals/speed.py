"""How fast: whole processes as a user starts them, one process that stays, and adding against a bare embedding loop.

python -m evals.speed                         # everything
python -m evals.speed --only help ask         # some of: help ask second add
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

from assistant.engine import Engine
from evals.benchmarks import add_arguments, corpus_of, json_lines, markdown, open_library
from evals.golden import CORE_QUESTIONS
from store.chunks import Chunk, chunk_sentences
from store.embeddings.base import Embedding
from store.library import Library, Place, plan, sync_index
from store.readable import search_text
from store.search import Search
from store.sentences import split_sentences

COMMAND = str(Path(sys.executable).with_name("abstracts"))
QUESTION = "Which method speeds up sampling from diffusion models?"
PAPERS, ADDED, SLICE = 5000, 2000, 500

Row = list[str]


def take(corpus: Path, start: int, end: int, folder: Path) -> Path:
    """Some lines of a corpus as a file of their own."""
    path = folder / f"{corpus.parent.name}-{start}-{end}.jsonl"
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        path.write_text("".join(islice(lines, start, end)), "utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and of the processor over all threads: other people's work changes the second little."""

    clock: float
    processor: float


def timed(work: Callable[[], object]) -> Took:
    """Run something, and the processes it starts."""
    clock, processor = time.perf_counter(), _processor_seconds()
    work()
    return Took(time.perf_counter() - clock, _processor_seconds() - processor)


def _processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)  # os.times counts in hundredths of a second
    return time.process_time() + children.ru_utime + children.ru_stime


def time_process(command: Sequence[str], runs: int = 10) -> list[Took]:
    """A process from start to end, some runs after one that warms the disk cache."""
    run = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [timed(run) for _ in range(runs + 1)][1:]


def row(name: str, took: Sequence[Took], target: str, *, unit: str = "s") -> Row:
    """A line of the table: medians by clock and processor, and the fastest by clock."""
    scale = 1000 if unit == "ms" else 1
    clock, processor = [scale * t.clock for t in took], [scale * t.processor for t in took]
    return [name, *(f"{value:.3g} {unit}" for value in (median(clock), min(clock), median(processor))), target]


# -- whole processes ---------------------------------------------------------------------------------------------------


def measure_help() -> list[Row]:
    """`abstracts --help`."""
    return [row("abstracts --help, whole process", time_process([COMMAND, "--help"]), "< 0.3 s")]


def measure_ask(library: Path) -> list[Row]:
    """`abstracts ask` in a new process each time."""
    command = [COMMAND, "ask", QUESTION, "-L", str(library)]
    return [row(f"abstracts ask, whole process, {PAPERS:,} papers", time_process(command), "< 1.0 s")]


def measure_python() -> list[Row]:
    """The floor: an interpreter that does nothing."""
    return [row("python -c pass, whole process", time_process([sys.executable, "-c", "pass"]), "")]


def ask_phases(library: Path, runs: int = 10) -> list[Row]:
    """Medians of the milliseconds that each step of a first question takes."""
    command = [sys.executable, "-m", "evals.ask_phases", str(library), QUESTION]
    laps = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(runs)]
    return [[name, f"{median(lap[name] for lap in laps):.0f}"] for name in laps[0]]


def import_times(library: Path) -> list[Row]:
    """Milliseconds of import by top-level package in one `abstracts ask`, the ten slowest; -X importtime adds a little."""
    start = "from assistant.cli import main; main()"
    command = [sys.executable, "-X", "importtime", "-c", start, "ask", QUESTION, "-L", str(library)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return [[name, f"{total / 1000:.0f}"] for name, total in by_package(told)[:10]]


def by_package(told: str) -> list[tuple[str, int]]:
    """Microseconds by top-level package in the output of -X importtime, slowest first; the standard library is one."""
    totals: dict[str, int] = {}
    for own, name in re.findall(r"^import time:\s+(\d+) \|\s+\d+ \| +(\S+)", told, re.MULTILINE):
        top = name.split(".")[0]
        package = "the standard library" if top in sys.stdlib_module_names else top
        totals[package] = totals.get(package, 0) + int(own)
    return sorted(totals.items(), key=lambda item: -item[1])


# -- one process that stays --------------------------------------------------------------------------------------------


def measure_second(folder: Path, questions: int = 50) -> list[Row]:
    """Different questions to an engine that has answered one, over exact search and over Chroma."""
    texts = [line["question"] for line in json_lines(CORE_QUESTIONS) if not line["conversation"]][: questions + 1]
    rows = []
    for kept, leg in ((False, "exact"), (True, "Chroma")):
        library = Library.open(Place(folder=folder))
        engine = Engine(Search(library, long_lived=kept))
        took = [timed(partial(engine.ask, text)) for text in texts][1:]
        rows.append(row(f"a later question in one process, {leg}, {PAPERS:,} papers", took, "< 40 ms", unit="ms"))
        library.close()
    return rows


# -- adding ------------------------------------------------------------------------------------------------------------


def measure_add(corpus: Path) -> list[Row]:
    """Adding papers slice by slice, each slice also through a bare loop over the same chunks; then adding all again."""
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder, library = Path(name), Path(name) / "library"
        embedding = Library.open(Place(folder=folder / "other"), create=True).embedding
        for number, start in enumerate(range(0, ADDED, SLICE)):
            source = take(corpus, start, start + SLICE, folder)
            chunks = chunks_of(source, embedding)
            works = [partial(add, source, library), partial(embed, chunks, embedding)]
            order = (0, 1) if number % 2 else (1, 0)  # by turns, since the second of two finds a busier or a quieter machine
            times = {at: timed(works[at]) for at in order}
            ratios.append(Took(times[0].clock / times[1].clock, times[0].processor / times[1].processor))
        again = [COMMAND, "add", str(take(corpus, 0, ADDED, folder)), "-L", str(library), "--json"]
        receipt = json.loads(subprocess.run(again, check=True, capture_output=True, text=True).stdout)
        return [
            row(f"add {ADDED:,} papers, {SLICE} at a time, against a bare loop", ratios, "≤ 1.15", unit="×"),
            row(f"add {ADDED:,} papers again, whole process", time_process(again), "< 2 s"),
            [f"embedded when added again, of {ADDED:,}", str(receipt["embedding"]["embedded"]), "", "", "0"],
        ]


def add(source: Path, library: Path) -> None:
    """What `abstracts add` does once it is loaded."""
    place = Place(folder=library)
    for _ in plan(place, [str(source)]).carry_out():
        pass
    sync_index(place)


def embed(chunks: Sequence[Chunk], embedding: Embedding) -> None:
    """The bare loop: chunks in, vectors out, nothing kept."""
    for _ in embedding.embed_chunks(chunks):
        pass


def chunks_of(source: Path, embedding: Embedding) -> list[Chunk]:
    """The chunks that adding a file embeds."""
    found: list[Chunk] = []
    for paper in json_lines(source):
        sentences = [search_text(paper["text"][start:end]) for start, end in split_sentences(paper["text"])]
        title = search_text(paper["title"])
        found += chunk_sentences(title, sentences, room=embedding.room, count_tokens=embedding.count_tokens)
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=("help", "ask", "second", "add"), default=("help", "ask", "second", "add"))
    add_arguments(parser)
    arguments = parser.parse_args()
    corpus = corpus_of(arguments.benchmarks / "mlpapers")
    folder = arguments.libraries / f"mlpapers-{PAPERS}"
    arguments.libraries.mkdir(parents=True, exist_ok=True)
    if not Library.exists(Place(folder=folder)):
        open_library(take(corpus, 0, PAPERS, arguments.libraries), folder).close()
    rows = measure_python()
    rows += measure_help() if "help" in arguments.only else []
    rows += measure_ask(folder) if "ask" in arguments.only else []
    rows += measure_second(folder) if "second" in arguments.only else []
    rows += measure_add(corpus) if "add" in arguments.only else []
    load = os.getloadavg()[0]
    sys.stdout.write(f"{os.cpu_count()} cores; load at the end {load:.1f}\n\n")
    sys.stdout.write(markdown(["what", "median", "fastest", "processor, median", "target"], rows))
    if "ask" in arguments.only:
        sys.stdout.write("\n" + markdown(["a first question, step by step", "ms"], ask_phases(folder)))
        sys.stdout.write("\n" + markdown(["imports of one ask, by package", "ms"], import_times(folder)))


if __name__ == "__main__":
    main()
