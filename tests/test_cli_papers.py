"""abstracts search, show, status, remove and demo: what they print, for people and as JSON."""

from __future__ import annotations

import json
import re

import pytest
from test_cli_app import is_told_in_a_line_or_two, run


def data(*arguments):
    """What a command that must work prints as JSON."""
    shown = run(*arguments, "--json")
    assert shown.code == 0, shown.err
    return json.loads(shown.out)


@pytest.fixture
def own(paste, tmp_path):
    """A library of six papers that a test may change."""
    assert run("add", paste, "-L", tmp_path / "library").code == 0
    return tmp_path / "library"


def ids_in(library):
    return [hit["id"] for hit in data("search", "graphs rain", "-k", "100", "-L", library)["hits"]]


# -- search ------------------------------------------------------------------------------------------------------------


def test_hits_have_rank_score_and_the_best_sentence(place):
    found = data("search", "packets lost in rain", "-L", place.folder)

    assert set(found) == {"query", "hits"}
    assert found["query"] == "packets lost in rain"
    first = found["hits"][0]
    assert set(first) - {"title_inferred"} == {"rank", "id", "title", "score", "sentence"}
    assert first["title"].startswith("RainNet")
    assert first["sentence"] in data("show", first["id"], "-L", place.folder)["abstract"]
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    assert all(0 <= hit["score"] <= 1 for hit in found["hits"])


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_k_limits_the_hits(limit, place):
    assert len(data("search", "graphs", "-k", str(limit), "-L", place.folder)["hits"]) == min(limit, 6)


def test_hits_are_shown_to_people(place):
    shown = run("search", "packets lost in rain", "-k", "1", "-L", place.folder)

    assert shown.code == 0
    assert re.search(r"^ 1  RainNet", shown.out, re.MULTILINE)
    assert " id " in shown.out


@pytest.mark.parametrize("query", ["", "  "])
def test_a_blank_query_is_refused(query, place):
    shown = run("search", query, "-L", place.folder)

    assert shown.code == 2
    assert is_told_in_a_line_or_two(shown.err)


def test_nothing_found_is_said(place):
    shown = run("search", "graphs", "--filter", "id=nobody", "-L", place.folder)

    assert (shown.code, shown.out) == (0, "Nothing found.\n")


# -- show --------------------------------------------------------------------------------------------------------------


def test_a_paper_is_shown_as_stored(place, paste):
    paper = data("show", ids_in(place.folder)[0], "-L", place.folder)

    assert {"id", "title", "title_inferred", "abstract", "authors", "venue", "year", "url", "doi", "keywords"} < set(paper)
    assert paper["abstract"] in paste.read_text("utf-8")
    spans = [(span["start"], span["end"]) for span in paper["sentences"]]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(paper["abstract"]) for start, end in spans)


def test_a_paper_is_shown_to_people(place):
    name = next(hit["id"] for hit in data("search", "rain", "-L", place.folder)["hits"])
    shown = run("show", name, "-L", place.folder)

    assert shown.code == 0
    assert f"id {name}" in shown.out
    assert "recurrent model" in " ".join(shown.out.split())


def test_an_abstract_that_was_cut_off_is_marked(place):
    name = data("search", "early instructions in long chats", "-L", place.folder)["hits"][0]["id"]

    assert "stops inside a sentence" in run("show", name, "-L", place.folder).out
    assert data("show", name, "-L", place.folder)["flags"] == ["cut_off"]


def test_the_beginning_of_an_id_is_enough(place):
    name = ids_in(place.folder)[0]

    assert data("show", name[:6], "-L", place.folder)["id"] == name


@pytest.mark.parametrize("command", ["show", "remove"])
@pytest.mark.parametrize("name", ["nobody", "", "%", "_", "' OR 1=1 --"])
def test_an_id_that_is_none_is_told(command, name, place):
    shown = run(command, name, "-L", place.folder)

    assert shown.code == 2
    assert "No paper has the id" in shown.err
    assert is_told_in_a_line_or_two(shown.err)


def test_an_id_that_could_be_several_lists_them(tmp_path):
    lines = [{"id": f"doc-{n}", "abstract": f"We study thing {n} at length. It is found in {n} of 9 places."} for n in range(3)]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run("add", tmp_path / "papers.jsonl", "-L", tmp_path / "library")
    shown = run("show", "doc", "-L", tmp_path / "library")

    assert shown.code == 2
    assert "doc-0, doc-1, doc-2" in shown.err


# -- status and remove -------------------------------------------------------------------------------------------------


def test_the_status_says_what_the_library_holds(own):
    report = data("status", "-L", own)

    assert report["library"] == str(own)
    assert (report["papers"], report["chunks"]) == (6, 6)
    assert report["embedding"] == {"name": "local-minilm", "dimensions": 384}
    assert report["flags"] == {"title_inferred": 6, "cut_off": 1}
    assert "title" in report["fields"]
    assert report["index"]["current"] is True
    assert report["bytes"] > 0
    assert [addition["added"] for addition in report["additions"]] == [6]


def test_the_status_is_shown_to_people(own):
    shown = run("status", "-L", own)

    assert shown.code == 0
    assert re.search(r"papers\s+6 in 6 chunks", shown.out)
    assert "local-minilm, 384 dimensions" in shown.out


def test_removed_papers_are_gone_from_everything(own):
    gone, *left = ids_in(own)
    result = data("remove", gone[:7], "-L", own)

    assert result == {"removed": [gone], "papers": 5}
    assert sorted(ids_in(own)) == sorted(left)
    assert run("show", gone, "-L", own).code == 2
    report = data("status", "-L", own)
    assert (report["papers"], report["index"]["current"]) == (5, True)


def test_several_papers_are_removed_all_or_none(own):
    first, second, *_ = ids_in(own)

    assert run("remove", first, "nobody", "-L", own).code == 2
    assert data("status", "-L", own)["papers"] == 6
    assert "4 papers left" in run("remove", first, second, "-L", own).out


def test_a_removed_paper_may_be_added_again(own, paste):
    gone = ids_in(own)[0]
    run("remove", gone, "-L", own)
    receipt = data("add", paste, "-L", own)

    assert (receipt["added"], receipt["unchanged"]) == (1, 5)
    assert gone in ids_in(own)


# -- demo --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """What the demo printed, and where its library lies."""
    folder = tmp_path_factory.mktemp("demo") / "library"
    return run("demo", "-L", folder), folder


def test_the_demo_answers_three_questions_and_leaves_one_open(demo):
    shown, folder = demo

    assert shown.code == 0
    assert shown.err == ""
    assert f"A library of 60 well-known machine-learning papers, at {folder}" in shown.out
    assert shown.out.count("$ abstracts ask") == 4
    answers = shown.out.split("$ abstracts ask")[1:]
    assert all("“" in answer for answer in answers[:3])
    assert "10,000" in answers[0]
    assert "abstracts add papers.txt" in shown.out


def test_the_demo_library_stays_and_is_not_built_twice(demo):
    _, folder = demo
    generation = data("status", "-L", folder)["generation"]
    again = run("demo", "-L", folder)

    assert again.code == 0
    assert data("status", "-L", folder)["generation"] == generation
    answer = data("ask", "By what factor does LoRA reduce the number of trainable parameters?", "-L", folder)
    assert answer["citations"][0]["paper"]["title"].startswith("LoRA")


def test_the_demo_has_a_library_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    shown = run("demo", "--quiet")

    assert shown.code == 0
    assert [path.name for path in (tmp_path / "abstracts").iterdir()] == ["demo"]
