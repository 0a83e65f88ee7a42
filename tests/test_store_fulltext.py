"""The lexical leg: words of any text, safe expressions, BM25 as a textbook has it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_store_catalogue import entry

from store.catalogue import Catalogue
from store.fulltext import bm25, content_words, match_expression, searched_words, words
from store.papers import Paper

TEXTS = [
    ("Graph sketches", "We sketch graphs. A graph has nodes."),
    ("Rain", "Sensors lose packets in rain. C++ and GPT-4 do not."),
    ("Birds", "A graph of bird song by Łukasz, in Straße 5, on β-cells."),
]


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    opened = Catalogue.open(tmp_path_factory.mktemp("fulltext") / "catalogue.sqlite3", create=True)
    with opened.writing():
        opened.put(entry(Paper(id=title, title=title, abstract=text)) for title, text in TEXTS)
    yield opened
    opened.close()


def found(catalogue, text, *, rows=None, limit=10, title_weight=1.0):
    return bm25(catalogue, match_expression(searched_words(text)), title_weight=title_weight, limit=limit, rows=rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GPT-4 beats C++ and C#", ["gpt-4", "beats", "c++", "and", "c#"]),
        ("Wan 2.1, v1.5", ["wan", "2.1", "v1.5"]),
        ("Alzheimer's 3D/4D", ["alzheimer's", "3d/4d"]),
        (r"$\alpha$-stable STRASSE Straße", ["alpha-stable", "strasse", "strasse"]),
        ("?! *** \ud800", []),
        ("", []),
    ],
)
def test_words_are_as_typed_with_compounds_whole(text, expected):
    assert words(text) == expected


def test_stop_words_count_only_where_there_is_nothing_else():
    assert content_words("what is the graph") == ["graph"]
    assert content_words("what is the") == ["what", "is", "the"]
    assert searched_words("what is the graph of GPT-4 graph") == ["graph", "gpt", "4"]
    assert searched_words("to be or not to be") == ["to", "be", "or", "not"]


@settings(deadline=None, max_examples=200)
@given(text=st.one_of(st.text(max_size=60), st.text("\"'*:^(){}+-~ANDORNEAT \\\x00", max_size=40)))
def test_every_text_is_a_safe_expression(catalogue, text):
    assert set(found(catalogue, text)) <= {1, 2, 3}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("graphs", {1, 3}),
        ("lukasz", {3}),
        ("ŁUKASZ", {3}),
        ("strasse", {3}),
        ("STRASSE", {3}),
        ("beta", {3}),
        ("β", {3}),
        ("C++", {2}),
    ],
)
def test_a_word_is_found_however_it_is_spelt(catalogue, text, rows):
    assert set(found(catalogue, text)) == rows


def test_scores_are_those_of_the_formula(catalogue):
    lengths = [2 + 7, 1 + 11, 1 + 12]
    mean, tf, frequency = sum(lengths) / 3, 3, 2
    idf = max(math.log((3 - frequency + 0.5) / (frequency + 0.5)), 1e-6)

    assert found(catalogue, "graph")[1] == pytest.approx(idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lengths[0] / mean)), rel=0.1)


def test_a_word_of_the_title_counts_as_often_as_it_is_told(catalogue):
    assert found(catalogue, "rain", title_weight=3.0)[2] > found(catalogue, "rain", title_weight=1.0)[2]


def test_only_the_given_papers_are_found_and_no_more_than_asked(catalogue):
    assert set(found(catalogue, "graph", rows=[2, 3])) == {3}
    assert found(catalogue, "graph", rows=[]) == {}
    assert list(found(catalogue, "graph", limit=1)) == [1]
    assert set(found(catalogue, "graph", rows=range(400_000))) == {1, 3}
