"""Batches beneath the command line: histories, results that are resumed or refused, and runs of six columns."""

from __future__ import annotations

import gzip
import json

import pytest

from assistant.answers import Answer
from assistant.batches import answer_batch, read_history, search_batch
from assistant.questions import Turn
from store.errors import SourceError, UsageError
from store.library import Library, Place, plan
from store.search import Search


class Recorder:
    """An engine that writes down what it is asked."""

    def __init__(self):
        self.asked = []

    def ask(self, text, *, history=(), filters=()):
        self.asked.append((text, list(history), list(filters)))
        return Answer(question=text, status="answered", reason=None, text=f"Re: {text} α\u2028β")


@pytest.fixture
def engine():
    """An engine that only records."""
    return Recorder()


@pytest.fixture
def batch(tmp_path):
    """Three questions."""
    return written(tmp_path / "batch.jsonl", *({"id": name, "question": f"{name}?"} for name in "abc"))


def written(path, *lines):
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    return path


def ids(path):
    return [json.loads(line)["id"] for line in path.read_bytes().split(b"\n") if line]


# -- histories -----------------------------------------------------------------------------------------------------------


def test_a_history_is_read_in_order_and_blank_lines_are_passed_over(tmp_path):
    (tmp_path / "h.jsonl").write_text(
        '{"role": "user", "text": "α?"}\n\n  \n{"role": "assistant", "text": "", "more": 1}', "utf-8"
    )

    assert read_history(tmp_path / "h.jsonl") == [Turn("user", "α?"), Turn("assistant", "")]


def test_a_packed_history_is_read(tmp_path):
    (tmp_path / "h.jsonl.gz").write_bytes(gzip.compress(b'{"role": "user", "text": "x"}'))

    assert read_history(tmp_path / "h.jsonl.gz") == [Turn("user", "x")]


def test_a_history_names_the_line_that_is_no_turn(tmp_path):
    path = written(tmp_path / "h.jsonl", {"role": "user", "text": "x"}, {"role": "tool", "text": "x"})

    with pytest.raises(SourceError, match=r"h\.jsonl, line 2: a turn is"):
        read_history(path)


