"""abstracts ask --batch and search --batch: many questions from a file, resumed where they stopped, and TREC runs."""

from __future__ import annotations

import gzip
import json
import signal
import time

import pytest
from test_cli_app import finished, is_told_in_a_line_or_two, run, spawn

QUESTIONS = [
    {"id": "a", "question": "How much faster is GraphZip on Pond-2?"},
    {
        "id": 2,
        "question": "On how many stations was it tested?",
        "history": [{"role": "user", "text": "What is RainNet?"}, {"role": "assistant", "text": "A model."}],
    },
    {"id": "c", "question": "Who won the football world cup in Berne?", "history": []},
]


@pytest.fixture
def batch(tmp_path):
    """Three questions, one with a history, and a blank line."""
    path = tmp_path / "questions.jsonl"
    path.write_text("\n\n".join(map(json.dumps, QUESTIONS)) + "\n")
    return path


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def without_seconds(answers):
    return [{**answer, "seconds": None} for answer in answers]


def test_a_batch_gives_one_answer_a_line_in_the_order_of_the_input(batch, place, tmp_path):
    shown = run("ask", "--batch", batch, "--out", tmp_path / "answers.jsonl", "-L", place.folder)
    answers = lines_of(tmp_path / "answers.jsonl")

    assert (shown.code, shown.out) == (0, "")
    assert [answer["id"] for answer in answers] == ["a", 2, "c"]
    assert "3.4x" in answers[0]["answer"]
    assert "412" in answers[1]["answer"]
    assert answers[2]["status"] == "abstained"


