"""Hybrid search: its order on small cases, any text as a query, and every constant of the ranking at work."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_store_catalogue import entry
from test_store_embeddings import FakeEmbedding

from store.catalogue import Catalogue
from store.embeddings.base import unit
from store.library import Library, Place
from store.papers import Paper
from store.search import Ranking, Search

TEXTS = {
    "wool": "Sheep give wool in spring. Wool is spun and woven by hand.",
    "rain": "Rain falls on the roof. Sensors measure rain in winter.",
    "birds": "Birds sing at dawn. Song carries in the rain.",
    "GraphZip: sketches": "Large graphs are slow. Sketches keep one row per node.",
    "cells": "Cells divide in the dish. Wool is not a cell.",
    "stones": "Stones are weighed by hand. Heavy stones sink.",
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    made = Place(folder=tmp_path_factory.mktemp("search"))
    catalogue = Catalogue.open(made.folder / "catalogue.sqlite3", create=True)
    fake = FakeEmbedding()
    with catalogue.writing():
        catalogue.set_fact("identity", fake.identity)
        catalogue.put(
            entry(
                Paper(id=title, title=title, abstract=text),
                vectors=[fake.embed_query(f"{title} {text}")],
                names=["graphzip"] if title.startswith("GraphZip") else ["wool"] if title == "wool" else [],
            )
            for title, text in TEXTS.items()
        )
    catalogue.close()
    return made


@pytest.fixture
def search(small, monkeypatch):
    monkeypatch.setattr("store.library.open_embedding", lambda name, endpoint: FakeEmbedding())
    library = Library.open(small)
    yield Search(library)
    library.close()


def titles(search, text, **options):
    hits = search.find(text, **{"limit": 10} | options)
    found = search.papers(hits)
    return [found[hit.row].title for hit in hits]


def test_the_paper_that_says_it_in_words_and_in_meaning_comes_first(search):
    assert titles(search, "How is wool spun?")[0] == "wool"
    assert titles(search, "rain sensors in winter")[:2] == ["rain", "birds"]
    assert titles(search, "heavy stones")[0] == "stones"


def test_a_paper_called_by_its_own_name_comes_first(search):
    question = "Does GraphZip help with stones?"

    assert titles(search, question)[0] == "GraphZip: sketches"
    assert titles(Search(search.library, Ranking(name=0.0)), question)[0] == "stones"
    assert search.named("GraphZip's wool") == {"graphzip": [4], "wool": [1]}


def test_words_decide_where_vectors_are_silent_and_vectors_where_words_are(search):
    sideways = unit(np.eye(64, dtype=np.float32)[0] + 1e-3)
    assert titles(search, "dawn", vector=sideways)[0] == "birds"
    assert titles(search, "zzz", vector=FakeEmbedding().embed_query(TEXTS["cells"]))[0] == "cells"


def test_scores_fall_and_lie_between_zero_and_one(search):
    for text in ("wool", "rain in spring", "zzz", "GraphZip " * 50, "Sheep give wool in spring. Wool is spun and woven by hand."):
        hits = search.find(text, limit=10)
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= hit.score <= 1 and 0 <= hit.bm25 <= 1 and -1 <= hit.cosine <= 1.0001 for hit in hits)
        assert len({hit.row for hit in hits}) == len(hits) == 6


def test_no_more_hits_come_than_asked_for_nor_than_there_are(search):
    assert len(titles(search, "wool", limit=2)) == 2
    assert len(titles(search, "wool", limit=1000)) == 6
    assert titles(search, "wool", limit=2) == titles(search, "wool", limit=1000)[:2]


def test_filters_restrict_both_legs(search):
    assert set(titles(search, "wool", rows=[2, 3])) == {"rain", "birds"}
    assert titles(search, "Is GraphZip wool?", rows=[1]) == ["wool"]
    assert titles(search, "wool", rows=[]) == []


def test_ties_come_in_the_order_they_were_added(tmp_path):
    library = Library.open(Place(folder=tmp_path), create=True)
    with library.catalogue.writing():
        library.catalogue.put(
            entry(Paper(id=f"p{n}", title="T", abstract="The same words."), vectors=[(1, 0)]) for n in range(30)
        )

    hits = Search(library).find("same words", limit=30, vector=np.array([1, 0], np.float32))
    assert [hit.row for hit in hits] == list(range(1, 31))
    library.close()


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u2028"])
def test_a_blank_query_finds_nothing(search, text):
    assert search.find(text, limit=5) == []


def test_an_empty_library_answers_every_query_with_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("store.library.open_embedding", lambda name, endpoint: FakeEmbedding())
    library = Library.open(Place(folder=tmp_path), create=True)

    assert Search(library).find("wool", limit=5) == []
    library.close()


@pytest.mark.parametrize(
    "text",
    [
        *(
            '"',
            "C++",
            "GPT-4",
            "*",
            "NEAR(",
            "NEAR(a b, 3)",
            "a AND",
            "NOT",
            "title:x",
            "Alzheimer's",
            "what is “RAG”?",
            "😀",
            "^a",
        ),
        *(
            "the of and",
            "?!…",
            "\ud800",
            "a\ud800b",
            "\x00",
            "a\x00b",
            "-",
            "--",
            "'; DROP TABLE papers",
            "(((",
            "字",
            "é" * 500,
            "%s",
        ),
    ],
)
def test_every_query_is_safe(search, text):
    hits = search.find(text, limit=3)

    assert len(hits) == 3
    assert all(np.isfinite(hit.score) for hit in hits)


@settings(deadline=None, max_examples=60)
@given(text=st.text(min_size=1, max_size=80))
def test_any_text_is_a_query(small, text):
    library = Library.open(small)
    hits = Search(library).find(text, limit=3, vector=FakeEmbedding().embed_query(text))
    library.close()

    assert len(hits) == (3 if text.strip() else 0)


@pytest.mark.parametrize("words", [["wool"] * 10_000, [f"w{n}" for n in range(40_000)]])
def test_a_query_of_thousands_of_words_is_answered(search, words):
    assert len(search.find(" ".join(words), limit=3)) == 3


@pytest.mark.parametrize(
    ("constant", "value"),
    [("depth", 1), ("title_weight", 30.0), ("vector", 0.0), ("feedback", 3.0), ("feedback_papers", 1), ("name", 0.0)],
)
def test_every_constant_of_the_ranking_changes_something(search, constant, value):
    def scores(ranking):
        return [(hit.row, hit.score) for hit in Search(search.library, ranking).find("GraphZip stones and rain", limit=10)]

    assert scores(replace(Ranking(), **{constant: value})) != scores(Ranking())
    assert len(fields(Ranking)) == 6


def test_a_paper_removed_in_the_middle_of_a_question_does_no_harm(tmp_path, monkeypatch):
    library = Library.open(Place(folder=tmp_path), create=True)
    writer = Catalogue.open(library.catalogue.path)
    with writer.writing():
        writer.put(entry(Paper(id=f"p{n}", title="T", abstract="The same words."), vectors=[(1, 0)]) for n in range(9))
    search = Search(library)
    nearest = search.vectors.nearest

    def find_while_another_process_removes(*args, **options):
        found = nearest(*args, **options)
        with writer.writing():
            writer.remove(writer.rows()[:3])
        return found

    monkeypatch.setattr(search.vectors, "nearest", find_while_another_process_removes)
    query = np.array([1, 0], np.float32)
    assert [len(search.find("same words", limit=20, vector=query)) for _ in range(4)] == [9, 6, 3, 0]
    writer.close()
    library.close()


def test_the_six_papers_of_the_tests_are_found_with_the_real_model(library):
    search = Search(library)

    assert "RainNet" in titles(search, "a network that fills gaps in weather sensor data")[0]
    assert "FoldBot" in titles(search, "Which robot folds towels?")[0]
    hits = search.find("What is GraphZip?", limit=2)
    assert all("GraphZip" in paper.abstract for paper in search.papers(hits).values())
