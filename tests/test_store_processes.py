"""Real `abstracts add` processes: killed at any moment, ended politely, and two at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from store.library import Library, Place

WORDS = "graphs rivers sensors birds stones proteins markets tides engines verbs lenses maps".split()
COUNT = 200


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    chance = random.Random(0)
    lines = [
        json.dumps({"id": f"p{n}", "title": f"Paper {n}", "abstract": " ".join(chance.choices(WORDS, k=25)) + f" {n}."})
        for n in range(COUNT)
    ]
    path = tmp_path_factory.mktemp("papers") / "papers.jsonl"
    path.write_text("\n".join(lines))
    return path


def start(folder, *arguments):
    command = [sys.executable, "-c", "from assistant.cli import main; main()", "add", "--json", "-L", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def finish(child):
    out, error = child.communicate(timeout=120)
    return child.returncode, out, error.decode()


def written(folder):
    """Papers in the library so far; 0 while there is none."""
    if not Library.exists(Place(folder=folder)):
        return 0
    library = Library.open(Place(folder=folder))
    count = len(library.catalogue)
    library.close()
    return count


def assert_whole(folder):
    library = Library.open(Place(folder=folder))
    catalogue = library.catalogue
    assert catalogue.select("PRAGMA integrity_check") == [("ok",)]
    assert sorted(catalogue.contents()) == sorted(f"p{n}" for n in range(COUNT))
    for table in ("chunks", "sentence_vectors", "fulltext"):
        assert catalogue.select(f"SELECT count(*) FROM {table}") == [(COUNT,)]
    library.close()


def wait_for(folder, count, child):
    """Until the library holds so many papers, or the child has ended."""
    while child.poll() is None and written(folder) < count:
        time.sleep(0.01)


def test_killed_at_any_moment_and_run_again_every_paper_is_there_once(papers, tmp_path):
    folder, chance, seen = tmp_path / "library", random.Random(2), [0]
    for trial in range(5):
        child = start(folder, papers)
        if trial == 0:  # while it loads
            time.sleep(0.3 + 0.5 * chance.random())
        else:  # while it embeds or writes, in the end while it builds the index
            wait_for(folder, min(seen[-1] + 1, COUNT), child)
            time.sleep(0.2 * chance.random())
        child.send_signal(signal.SIGKILL)
        finish(child)
        seen.append(written(folder))
    assert seen == sorted(seen)
    assert seen[2] > 0
    assert all(count % 64 == 0 or count == COUNT for count in seen)

    code, out, error = finish(start(folder, papers))

    assert (code, error.count("Traceback")) == (0, 0)
    receipt = json.loads(out)
    assert (receipt["added"], receipt["unchanged"]) == (COUNT - seen[-1], seen[-1])
    assert receipt["embedding"]["embedded"] == COUNT - seen[-1]
    assert_whole(folder)


def test_ended_politely_it_keeps_every_finished_paper(papers, tmp_path):
    child = start(tmp_path / "library", papers)
    wait_for(tmp_path / "library", 1, child)
    child.send_signal(signal.SIGTERM)
    code, _, error = finish(child)

    assert code in (143, 0)  # 0 if it was done already
    assert "Traceback" not in error
    kept = written(tmp_path / "library")
    assert kept >= 64
    assert (kept == COUNT) or code == 143


def test_two_at_once_lose_nothing_and_store_nothing_twice(papers, tmp_path):
    children = [start(tmp_path / "library", papers) for _ in range(2)]
    ended = [finish(child) for child in children]

    assert 0 in [code for code, _, _ in ended]
    for code, _, error in ended:
        assert code == 0 or (code == 4 and "Another program is writing to the library" in error)
    assert_whole(tmp_path / "library")
    assert written(tmp_path / "library") == COUNT
