"""A library and its lock: one writer at a time, clear refusals, removals all or none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from test_store_catalogue import entry, run
from test_store_embeddings import FakeEmbedding

from store import library as module
from store.errors import LibraryError, UsageError
from store.library import Library, Place, sync_index


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "open_embedding", lambda name, endpoint: FakeEmbedding(name))
    made = Place(folder=tmp_path / "library")
    library = Library.open(made, create=True)
    with library.catalogue.writing():
        library.catalogue.set_fact("embedding", "local-minilm")
        library.catalogue.set_fact("identity", "fake/1")
        library.catalogue.put([entry("abc1"), entry("abc2"), entry("x")])
    library.close()
    return made


@pytest.fixture
def opened(place):
    library = Library.open(place)
    yield library
    library.close()


def test_a_place_without_a_library_has_none_and_says_how_to_make_one(tmp_path):
    place = Place(folder=tmp_path / "nowhere")

    assert not Library.exists(place)
    with pytest.raises(LibraryError, match="There is no library at .*nowhere. Make one: abstracts add FILE --library"):
        Library.open(place)
    assert not place.folder.exists()


def test_a_new_library_takes_the_embedding_asked_for_or_the_local_one(tmp_path):
    for asked, name in ((None, "local-minilm"), ("openai:m", "openai:m")):
        library = Library.open(Place(folder=tmp_path / name, embedding=asked), create=True)
        assert library.embedding_name == name
        library.close()


def test_the_embedding_is_loaded_at_first_use_and_once(opened):
    assert opened._embedding is None
    assert opened.embedding is opened.embedding
    assert opened.embedding.name == "local-minilm"


def test_papers_are_removed_by_id_or_its_beginning(opened):
    assert sorted(opened.remove(["abc1", "x"])) == ["abc1", "x"]
    assert opened.catalogue.contents().keys() == {"abc2"}
    assert opened.remove(["ab"]) == ["abc2"]


@pytest.mark.parametrize(("ids", "says"), [(["x", "nope"], "No paper has the id 'nope'"), (["x", "abc"], "Several papers")])
def test_all_are_removed_or_none(opened, ids, says):
    with pytest.raises(UsageError, match=says):
        opened.remove(ids)
    assert len(opened.catalogue) == 3


HOLD = """
import sys, time
from pathlib import Path
from store.library import Library, Place
with Library.open(Place(folder=Path(sys.argv[1]))).locked():
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def hold(place, seconds):
    command = [sys.executable, "-c", HOLD, str(place.folder), str(seconds)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    assert child.stdout.readline() == b"held\n"
    return child


def test_a_second_writer_waits_for_the_first(place, opened):
    child = hold(place, 0.5)
    assert opened.remove(["x"]) == ["x"]
    child.wait()
    child.stdout.close()


def test_a_second_writer_that_waits_too_long_says_why_and_readers_never_wait(place, opened, monkeypatch):
    monkeypatch.setattr(module, "_LOCK_WAIT", 0.1)
    child = hold(place, 60)
    with pytest.raises(LibraryError, match="Another program is writing to the library at .*Try again when it is done"):
        opened.remove(["x"])
    assert len(opened.catalogue) == 3

    child.kill()  # the kernel frees the lock
    child.wait()
    child.stdout.close()
    assert opened.remove(["x"]) == ["x"]


READ_ONLY = """
from pathlib import Path
from store.library import Library, Place
try:
    Library.open(Place(folder=Path(sys.argv[1]))).remove(["x"])
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_folder_that_cannot_be_written_is_told(place):
    for file in (*place.folder.iterdir(), place.folder):
        file.chmod(0o555)
    told = run(READ_ONLY, place.folder)
    place.folder.chmod(0o755)

    assert told.startswith("LibraryError")
    assert "cannot be written (Permission denied). Choose a folder of yours with --library" in told


def test_a_failure_of_the_index_is_told_in_a_word_and_costs_nothing(place, opened, monkeypatch):
    monkeypatch.setattr("store.index._client", lambda folder: 1 / 0)
    assert sync_index(place) == "ZeroDivisionError"

    monkeypatch.undo()
    assert sync_index(place) is None
    assert len(opened.catalogue) == 3


def test_the_index_of_a_missing_library_is_an_error(tmp_path):
    with pytest.raises(LibraryError, match="There is no library"):
        sync_index(Place(folder=tmp_path))