@pytest.mark.parametrize("name", ["none.jsonl", "."])
def test_a_history_that_cannot_be_read_is_told(name, tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_history(tmp_path / name)


# -- answers -------------------------------------------------------------------------------------------------------------


def test_a_batch_is_asked_in_order_with_its_histories_and_filters(engine, tmp_path):
    turns = [{"role": "user", "text": "x"}]
    path = written(
        tmp_path / "b.jsonl", {"id": 0, "question": "a?", "history": turns}, {"id": 1, "question": "b?", "history": None}
    )
    done = list(answer_batch(engine, path, tmp_path / "out.jsonl", filters=["year=2025"]))

    assert done == [1, 2]
    assert engine.asked == [("a?", [Turn("user", "x")], ["year=2025"]), ("b?", [], ["year=2025"])]
    assert ids(tmp_path / "out.jsonl") == [0, 1]


def test_an_answer_is_one_line_whatever_separators_are_in_it(engine, batch, tmp_path):
    list(answer_batch(engine, batch, tmp_path / "out.jsonl"))

    assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == 3
    assert "α\u2028β" in (tmp_path / "out.jsonl").read_text("utf-8")


def test_a_batch_that_is_done_is_not_asked_again(engine, batch, tmp_path):
    list(answer_batch(engine, batch, tmp_path / "out.jsonl"))
    engine.asked.clear()

    assert list(answer_batch(engine, batch, tmp_path / "out.jsonl")) == []
    assert engine.asked == []


def test_an_answer_is_written_before_the_next_question(engine, batch, tmp_path):
    steps = answer_batch(engine, batch, tmp_path / "out.jsonl")
    next(steps)
    written_so_far = ids(tmp_path / "out.jsonl")
    steps.close()

    assert written_so_far == ["a"]
    assert list(answer_batch(engine, batch, tmp_path / "out.jsonl")) == [2, 3]
    assert [text for text, _, _ in engine.asked] == ["a?", "b?", "c?"]


@pytest.mark.parametrize("rest", [b"{", b'{"id": ', b'{"id": "a", "quest'])
def test_a_first_line_that_a_kill_cut_off_is_written_anew(rest, engine, batch, tmp_path):
    (tmp_path / "out.jsonl").write_bytes(rest)
    list(answer_batch(engine, batch, tmp_path / "out.jsonl"))

    assert ids(tmp_path / "out.jsonl") == ["a", "b", "c"]


@pytest.mark.parametrize("content", [b"notes", b'{"idx": 1', b'{"id": 1}\n', b"\xff\n", b"null\n"])
def test_a_file_of_something_else_is_refused_and_left_alone(content, engine, batch, tmp_path):
    (tmp_path / "out.jsonl").write_bytes(content)

    with pytest.raises(UsageError, match="holds no answers of ours"):
        list(answer_batch(engine, batch, tmp_path / "out.jsonl"))
    assert (tmp_path / "out.jsonl").read_bytes() == content
    assert engine.asked == []


def test_a_batch_is_not_written_over_itself(engine, tmp_path):
    path = written(tmp_path / "b.jsonl", {"id": "a", "question": "a?", "status": "answered"})
    content = path.read_bytes()

    with pytest.raises(UsageError, match="Choose another --out"):
        list(answer_batch(engine, path, tmp_path / "." / "b.jsonl"))
    assert path.read_bytes() == content


def test_answers_to_other_questions_are_told_by_their_ids(engine, batch, tmp_path):
    list(answer_batch(engine, batch, tmp_path / "out.jsonl"))
    other = written(tmp_path / "other.jsonl", {"id": "a", "question": "a?"}, {"id": "z", "question": "z?"})

    with pytest.raises(UsageError, match="other questions \\('b', not 'z'\\)"):
        list(answer_batch(engine, other, tmp_path / "out.jsonl"))


def test_a_batch_that_cannot_be_read_leaves_no_empty_file(engine, tmp_path):
    (tmp_path / "b.jsonl").write_text("not json")

    with pytest.raises(SourceError, match="is not JSON lines"):
        list(answer_batch(engine, tmp_path / "b.jsonl", tmp_path / "out.jsonl"))
    assert not (tmp_path / "out.jsonl").exists()


def test_an_empty_batch_has_no_answers(engine, tmp_path):
    (tmp_path / "b.jsonl").write_text("\n")

    assert list(answer_batch(engine, tmp_path / "b.jsonl", tmp_path / "out.jsonl")) == []
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("history", ["x", {"role": "user"}, [["user", "x"]], [{"role": "user"}]])
def test_a_history_that_is_none_is_refused_with_its_line(history, engine, tmp_path):
    path = written(tmp_path / "b.jsonl", {"id": "a", "question": "a?"}, {"id": "b", "question": "b?", "history": history})

    with pytest.raises(SourceError, match="line 2: (?:history is a list of turns|a turn is)"):
        list(answer_batch(engine, path, tmp_path / "out.jsonl"))
    assert ids(tmp_path / "out.jsonl") == ["a"]


# -- runs ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def search(tmp_path_factory):
    """A library whose ids have white space in them."""
    folder = tmp_path_factory.mktemp("spaced")
    papers = [
        {"id": f"paper {name}\u2003x", "title": f"On {name}", "abstract": f"We study {name} at length. It is found in 4 places."}
        for name in ("glaciers", "orchards")
    ]
    written(folder / "papers.jsonl", *papers)
    list(plan(Place(folder=folder / "library"), [str(folder / "papers.jsonl")]).carry_out())
    return Search(Library.open(Place(folder=folder / "library")))


def test_a_run_has_six_columns_whatever_is_in_an_id(search, tmp_path):
    path = written(tmp_path / "q.jsonl", {"_id": "query 1\t\n", "text": "glaciers"}, {"_id": 2.5, "text": "orchards"})
    done = list(search_batch(search, path, tmp_path / "run.trec", limit=1))
    columns = [line.split() for line in (tmp_path / "run.trec").read_text("utf-8").splitlines()]

    assert done == [1, 2]
    assert [(c[0], c[2], len(c)) for c in columns] == [
        ("query_1__", "paper_glaciers_x", 6),
        ("2.5", "paper_orchards_x", 6),
    ]


def test_a_run_is_over_the_rows_of_a_filter_only(search, tmp_path):
    path = written(tmp_path / "q.jsonl", {"_id": 1, "text": "glaciers and orchards"})
    row = search.find("orchards", limit=1)[0].row
    list(search_batch(search, path, tmp_path / "run.trec", limit=5, rows=[row]))

    assert (tmp_path / "run.trec").read_text("utf-8").count("\n") == 1
    assert "orchards" in (tmp_path / "run.trec").read_text("utf-8")


def test_half_a_run_is_not_to_be_seen_and_leaves_nothing(search, tmp_path):
    path = written(tmp_path / "q.jsonl", {"_id": 1, "text": "glaciers"}, {"_id": 2, "text": "orchards"})
    steps = search_batch(search, path, tmp_path / "run.trec", limit=1)
    next(steps)

    assert not (tmp_path / "run.trec").exists()
    steps.close()
    assert [file.name for file in tmp_path.iterdir()] == ["q.jsonl"]
