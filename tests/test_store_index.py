"""The Chroma index: kept up to the catalogue, and built anew, never opened, when it cannot be trusted."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
from test_store_catalogue import entry

from store import index
from store.catalogue import Catalogue
from store.embeddings.base import unit
from store.index import ChromaIndex, _client
from store.papers import Paper

DIMENSIONS = 16


def vector(number, chunk=0):
    return unit(np.random.default_rng([number, chunk]).normal(size=DIMENSIONS).astype(np.float32))


def papers(numbers, *, chunks=1, **fields):
    return [
        entry(Paper(id=f"p{n}", title=f"T{n}", abstract=f"Text {n}.", **fields), vectors=[vector(n, c) for c in range(chunks)])
        for n in numbers
    ]


class World:
    """A catalogue and its index in one folder."""

    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        self.folder, self.chroma, self.seal = folder, folder / "chroma", folder / "chroma.seal.json"
        self.catalogue = Catalogue.open(folder / "catalogue.sqlite3", create=True)
        self.index = ChromaIndex(folder)

    def put(self, entries, *, identity="fake/1"):
        with self.catalogue.writing():
            self.catalogue.set_fact("identity", identity)
            self.catalogue.put(entries)

    def remove(self, *ids):
        with self.catalogue.writing():
            self.catalogue.remove([self.catalogue.row_of(name) for name in ids])

    def sync(self):
        ChromaIndex(self.folder).sync(self.catalogue)

    def nearest(self, number, limit=5):
        rows = self.index.nearest(vector(number), limit=limit, catalogue=self.catalogue)
        return [paper.id for paper in (self.catalogue.papers([row])[row] for row in rows)]

    def is_current(self):
        return ChromaIndex(self.folder).is_current(self.catalogue)

    def holds_the_catalogue(self):
        """Whether a fresh look at the index finds just the chunks that the catalogue has, each where its vector says."""
        self.index.close()
        if not self.is_current():
            return False
        with opened(self.chroma) as collection:
            found = collection.get(include=["embeddings", "metadatas"])
        rows, vectors = self.catalogue.chunk_vectors()
        order = np.argsort([fields["row"] for fields in found["metadatas"]], kind="stable")
        return len(order) == len(rows) and np.allclose(np.sort(found["embeddings"][order], 0), np.sort(vectors, 0), atol=1e-6)

    def close(self):
        self.index.close()
        self.catalogue.close()


@contextmanager
def opened(folder):
    client = _client(folder)
    try:
        yield client.get_collection("abstracts", embedding_function=None)
    finally:
        client.close()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "library")
    yield made
    made.close()


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    """A library of 1,200 papers with its index: more than Chroma keeps in its log, so that there are vector files."""
    made = World(tmp_path_factory.mktemp("pattern") / "library")
    made.put(papers(range(1200)))
    made.sync()
    made.close()
    return made.folder


@pytest.fixture
def large(pattern, tmp_path):
    shutil.copytree(pattern, tmp_path / "library")
    made = World(tmp_path / "library")
    yield made
    made.close()


def vector_file(world):
    return next(world.chroma.glob("*/data_level0.bin"))


# -- keeping up --------------------------------------------------------------------------------------------------------------


def test_new_changed_and_removed_papers_are_followed(world):
    world.put(papers(range(5), year=2024))
    world.sync()
    assert world.nearest(3, 1) == ["p3"]

    world.put([*papers([7]), entry(Paper(id="p1", title="T", abstract="Changed."), vectors=[vector(9)])])
    world.remove("p3")
    assert not world.is_current()
    world.sync()

    assert world.holds_the_catalogue()
    assert world.nearest(9, 1) == ["p1"]
    assert set(world.nearest(3)) == {"p0", "p1", "p2", "p4", "p7"}


def test_a_sound_index_is_updated_in_place_and_an_unchanged_one_not_at_all(large):
    before = vector_file(large)
    stamp = large.seal.stat().st_mtime_ns
    large.sync()
    assert large.seal.stat().st_mtime_ns == stamp

    large.put(papers([5000]))
    large.sync()

    assert vector_file(large) == before
    assert large.nearest(5000, 1) == ["p5000"]
    assert large.holds_the_catalogue()


@pytest.mark.parametrize("size", [3, 999, 1001])
def test_a_question_leaves_the_index_current(world, size):
    world.put(papers(range(size)))
    world.sync()

    for _ in range(2):
        assert world.nearest(1, 1) == ["p1"]
        assert world.is_current()
        world.index.close()
        assert world.is_current()


def test_an_empty_library_has_an_index_that_finds_nothing(world):
    world.put([])
    world.sync()

    assert world.is_current()
    assert world.nearest(1) == []


def test_as_many_papers_come_back_as_are_asked_for_however_many_chunks_they_have(world):
    world.put(papers(range(30), chunks=1) + papers(range(100, 110), chunks=60))
    world.sync()

    assert len(set(world.nearest(100, 35))) == 35
    assert len(set(world.nearest(100, 40))) == len(set(world.nearest(100, 500))) == 40
    assert world.nearest(100, 1) == ["p100"]


def test_fields_that_filters_use_follow_the_paper(world):
    world.put(papers(range(2), year=2024, venue="ICLR"))
    world.sync()
    world.put(papers(range(2), year=2025))
    world.sync()
    world.index.close()

    with opened(world.chroma) as collection:
        assert collection.get(where={"year": 2025})["metadatas"] == [
            {"row": row, "paper": f"p{row - 1}", "year": 2025} for row in (1, 2)
        ]


def test_the_vendor_is_told_to_be_silent(world, monkeypatch):
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    world.put(papers(range(2)))
    world.sync()

    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"


# -- what cannot be trusted --------------------------------------------------------------------------------------------------


def truncate(world):
    path = vector_file(world)
    path.write_bytes(path.read_bytes()[:-100])


def flip_one_byte(world):
    path = vector_file(world)
    content = bytearray(path.read_bytes())
    content[1000] ^= 0xFF
    path.write_bytes(content)


def flip_bytes_of_the_database(world):
    """Chroma 1.5.9 aborts a process that opens such a file."""
    path = world.chroma / "chroma.sqlite3"
    content = bytearray(path.read_bytes())
    content[8500:8600] = os.urandom(100)
    path.write_bytes(content)


def cut_the_database(world):
    path = world.chroma / "chroma.sqlite3"
    path.write_bytes(path.read_bytes()[:-5000])


def lose_a_vector_file(world):
    vector_file(world).unlink()


def garbage(world):
    shutil.rmtree(world.chroma)
    world.chroma.mkdir()
    (world.chroma / "chroma.sqlite3").write_bytes(b"garbage" * 1000)
    (world.chroma / "notes.txt").write_text("mine")


def another_metric(world):
    shutil.rmtree(world.chroma)
    client = _client(world.chroma)
    client.create_collection("abstracts", embedding_function=None).add(ids=["x"], embeddings=[[0.0] * DIMENSIONS])
    client.close()


def seal(**changes):
    def change(world):
        world.seal.write_text(json.dumps(json.loads(world.seal.read_text()) | changes))

    return change


DAMAGES = [
    truncate,
    flip_one_byte,
    lose_a_vector_file,
    garbage,
    another_metric,
    lambda world: world.seal.unlink(),
    lambda world: world.seal.write_text("{"),
    lambda world: world.seal.write_text("[]"),
    seal(files={}),
    seal(identity="fake/2"),
    seal(generation=None),
    lambda world: shutil.rmtree(world.chroma),
    lambda world: (world.chroma / "chroma.sqlite3").unlink(),
    lambda world: (world.chroma / "chroma.sqlite3").write_bytes(b""),
    flip_bytes_of_the_database,
    cut_the_database,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_never_opened_but_built_anew(large, damage, monkeypatch):
    damage(large)
    assert not large.is_current()

    known = set(large.chroma.glob("*/"))
    monkeypatch.setattr(index, "_client", lambda folder: (_only_new(folder), _client(folder))[1])
    large.sync()
    monkeypatch.undo()

    assert large.holds_the_catalogue()
    assert large.nearest(77, 1) == ["p77"]
    assert not known & set(large.chroma.glob("*/"))
    with opened(large.chroma) as collection:
        found = collection.query(query_embeddings=[(9 * vector(77)).tolist()], n_results=1)
    assert found["distances"][0][0] == pytest.approx(0, abs=1e-5)  # l2 would say 64


def _only_new(folder):
    assert ".tmp-" in folder.name, f"{folder} was opened"


def test_an_index_made_with_another_embedding_is_built_anew(large):
    large.put([entry("x", vectors=[(1.0, 0.0, 0.0)])], identity="fake/2")
    large.remove(*(f"p{n}" for n in range(1200)))

    large.sync()

    assert large.index.nearest(np.array([1, 0, 0], np.float32), limit=5, catalogue=large.catalogue) == [1201]


def test_an_index_that_fails_is_distrusted_until_the_next_sync(large):
    large.index.distrust()
    assert not large.is_current()

    large.sync()
    assert large.holds_the_catalogue()


def test_an_index_that_cannot_be_updated_is_built_anew(large, monkeypatch):
    large.put(papers([5000]))
    monkeypatch.setattr(index, "_client", lambda folder: _client(folder) if ".tmp-" in folder.name else 1 / 0)

    large.sync()

    monkeypatch.undo()
    assert large.holds_the_catalogue()


def test_two_libraries_in_one_process_do_not_disturb_each_other(large, world):
    world.put(papers(range(20)))
    world.sync()
    assert (large.nearest(700, 1), world.nearest(3, 1)) == (["p700"], ["p3"])

    world.index.close()
    same = World(large.folder)
    assert same.nearest(5, 1) == ["p5"]
    same.close()

    assert large.nearest(701, 1) == ["p701"]
    assert large.is_current()


def test_an_index_swapped_for_another_is_not_believed(world, tmp_path):
    other = World(tmp_path / "other")
    for made, count in ((world, 3), (other, 4)):
        made.put(papers(range(count)))
        made.sync()
    other.close()
    shutil.rmtree(world.chroma)
    shutil.copytree(other.chroma, world.chroma)
    assert not world.is_current()

    shutil.copy(other.seal, world.seal)
    with pytest.raises(ValueError, match="does not hold what its seal says"):
        world.nearest(1)


def test_torn_placeholders_of_a_small_index_do_no_harm(world):
    world.put(papers(range(50)))
    world.sync()
    for path in world.chroma.glob("*/*.bin"):
        path.write_bytes(path.read_bytes()[:50] + b"\xff" * 10)

    assert world.nearest(7, 1) == ["p7"]


def test_left_overs_of_a_kill_are_cleared(large):
    (large.folder / "chroma.tmp-123" / "x").mkdir(parents=True)
    (large.folder / "chroma.seal.tmp-123").write_text("{")
    large.put(papers([5000]))

    large.sync()

    assert list(large.folder.glob("*.tmp-*")) == []


def test_building_anew_again_and_again_keeps_the_disk_bounded(large):
    def size():
        return sum(path.stat().st_size for path in large.folder.glob("chroma*/**/*") if path.is_file())

    before = size()
    for _ in range(5):
        large.seal.unlink()
        large.sync()

    assert size() < 1.2 * before
    assert len(list(large.chroma.glob("*/"))) == 1


# -- kills -------------------------------------------------------------------------------------------------------------------

SYNC = """
import sys
from pathlib import Path
from store.catalogue import Catalogue
from store import index
index._BATCH = 100  # more writes to be killed in
folder = Path(sys.argv[1])
catalogue = Catalogue.open(folder / "catalogue.sqlite3")
index.ChromaIndex(folder).sync(catalogue)
"""


def test_a_kill_in_the_middle_of_a_sync_is_made_good_by_the_next(large):
    chance, torn = random.Random(1), 0
    for trial in range(4):
        first = 2000 + 900 * trial
        large.put(papers(range(first, first + 900)))
        child = subprocess.Popen([sys.executable, "-c", SYNC, str(large.folder)], env=_environment())
        while large.seal.exists() and child.poll() is None:
            time.sleep(0.005)
        time.sleep(0.3 * chance.random())
        child.send_signal(signal.SIGKILL)
        child.wait()
        torn += not large.is_current()
        if trial % 2:
            large.sync()
            assert large.holds_the_catalogue()
            assert large.nearest(first, 1) == [f"p{first}"]
    assert torn


def _environment():
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
