"""The catalogue: papers exactly as read, all-or-nothing writes, older and damaged and foreign files."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import database
from store.catalogue import Catalogue, Entry, compact
from store.errors import LibraryError, UsageError
from store.papers import Paper
from store.sentences import split_sentences


def entry(paper, *, vectors=((1.0, 0.0),), names=(), sentences=None):
    """A paper with made-up vectors."""
    if isinstance(paper, str):
        paper = Paper(id=paper, title=f"Title of {paper}", abstract=f"Text of {paper}. It is short.")
    chunks = [(f"{paper.id}.{number}", np.array(vector, np.float32)) for number, vector in enumerate(vectors)]
    spans = split_sentences(paper.abstract)
    return Entry(
        paper=paper, content=paper.abstract, spans=spans, chunks=chunks, sentence_vectors=sentences, names=frozenset(names)
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "catalogue.sqlite3"


@pytest.fixture
def catalogue(path):
    opened = Catalogue.open(path, create=True)
    yield opened
    opened.close()


def put(catalogue, *papers):
    with catalogue.writing():
        catalogue.put([paper if isinstance(paper, Entry) else entry(paper) for paper in papers])


ODD = [
    "NFC é and NFD e\u0301 stay apart",
    r"H$^\ast$Bench, {\L}ojasiewicz, \textbf{bold}, 5\%",
    "lines\nof\r\ntext\rand\ttabs\n\nand paragraphs",
    "line\u2028and\u2029paragraph separators, \x85 too",
    "a NUL \x00 in the middle, \x1b[31m and \x7f",
    "😀 👩‍👩‍👧 🇺🇦, 字, עברית, \u202eright to left",
    "zero\u200bwidth \ufeff soft\u00adhyphen \U000e0041",
    "'; DROP TABLE papers; --",
    " trailing and leading spaces ",
    "<|endoftext|> {braces} $name %s",
]


@pytest.mark.parametrize("text", ODD)
def test_a_paper_comes_back_exactly_as_it_was_read(catalogue, path, text):
    paper = Paper(
        id=f"id {text}", title=text, abstract=text, title_inferred=True, authors=(text, "Ann"), venue=text, year=2026, url=text,
        doi=text, keywords=(text,), decision=text, track=text, source=text, flags=("cut_off",),
    )  # fmt: skip
    put(catalogue, paper)
    catalogue.close()

    again = Catalogue.open(path)
    assert again.papers(again.rows()) == {1: paper}
    assert again.row_of(paper.id) == 1
    again.close()


@settings(deadline=None, max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_comes_back_and_its_spans_with_it(text):
    catalogue = Catalogue.open(Path(":memory:"), create=True)
    put(catalogue, Paper(id="a", title=text, abstract=text))

    (row,) = catalogue.rows()
    assert catalogue.papers([row])[row].abstract == text
    assert catalogue.spans(row) == split_sentences(text)
    catalogue.close()


def test_a_file_name_that_is_no_utf_8_can_be_a_source(catalogue):
    put(catalogue, Paper(id="a", title="T", abstract="A.", source="caf\udce9.txt"))

    assert catalogue.papers([1])[1].source == "caf\ufffd.txt"


def test_a_paper_put_again_keeps_its_row_and_leaves_nothing_of_the_old(catalogue):
    put(catalogue, entry("a", names=["old"]), "b", "c")
    put(catalogue, entry(Paper(id="b", title="New", abstract="Quite different words."), names=["new"]))

    assert [paper.id for paper in catalogue.papers(catalogue.rows()).values()] == ["a", "b", "c"]
    assert catalogue.bearers(["old", "new"]) == {"old": [1], "new": [2]}
    assert catalogue.select("SELECT rowid FROM fulltext WHERE fulltext MATCH 'different'") == [(2,)]
    assert len(catalogue.select("SELECT rowid FROM fulltext WHERE fulltext MATCH 'short'")) == 2
    assert catalogue.chunk_count() == len(catalogue) == 3


def test_a_removed_paper_leaves_nothing(catalogue):
    put(catalogue, entry("a", names=["x"], sentences=np.ones((2, 2), np.int8)), "b")
    with catalogue.writing():
        catalogue.remove([1])

    for table in ("papers", "chunks", "names", "sentence_vectors", "fulltext"):
        assert len(catalogue.select(f"SELECT * FROM {table}")) == (table in ("papers", "chunks", "fulltext"))
    assert catalogue.rows() == [2]


# -- vectors ---------------------------------------------------------------------------------------------------------------


def test_vectors_come_back_bit_for_bit(catalogue):
    first, second = np.random.default_rng(0).normal(size=(2, 7)).astype(np.float32)
    sentences = np.array([[1, -127, 0, 5, 6, 7, 8]], np.int8)
    put(catalogue, entry("a", vectors=[first, second], sentences=sentences), entry("b", vectors=[second]))

    rows, vectors = catalogue.chunk_vectors()
    assert rows.tolist() == [1, 1, 2]
    assert np.array_equal(vectors, [first, second, second])
    assert np.array_equal(catalogue.chunk_vectors([2])[1], [second])
    assert np.array_equal(catalogue.chunks_at([(2, 0), (1, 0)]), [second, first])
    assert np.array_equal(catalogue.sentence_vectors([1, 2], 7)[1], sentences)
    assert 2 not in catalogue.sentence_vectors([1, 2], 7)
    assert catalogue.dimensions() == 7
    stored = catalogue.stored_vectors("a")
    assert (stored.hashes, len(stored.chunks)) == (["a.0", "a.1"], 2)
    assert np.array_equal(stored.sentences, sentences)


def test_an_empty_catalogue_has_no_vectors_and_no_papers(catalogue):
    rows, vectors = catalogue.chunk_vectors()

    assert (len(rows), len(vectors), catalogue.dimensions(), catalogue.stored_vectors("a")) == (0, 0, None, None)
    assert (len(catalogue), catalogue.rows(), catalogue.contents(), catalogue.titles()) == (0, [], {}, {})


def test_compact_vectors_keep_their_direction():
    vectors = np.random.default_rng(0).normal(size=(50, 384)).astype(np.float32)
    small = compact(vectors).astype(np.float32)
    cosines = (small * vectors).sum(1) / np.linalg.norm(small, axis=1) / np.linalg.norm(vectors, axis=1)

    assert np.abs(small).max() == 127
    assert cosines.min() > 0.9995
    assert compact(np.zeros((1, 3), np.float32)).tolist() == [[0, 0, 0]]
    assert compact(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_thousands_of_rows_are_read_at_once(catalogue):
    put(catalogue, *(f"p{number}" for number in range(1300)))

    assert len(catalogue.papers(np.array(catalogue.rows()))) == 1300
    assert len(catalogue.chunk_vectors(catalogue.rows())[0]) == 1300


# -- writing ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_write_that_is_interrupted_leaves_everything_as_it_was(catalogue, error):
    put(catalogue, "a")
    before = catalogue.generation

    def papers():
        yield entry("b")
        yield entry(Paper(id="a", title="Another", abstract="Another text."))
        raise error

    with pytest.raises(error), catalogue.writing():
        catalogue.put(papers())

    assert catalogue.papers([1])[1].title == "Title of a"
    assert (catalogue.rows(), catalogue.generation) == ([1], before)
    put(catalogue, "c")
    assert catalogue.contents().keys() == {"a", "c"}


def test_every_write_is_a_new_generation_and_a_receipt_is_none(catalogue):
    generations = [catalogue.generation]
    for _ in range(3):
        put(catalogue, "a")
        generations.append(catalogue.generation)
    catalogue.keep_receipt("2026-01-01T00:00:00+00:00", '{"added": 1}')

    assert [*generations, catalogue.generation] == [0, 1, 2, 3, 3]
    assert catalogue.receipts() == [("2026-01-01T00:00:00+00:00", {"added": 1})]


def test_a_reader_sees_new_papers_at_its_next_question(catalogue, path):
    reader = Catalogue.open(path)
    put(catalogue, "a")
    assert (len(reader), reader.generation) == (1, 1)
    with catalogue.writing():
        catalogue.put([entry("b")])
        assert len(reader) == 1

    assert len(reader) == 2
    reader.close()


def test_a_question_of_several_parts_sees_one_state(catalogue, path):
    reader = Catalogue.open(path)
    put(catalogue, "a")

    with reader.reading():
        assert len(reader) == 1
        put(catalogue, "b")
        with reader.reading():
            assert len(reader) == 1
        assert len(reader) == 1
    assert len(reader) == 2
    reader.close()


def put_until_it_fails(catalogue):
    for number in range(500):
        put(catalogue, Paper(id=f"p{number}", title="T", abstract="long words " * 500))


def test_a_full_disk_is_told_and_what_was_committed_stays(catalogue, path):
    put(catalogue, "a")
    catalogue.select("PRAGMA max_page_count = 60")

    with pytest.raises(LibraryError, match="disk is full.*Papers added before this are kept") as raised:
        put_until_it_fails(catalogue)
    assert raised.value.exit_code == 4
    kept = len(catalogue)
    catalogue.close()
    again = Catalogue.open(path)
    assert 1 < len(again) == kept == again.generation
    assert again.select("PRAGMA integrity_check") == [("ok",)]
    again.close()


LIMITED = """
import resource, sys
from pathlib import Path
from test_store_catalogue import Catalogue, put, put_until_it_fails
catalogue = Catalogue.open(Path(sys.argv[1]), create=True)
put(catalogue, "a")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    put_until_it_fails(catalogue)
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_file_that_may_not_grow_is_told_and_what_was_committed_stays(path):
    told = run(LIMITED, path)

    assert told.startswith("LibraryError")
    again = Catalogue.open(path)
    assert 1 < len(again) == again.generation
    assert again.select("PRAGMA integrity_check") == [("ok",)]
    again.close()


