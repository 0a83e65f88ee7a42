"""Where the time of one question goes, told from inside a fresh process: prints a JSON object of milliseconds by phase.

python -m evals.ask_phases LIBRARY QUESTION    # evals.speed runs it ten times
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Do what `abstracts ask` does once its command line is loaded, step by step, with a clock between the steps."""
    started = time.perf_counter()
    phases: dict[str, float] = {}

    def lap(name: str) -> None:
        nonlocal started
        now = time.perf_counter()
        phases[name] = 1000 * (now - started)
        started = now

    folder, question = sys.argv[1:3]
    import numpy  # noqa: F401

    lap("import numpy")
    from pathlib import Path

    from assistant.engine import Engine
    from store.library import Library, Place
    from store.search import Search

    lap("import engine and store")
    library = Library.open(Place(folder=Path(folder)))
    search = Search(library)
    lap("open the library")
    embedding = library.embedding
    lap("import the runtime, load the model")
    vector = embedding.embed_query(question)
    lap("embed the question")
    search.vectors.nearest(vector, limit=1)
    lap("load the vectors")
    Engine(search).ask(question)
    lap("search, read, choose sentences")
    sys.stdout.write(json.dumps(phases) + "\n")


if __name__ == "__main__":
    main()