def test_a_batch_answers_as_single_questions_do(batch, place, tmp_path):
    run("ask", "--batch", batch, "--out", tmp_path / "answers.jsonl", "-L", place.folder)
    (tmp_path / "history.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS[1]["history"])))
    histories = [[], ["--history", tmp_path / "history.jsonl"], []]
    singles = [
        json.loads(run("ask", question["question"], *history, "--json", "-L", place.folder).out)
        for question, history in zip(QUESTIONS, histories, strict=True)
    ]
    answers = lines_of(tmp_path / "answers.jsonl")

    assert [answer.pop("id") for answer in answers] == ["a", 2, "c"]
    assert without_seconds(answers) == without_seconds(singles)


@pytest.mark.parametrize("kept", [0, 1, 2, 3])
@pytest.mark.parametrize("cut", [0, 40])
def test_a_batch_resumes_after_the_last_whole_line(kept, cut, batch, place, tmp_path):
    whole = tmp_path / "whole.jsonl"
    run("ask", "--batch", batch, "--out", whole, "-L", place.folder)
    content = whole.read_text("utf-8").splitlines(keepends=True)
    out = tmp_path / "answers.jsonl"
    out.write_text("".join(content[:kept]) + "".join(content[kept : kept + 1])[:cut])
    shown = run("ask", "--batch", batch, "--out", out, "-L", place.folder)

    assert shown.code == 0
    assert out.read_text("utf-8").splitlines(keepends=True)[:kept] == content[:kept]  # not asked again
    assert without_seconds(lines_of(out)) == without_seconds(lines_of(whole))


def test_a_batch_that_was_stopped_goes_on(place, tmp_path):
    many, out = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    questions = [{"id": number, "question": f"How fast is GraphZip in round {number}?"} for number in range(5000)]
    many.write_text("\n".join(map(json.dumps, questions)))
    process = spawn("ask", "--batch", many, "--out", out, "-L", place.folder)
    for _ in range(600):
        if out.exists() and out.stat().st_size > 20_000:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    done = finished(process)
    answered = len(lines_of(out))
    many.write_text("\n".join(map(json.dumps, questions[: answered + 2])))
    again = run("ask", "--batch", many, "--out", out, "-L", place.folder)

    assert done.code == 130
    assert 0 < answered < 5000
    assert again.code == 0
    assert [line["id"] for line in lines_of(out)] == list(range(answered + 2))


def test_a_packed_batch_is_read(place, tmp_path):
    (tmp_path / "questions.jsonl.gz").write_bytes(gzip.compress(json.dumps(QUESTIONS[0]).encode()))
    shown = run("ask", "--batch", tmp_path / "questions.jsonl.gz", "--out", tmp_path / "answers.jsonl", "-L", place.folder)

    assert shown.code == 0
    assert [line["id"] for line in lines_of(tmp_path / "answers.jsonl")] == ["a"]


@pytest.mark.parametrize(
    "content", ['{"id": "other", "question": "x", "status": "answered"}\n', "my notes\n", '{"no": "id"}\n', "[1, 2]\n"]
)
def test_an_output_of_something_else_is_refused_and_left_alone(content, batch, place, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text(content)
    shown = run("ask", "--batch", batch, "--out", out, "-L", place.folder)

    assert shown.code == 2
    assert "Choose another --out" in shown.err
    assert is_told_in_a_line_or_two(shown.err)
    assert out.read_text() == content


@pytest.mark.parametrize("command", ["ask", "search"])
def test_an_output_that_cannot_be_written_is_told(command, batch, place, tmp_path):
    shown = run(command, "--batch", batch, "--out", tmp_path / "no/such/folder.jsonl", "-L", place.folder)

    assert shown.code == 2
    assert is_told_in_a_line_or_two(shown.err)


@pytest.mark.parametrize("command", ["ask", "search"])
@pytest.mark.parametrize(
    "given", [["x", "--batch", "b"], ["--batch", "b"], ["x", "--out", "o"], ["x", "--batch", "b", "--out", "o"], []]
)
def test_half_a_batch_is_refused(command, given, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run(command, *given, "-L", place.folder)

    assert shown.code == 2
    assert "--batch FILE with --out FILE" in shown.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"not json\n",
        b"[]\n",
        b'{"question": "no id"}\n',
        b'{"id": "x"}\n',
        b'{"id": "x", "question": " "}\n',
        b'{"id": "x", "question": 7}\n',
        b"\xff\xfe\n",
        b'{"id": "x", "question": "y", "history": [{"role": "system", "text": "z"}]}\n',
    ],
)
def test_a_line_that_is_no_question_is_refused_after_the_answers_before_it(content, place, tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_bytes(json.dumps(QUESTIONS[0]).encode() + b"\n" + content)
    shown = run("ask", "--batch", path, "--out", tmp_path / "answers.jsonl", "-L", place.folder)

    assert shown.code == 3
    assert str(path) in shown.err
    assert is_told_in_a_line_or_two(shown.err)
    if b"\xff" not in content:  # a file is read ahead: what cannot be decoded may be met before the first line is
        assert [line["id"] for line in lines_of(tmp_path / "answers.jsonl")] == ["a"]


@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_batch_that_is_not_there_or_no_gzip_is_told(command, place, tmp_path):
    (tmp_path / "fake.jsonl.gz").write_bytes(b"not packed")
    for name in ("none.jsonl", "fake.jsonl.gz"):
        shown = run(command, "--batch", tmp_path / name, "--out", tmp_path / f"{name}.out", "-L", place.folder)
        assert shown.code == 3
        assert is_told_in_a_line_or_two(shown.err)


def test_a_search_batch_is_a_trec_run(place, tmp_path):
    queries = [{"_id": "q1", "text": "graph compression"}, {"_id": 2, "text": "rain sensors"}, {"_id": "q3", "text": ""}]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    shown = run("search", "--batch", tmp_path / "queries.jsonl", "--out", tmp_path / "run.trec", "-k", "3", "-L", place.folder)
    rows = [line.split(" ") for line in (tmp_path / "run.trec").read_text().splitlines()]

    assert shown.code == 0
    assert {len(row) for row in rows} == {6}
    assert [row[0] for row in rows] == ["q1"] * 3 + ["2"] * 3  # a blank query finds nothing
    assert {(row[1], row[5]) for row in rows} == {("Q0", "abstracts")}
    assert [int(row[3]) for row in rows] == [1, 2, 3, 1, 2, 3]
    scores = [float(row[4]) for row in rows[:3]]
    assert scores == sorted(scores, reverse=True)
    single = json.loads(run("search", "graph compression", "-k", "3", "--json", "-L", place.folder).out)["hits"]
    assert [row[2] for row in rows[:3]] == [hit["id"] for hit in single]


def test_a_packed_corpus_and_packed_queries_make_a_run_with_two_commands(tmp_path):
    corpus = [
        {
            "_id": f"doc-{n}",
            "title": f"On {word}",
            "text": f"We study {word} at length. It is found in 4 of 9 places.",
            "metadata": {},
        }
        for n, word in enumerate(("glaciers", "enzymes", "orchards"))
    ]
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, corpus)).encode()))
    (tmp_path / "queries.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "7", "text": "apple orchards"}\n'))
    run("add", tmp_path / "corpus.jsonl.gz", "-L", tmp_path / "library")
    run("search", "--batch", tmp_path / "queries.jsonl.gz", "--out", tmp_path / "run.trec", "-L", tmp_path / "library")

    assert (tmp_path / "run.trec").read_text().startswith("7 Q0 doc-2 1 ")


@pytest.mark.parametrize("content", ["not json\n", '{"text": "no id"}\n', '{"_id": "x"}\n', '{"_id": "x", "text": 7}\n', "7\n"])
def test_half_a_run_is_never_left_for_a_whole_one(content, place, tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "rain"}\n' + content)
    (tmp_path / "run.trec").write_text("an older run\n")
    shown = run("search", "--batch", tmp_path / "queries.jsonl", "--out", tmp_path / "run.trec", "-L", place.folder)

    assert shown.code == 3
    assert is_told_in_a_line_or_two(shown.err)
    assert (tmp_path / "run.trec").read_text() == "an older run\n"


def test_an_output_without_a_final_newline_that_is_not_ours_is_left_alone(batch, place, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("precious notes, no newline at the end")
    shown = run("ask", "--batch", batch, "--out", out, "-L", place.folder)

    assert shown.code == 2
    assert out.read_text() == "precious notes, no newline at the end"


@pytest.mark.parametrize("command", ["ask", "search"])
def test_the_batch_itself_is_no_output(command, batch, place):
    before = batch.read_bytes()
    shown = run(command, "--batch", batch, "--out", batch, "-L", place.folder)

    assert shown.code in (2, 3)
    assert batch.read_bytes() == before


@pytest.mark.parametrize("history", [7, "x", ["x"], [7], {"role": "user", "text": "x"}])
def test_a_history_that_is_no_list_of_turns_is_refused(history, place, tmp_path):
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "a", "question": "x", "history": history}))
    shown = run("ask", "--batch", tmp_path / "q.jsonl", "--out", tmp_path / "o.jsonl", "-L", place.folder)

    assert shown.code == 3
    assert is_told_in_a_line_or_two(shown.err)


