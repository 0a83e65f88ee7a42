"""How golden answers are scored: facts, papers, homonyms, abstentions, on answers made by hand."""

from __future__ import annotations

import hashlib
import json

import pytest

from assistant.answers import Answer, Citation, Claim, Quote, Ranked
from evals.golden import Item, has_all_facts, ids_by_key, load_items, score, shown_text
from store.papers import Paper


@pytest.fixture
def papers(library):
    """The papers of the small library by a word of theirs."""
    held = library.catalogue.papers(library.catalogue.rows()).values()
    words = ("Pond-2", "RainNet", "FoldBot", "ZINC")
    return {word: next(paper for paper in held if word in paper.abstract) for word in words}


def item(expected="answer", papers=(), **fields):
    values = {"id": "1", "type": "fact", "question": "?", "history": (), "reason": None, "also_ok": ()}
    return Item(**values | {"expected": expected, "papers": papers, "must_have": (), "must_not": ()} | fields)


def answer(*papers, status="answered", reason=None, quotes=(), text="", first=None):
    """Cites papers in order, the quotes all in the first citation; the first hit is `first`, or the first paper cited."""
    citations = tuple(Citation(n, paper, tuple(quotes) if n == 1 else ()) for n, paper in enumerate(papers, 1))
    hits = tuple(Ranked(1, paper, 0.9) for paper in ([first] if first else papers)[:1])
    claims = tuple(Claim(quote.text, (1,)) for quote in quotes)
    return Answer(question="?", status=status, reason=reason, text=text, claims=claims, citations=citations, hits=hits)


def quote(paper, text):
    start = paper.abstract.index(text)
    return Quote(text, start, start + len(text))


def share(items, answers, library, name):
    return score(items, answers, library).values[name]


def test_a_fact_is_shown_by_any_of_its_wordings_and_in_any_case(papers):
    asked = item(must_have=(("412 stations", "four hundred"), ("HALVES",)))
    found = papers["RainNet"]

    assert has_all_facts(asked, answer(found, text="412 Stations: RainNet halves the error"))
    assert not has_all_facts(asked, answer(found, text="RainNet halves the error"))
    assert has_all_facts(item(), answer(found))


def test_a_quote_counts_as_stored_and_as_displayed():
    paper = Paper(id="p", title="Title", title_inferred=False, abstract="It is $3 \\times$ faster.", source="s")
    shown = shown_text(answer(paper, quotes=[Quote("It is $3 \\times$ faster.", 0, 24)]))

    assert "$3 \\times$ faster" in shown
    assert "3 × faster" in shown


def test_the_right_paper_must_stand_first(papers, library):
    pond, rain = papers["Pond-2"], papers["RainNet"]
    items = [item(papers=(pond.id,))] * 2
    answers = [answer(pond), answer(rain, pond)]

    assert share(items, answers, library, "right paper first (one paper)") == (0.5, 2)
    assert share(items, answers, library, "right paper cited first (answered)") == (0.5, 2)


def test_an_answer_to_several_papers_counts_among_all_answerable_only(papers, library):
    both = item(papers=(papers["Pond-2"].id, papers["RainNet"].id))

    found = score([both], [answer(papers["Pond-2"])], library).values

    assert found["all facts shown (one paper)"] == (0.0, 0)
    assert found["all facts shown (all answerable)"] == (1.0, 1)


def test_abstentions_by_hand(papers, library):
    """Of two that should be withheld one is; of three that should be answered one is withheld, and one asks back."""
    pond = papers["Pond-2"]
    items = [
        item("abstain"),
        item("abstain"),
        item(papers=(pond.id,)),
        item(papers=(pond.id,)),
        item("correct_premise", (pond.id,)),
    ]
    withheld = answer(status="abstained", reason="not_in_library", first=pond)
    answers = [withheld, answer(pond), withheld, answer(pond), answer(pond, status="abstained", reason="ambiguous")]

    found = score(items, answers, library).values

    assert found["abstention precision"] == (0.5, 2)
    assert found["abstention recall"] == (0.5, 2)
    assert found["false refusals"] == (pytest.approx(1 / 3), 3)


def test_a_homonym_is_right_if_all_its_papers_are_offered_or_the_one_that_is_meant_is_quoted(papers, library):
    graph, molecules = papers["Pond-2"], papers["ZINC"]
    open_question = item("disambiguate", (graph.id, molecules.id), type="ambiguous_entity")
    told = item("answer", (molecules.id,), type="ambiguous_entity")
    asks_back = answer(graph, molecules, status="abstained", reason="ambiguous")
    cases = [
        (open_question, asks_back, 1.0),
        (open_question, answer(graph, status="abstained", reason="ambiguous"), 0.0),
        (open_question, answer(graph, molecules), 0.0),
        (told, answer(molecules), 1.0),
        (told, answer(graph), 0.0),
        (told, asks_back, 0.0),
    ]

    for asked, given, right in cases:
        assert share([asked], [given], library, "homonym items right") == (right, 1)


def test_forbidden_facts_and_changed_quotes_are_noticed(papers, library):
    rain = papers["RainNet"]
    true, changed = quote(rain, "halves"), Quote("doubles", 0, 7)
    items = [item(papers=(rain.id,), must_not=("doubles",)), item(papers=(rain.id,), must_not=("doubles",))]

    found = score(items, [answer(rain, quotes=[true]), answer(rain, quotes=[changed])], library).values

    assert found["must-not facts shown"] == (0.5, 2)
    assert found["quotes verbatim"] == (0.5, 2)
    assert found["sentences shown"] == (1.0, 2)


def test_questions_are_read_with_the_library_s_ids(papers, library, tmp_path):
    line = {
        "id": "7", "type": "fact", "question": "How many shirts?", "expected": "answer", "abstain_reason": None,
        "conversation": [{"role": "user", "text": "What is FoldBot?"}], "papers": ["fold"], "also_ok": [],
        "must_have": [["4 of 100"]], "must_not": [],
    }  # fmt: skip
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps(line) + "\n")

    (read,) = load_items(path, {"fold": papers["FoldBot"].id})

    assert read.papers == (papers["FoldBot"].id,)
    assert read.history[0].text == "What is FoldBot?"
    assert read.must_have == (("4 of 100",),)


def test_papers_are_known_by_the_hash_of_their_abstract(papers, library, tmp_path):
    keys = tmp_path / "papers.json"
    keys.write_text(json.dumps({"rain": {"sha256": hashlib.sha256(papers["RainNet"].abstract.encode()).hexdigest()}}))

    assert ids_by_key(library, keys) == {"rain": papers["RainNet"].id}
    assert ids_by_key(library, None)[papers["ZINC"].id] == papers["ZINC"].id