def run(code, *arguments):
    """Run code in another process, in this folder, without root's right to write everywhere; returns what it printed."""
    program = f"import sys; sys.path[:0] = {sys.path[:3]!r}\n{code}"
    command = [sys.executable, "-c", ORDINARY, "-c", program, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


ORDINARY = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


READ_ONLY = """
from pathlib import Path
from test_store_catalogue import Catalogue, put
catalogue = Catalogue.open(Path(sys.argv[1]))
print(len(catalogue), catalogue.papers([1])[1].id)
for write in (lambda: put(catalogue, "b"), lambda: Catalogue.open(Path(sys.argv[1]).with_name("new"), create=True)):
    try:
        write()
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize("in_use", [False, True])
def test_a_library_on_read_only_media_can_be_read(tmp_path, in_use):
    folder = tmp_path / "odd ?#% name"
    folder.mkdir()
    catalogue = Catalogue.open(folder / "catalogue.sqlite3", create=True)
    put(catalogue, "a")
    if not in_use:
        catalogue.close()
    for file in (*folder.iterdir(), folder):
        file.chmod(0o555)

    lines = run(READ_ONLY, folder / "catalogue.sqlite3").splitlines()

    folder.chmod(0o755)
    catalogue.close()
    assert lines[0] == "1 a"
    assert [line.partition(" ")[0] for line in lines[1:]] == ["LibraryError", "LibraryError"]
    assert all("cannot be written. Choose a folder of yours" in line for line in lines[1:])


def test_a_busy_file_is_not_taken_for_read_only_media(path):
    Catalogue.open(path, create=True).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("BEGIN EXCLUSIVE")

    with pytest.MonkeyPatch.context() as patch:
        connect = sqlite3.connect
        patch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options | {"timeout": 0.01}))
        with pytest.raises(LibraryError, match="in use by another program"):
            Catalogue.open(path)
    holder.close()


# -- files that are not as they should be ----------------------------------------------------------------------------------


def test_a_missing_library_is_told_with_what_to_do(path):
    with pytest.raises(LibraryError, match="There is no library at .*Make one: abstracts add FILE"):
        Catalogue.open(path)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"garbage " * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_told(path, content):
    path.write_bytes(content)

    with pytest.raises(LibraryError, match="is damaged"):
        Catalogue.open(path)
    assert path.read_bytes() == content


def read_and_write(path):
    catalogue = Catalogue.open(path)
    catalogue.papers(catalogue.rows())
    put(catalogue, *(f"q{number}" for number in range(200)))


def test_a_torn_file_is_told_not_a_traceback(catalogue, path):
    put(catalogue, *(f"p{number}" for number in range(200)))
    catalogue.close()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])

    with pytest.raises(LibraryError, match="damaged"):
        read_and_write(path)


def test_a_lost_full_text_index_is_told(catalogue):
    put(catalogue, "a")
    catalogue.select("DROP TABLE fulltext")

    with pytest.raises(LibraryError, match="damaged .no such table: .*fulltext"):
        catalogue.select("SELECT rowid FROM fulltext")


def test_an_empty_file_is_an_empty_library(path):
    path.touch()

    catalogue = Catalogue.open(path)
    assert len(catalogue) == 0
    catalogue.close()


def test_a_foreign_database_is_refused_and_left_alone(path):
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE recipes (name)")
    foreign.close()

    with pytest.raises(LibraryError, match="a SQLite file, but no catalogue of ours"):
        Catalogue.open(path, create=True)
    foreign = sqlite3.connect(path)
    assert foreign.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
    foreign.close()


def test_a_folder_in_its_place_is_told(path):
    path.mkdir()

    with pytest.raises(LibraryError):
        Catalogue.open(path, create=True)


def test_closing_twice_does_nothing(catalogue):
    catalogue.close()
    catalogue.close()


# -- migrations ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def schema(tmp_path, monkeypatch):
    """A copy of the schema folder that a test may add to."""
    folder = tmp_path / "schema"
    folder.mkdir()
    for step in files("store").joinpath("schema").iterdir():
        shutil.copy(str(step), folder)
    monkeypatch.setattr(database, "_SCHEMA", folder)
    return folder


NOTES = """-- Notes; by hand.
ALTER TABLE papers ADD COLUMN note TEXT;
UPDATE facts
SET value = value + 100 WHERE name = 'generation';
-- End"""


def test_an_older_library_is_brought_up_to_date_once_and_keeps_its_papers(catalogue, path, schema):
    put(catalogue, "a", "b")
    before = catalogue.papers(catalogue.rows())
    (schema / "0002_notes.sql").write_text(NOTES)

    for _ in range(2):
        newer = Catalogue.open(path)
        assert newer.papers(newer.rows()) == before
        assert newer.select("SELECT note FROM papers") == [(None,), (None,)]
        assert newer.generation == 101
        newer.close()


def test_a_migration_that_fails_leaves_the_library_as_it_was(catalogue, path, schema):
    put(catalogue, "a")
    (schema / "0002_notes.sql").write_text(NOTES)
    (schema / "0003_wrong.sql").write_text("ALTER TABLE no_such_table ADD COLUMN x;")

    with pytest.raises(LibraryError):
        Catalogue.open(path)
    assert catalogue.generation == 1
    assert catalogue.select("PRAGMA user_version") == [(1,)]


def test_a_library_of_a_newer_version_is_refused(catalogue, path, schema):
    (schema / "0002_notes.sql").write_text(NOTES)
    Catalogue.open(path).close()
    (schema / "0002_notes.sql").unlink()

    with pytest.raises(LibraryError, match="made by a newer version of abstracts. Upgrade: pip install -U"):
        Catalogue.open(path)


RACE = """
import time
from pathlib import Path
from test_store_catalogue import Catalogue, put
while time.time() < float(sys.argv[2]):
    pass
catalogue = Catalogue.open(Path(sys.argv[1]), create=True)
put(catalogue, sys.argv[3])
"""


def test_processes_that_make_a_library_at_the_same_moment_all_succeed(path):
    start = str(time.time() + 1.5)
    code = f"import sys; sys.path[:0] = {sys.path[:3]!r}\n{RACE}"
    racers = [subprocess.Popen([sys.executable, "-c", code, str(path), start, name]) for name in "abc"]

    assert [racer.wait(timeout=60) for racer in racers] == [0, 0, 0]
    catalogue = Catalogue.open(path)
    assert catalogue.contents().keys() == {"a", "b", "c"}
    catalogue.close()


# -- names -----------------------------------------------------------------------------------------------------------------


def test_a_paper_is_named_by_its_id_or_its_beginning(catalogue):
    put(catalogue, "abc1", "abd2", "ab", "100%", "a_c")

    for name, row in {"abc1": 1, "abc": 1, "ABD": 2, "ab": 3, "100": 4, "100%": 4, "a_c": 5, "a_": 5}.items():
        assert catalogue.row_of(name) == row


@pytest.mark.parametrize("name", ["", "x", "%", "_bc1", "a%1", "\\", "' OR 1=1 --", "\ud800", "abc1 ", "1"])
def test_an_unknown_name_is_told_with_what_to_do(catalogue, name):
    put(catalogue, "abc1", "abd2")

    with pytest.raises(UsageError, match="No paper has the id .*Find one: abstracts search WORDS"):
        catalogue.row_of(name)


def test_an_ambiguous_name_lists_the_papers(catalogue):
    put(catalogue, *(f"abc{number}" for number in range(9)))

    with pytest.raises(UsageError, match="begin with 'abc': abc0, abc1, abc2, abc3, abc4. Give more of it"):
        catalogue.row_of("abc")