def test_ids_with_white_space_do_not_break_the_columns_of_a_run(tmp_path):
    paper = {"id": "a paper", "abstract": "We study glaciers at length. They are found in 4 of 9 places."}
    (tmp_path / "p.jsonl").write_text(json.dumps(paper))
    (tmp_path / "q.jsonl").write_text('{"_id": "q 1", "text": "glaciers"}\n')
    run("add", tmp_path / "p.jsonl", "-L", tmp_path / "library")
    shown = run("search", "--batch", tmp_path / "q.jsonl", "--out", tmp_path / "r.trec", "-L", tmp_path / "library")

    assert shown.code == 0
    assert (tmp_path / "r.trec").read_text().split()[:4] == ["q_1", "Q0", "a_paper", "1"]


@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_failed_batch_leaves_nothing_behind(command, place, tmp_path):
    run(command, "--batch", tmp_path / "none.jsonl", "--out", tmp_path / "out", "-L", place.folder)

    assert list(tmp_path.iterdir()) == []


def test_strict_goes_with_one_question(batch, place, tmp_path):
    shown = run("ask", "--strict", "--batch", batch, "--out", tmp_path / "out", "-L", place.folder)

    assert shown.code == 2
    assert is_told_in_a_line_or_two(shown.err)
    assert not (tmp_path / "out").exists()
