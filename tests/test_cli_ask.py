"""abstracts ask: the answer as the contract prints it, follow-ups, filters, --strict and what it refuses."""

from __future__ import annotations

import json

import pytest
from test_cli_app import finished, is_told_in_a_line_or_two, run, spawn

QUESTION = "How much faster is GraphZip on the Pond-2 graph?"
CONTRACT = set(
    "question mode model status reason answer claims citations hits missing confidence usage seconds".split(),
)
OFF_SUBJECT = "Who won the football world cup in Berne?"


@pytest.fixture
def asked(place):
    """Ask with --json; returns the answer. A command that fails is an error."""

    def ask(*arguments, code=0):
        shown = run("ask", *arguments, "--json", "-L", place.folder)
        assert shown.code == code, shown.err
        return json.loads(shown.out)

    return ask


def turns(tmp_path, *texts):
    """A history file: the user and the assistant in turn."""
    path = tmp_path / "history.jsonl"
    lines = [{"role": ("user", "assistant")[at % 2], "text": text} for at, text in enumerate(texts)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_the_answer_has_the_shape_of_the_contract(asked):
    answer = asked(QUESTION)

    assert set(answer) - {"note"} == CONTRACT
    assert (answer["question"], answer["mode"], answer["model"]) == (QUESTION, "extractive", None)
    assert (answer["status"], answer["reason"]) == ("answered", None)
    assert "3.4x" in answer["answer"]
    assert answer["answer"].endswith("[1]")
    assert 0 <= answer["confidence"] <= 1
    assert answer["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "calls": 0}
    assert set(answer["seconds"]) == {"retrieve", "answer", "total"}
    assert all(isinstance(word, str) for word in answer["missing"])
    for claim in answer["claims"]:
        assert set(claim) == {"text", "citations", "verdict", "problems"}
        assert claim["verdict"] == "supported"
        assert set(claim["citations"]) <= {citation["number"] for citation in answer["citations"]}
    for citation in answer["citations"]:
        assert set(citation) == {"number", "paper", "quotes"}
        assert set(citation["paper"]) == {"id", "title", "title_inferred", "authors", "venue", "year", "url"}
    for rank, hit in enumerate(answer["hits"], 1):
        assert set(hit) - {"title_inferred"} == {"rank", "id", "title", "score"}
        assert hit["rank"] == rank
        assert 0 <= hit["score"] <= 1
    assert [hit["score"] for hit in answer["hits"]] == sorted((hit["score"] for hit in answer["hits"]), reverse=True)


def test_every_quote_is_the_abstract_at_its_offsets(asked, place):
    answer = asked("What halves the error of linear interpolation?")

    assert answer["citations"]
    for citation in answer["citations"]:
        paper = json.loads(run("show", citation["paper"]["id"], "--json", "-L", place.folder).out)
        for quote in citation["quotes"]:
            assert set(quote) == {"text", "start", "end"}
            assert quote["text"]
            assert paper["abstract"][quote["start"] : quote["end"]] == quote["text"]


def test_citations_are_numbered_in_the_order_of_first_use(asked):
    answer = asked("Which papers use the name GraphZip?")
    used = [number for claim in answer["claims"] for number in claim["citations"]]

    assert [citation["number"] for citation in answer["citations"]] == list(range(1, len(answer["citations"]) + 1))
    assert list(dict.fromkeys(used)) == [citation["number"] for citation in answer["citations"]]
    assert len({citation["paper"]["id"] for citation in answer["citations"]}) == len(answer["citations"])


def test_people_see_the_answer_and_the_sentences_it_rests_on(place):
    shown = run("ask", QUESTION, "-L", place.folder)

    assert shown.code == 0
    assert "[1] GraphZip" in shown.out
    assert "(title inferred)" in shown.out
    assert "“" in shown.out
    assert "3.4x faster than exact factorisation" in " ".join(shown.out.split())


def test_the_same_question_gives_the_same_answer(asked):
    first, second = (asked("How many shirts does FoldBot fail on?") for _ in range(2))

    assert {**first, "seconds": None} == {**second, "seconds": None}


def test_extractive_is_the_default(asked):
    assert {**asked(QUESTION), "seconds": None} == {**asked(QUESTION, "--extractive"), "seconds": None}


def test_a_follow_up_is_understood_from_its_history(asked, tmp_path):
    history = turns(tmp_path, "What is RainNet?", "A recurrent model that fills gaps. [1]")
    answer = asked("On how many stations was it tested?", "--history", history)

    assert "412 stations" in answer["answer"]
    assert answer["question"] == "On how many stations was it tested?"


def test_a_history_of_nothing_changes_nothing(asked, tmp_path):
    (tmp_path / "history.jsonl").write_text("\n\n")

    assert {**asked(QUESTION), "seconds": None} == {**asked(QUESTION, "--history", tmp_path / "history.jsonl"), "seconds": None}


@pytest.mark.parametrize(
    "content",
    [
        b'{"role": "system", "text": "x"}',
        b'{"role": "user"}',
        b'{"role": "user", "text": 7}',
        b"[]",
        b'"x"',
        b"not json",
        b"\xff\xfe{",
    ],
)
def test_a_history_that_is_none_is_refused(content, place, tmp_path):
    (tmp_path / "history.jsonl").write_bytes(content)
    shown = run("ask", QUESTION, "--history", tmp_path / "history.jsonl", "-L", place.folder)

    assert shown.code == 3
    assert str(tmp_path / "history.jsonl") in shown.err
    assert is_told_in_a_line_or_two(shown.err)


def test_a_history_that_is_not_there_is_told(place, tmp_path):
    shown = run("ask", QUESTION, "--history", tmp_path / "none.jsonl", "-L", place.folder)

    assert shown.code == 3
    assert is_told_in_a_line_or_two(shown.err)


@pytest.mark.parametrize("question", ["", " ", "\n\t"])
def test_a_blank_question_is_refused(question, place):
    shown = run("ask", question, "-L", place.folder)

    assert shown.code == 2
    assert "empty" in shown.err
    assert is_told_in_a_line_or_two(shown.err)


@pytest.mark.parametrize(
    "question", ["?", "!!!", "the of and", 'C++ AND (NEAR foo:bar* "x', "'; DROP TABLE papers; --", "κ🙂", "a" * 20_000]
)
def test_odd_questions_are_only_text(question, asked):
    assert asked(question)["status"] in ("answered", "partial", "abstained")


def test_a_question_that_begins_with_a_dash_stands_after_two(place):
    shown = run("ask", "-L", place.folder, "--json", "--", "-how much faster is GraphZip on the Pond-2 graph?")

    assert shown.code == 0
    assert json.loads(shown.out)["question"].startswith("-how")


def test_a_question_and_nothing_else_is_needed(place):
    shown = run("ask", "-L", place.folder)

    assert shown.code == 2
    assert "--batch FILE with --out FILE" in shown.err
    assert is_told_in_a_line_or_two(shown.err)


def test_a_question_off_the_subject_is_not_answered(asked):
    answer = asked(OFF_SUBJECT)

    assert answer["status"] == "abstained"
    assert answer["reason"] in ("not_in_library", "not_in_abstracts")
    assert answer["confidence"] < 0.5


def test_strict_fails_where_there_is_no_supported_answer(place):
    assert run("ask", QUESTION, "--strict", "-L", place.folder).code == 0

    shown = run("ask", OFF_SUBJECT, "--strict", "-L", place.folder)
    assert shown.code == 1
    assert shown.out.strip()  # it still says what it has to say
    assert run("ask", OFF_SUBJECT, "-L", place.folder).code == 0


@pytest.mark.parametrize("filters", [["title~RainNet"], ["TITLE ~ rainnet"], ["id!=x", "title~RainNet"]])
def test_a_filter_leaves_only_papers_that_meet_it(filters, asked):
    given = [part for text in filters for part in ("--filter", text)]

    assert {hit["title"][:7] for hit in asked("How does it work?", *given)["hits"]} == {"RainNet"}


def test_a_filter_that_no_paper_meets_gives_no_answer(asked):
    answer = asked(QUESTION, "--filter", "id=nobody")

    assert (answer["status"], answer["reason"], answer["hits"]) == ("abstained", "not_in_library", [])
    assert "filter" in answer["answer"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("venu=NeurIPS", "Fields to filter by: id, title"), ("year>=2025", "Fields to filter by"), ("???", "Write it like")],
)
@pytest.mark.parametrize("command", [["ask", "x"], ["search", "x"]])
def test_a_filter_that_cannot_be_used_lists_the_fields(command, text, said, place):
    shown = run(*command, "--filter", text, "-L", place.folder)

    assert shown.code == 2
    assert said in shown.err
    assert is_told_in_a_line_or_two(shown.err)


def test_filters_compare_what_papers_have(tmp_path):
    rows = (2023, "ICML", "Ada Smith"), (2025, "NeurIPS", "Bo Smithers"), (2026, "NeurIPS", "Cy Jones")
    text = "We study graphs anew in {}. They are as large as ever."
    lines = [{"id": str(y), "abstract": text.format(y), "year": y, "venue": v, "authors": [a]} for y, v, a in rows]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run("add", tmp_path / "papers.jsonl", "-L", tmp_path / "library")
    found = {}
    for text in ("year>=2025", "year=2025", "year<2025", "venue=neurips", "author~smith", "author=Ada Smith", "venue!=ICML"):
        hits = json.loads(run("search", "graphs", "--filter", text, "--json", "-L", tmp_path / "library").out)["hits"]
        found[text] = sorted(hit["id"] for hit in hits)

    assert found == {
        "year>=2025": ["2025", "2026"],
        "year=2025": ["2025"],
        "year<2025": ["2023"],
        "venue=neurips": ["2025", "2026"],
        "author~smith": ["2023", "2025"],
        "author=Ada Smith": ["2023"],
        "venue!=ICML": ["2025", "2026"],
    }


def test_a_library_without_papers_says_so(paste, tmp_path):
    run("add", paste, "-L", tmp_path)
    ids = [hit["id"] for hit in json.loads(run("search", "graphs", "-k", "10", "--json", "-L", tmp_path).out)["hits"]]
    run("remove", *ids, "-L", tmp_path)
    shown = run("ask", "anything?", "--json", "-L", tmp_path)

    assert shown.code == 0
    assert json.loads(shown.out)["reason"] == "not_in_library"
    assert "no papers" in json.loads(shown.out)["answer"]


def test_a_key_is_never_printed(place, tmp_path):
    secret = "sk-this-must-not-be-shown"
    environment = {"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    local = finished(spawn("ask", QUESTION, "--json", "-L", place.folder, env=environment))
    papers = tmp_path / "papers.txt"
    papers.write_text(
        "We study queues under load. It halves the delay of every request we have seen, and it needs no training at all."
    )
    remote = finished(spawn("add", papers, "-L", tmp_path / "library", env={**environment, "ABSTRACTS_EMBEDDING": "openai:x"}))

    assert local.code == 0
    assert remote.code == 5
    assert is_told_in_a_line_or_two(remote.err)
    assert secret not in local.out + local.err + remote.out + remote.err
    assert not any(secret.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
