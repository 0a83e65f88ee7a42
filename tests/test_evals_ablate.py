"""The settings that are compared, and the reference fusions against sums by hand."""

from __future__ import annotations

import pytest

from evals import ablate
from evals.ablate import BASELINE, PRODUCT, Query, by_min_max, by_product, by_reciprocal_rank, gain, lexical, ordered, settings
from store.search import Ranking, Search


@pytest.fixture
def search(library):
    return Search(library)


@pytest.fixture
def query(search):
    text = "How does GraphZip shrink a graph?"
    return Query(text, search.embed(text))


@pytest.fixture
def legs(monkeypatch):
    """Two legs of three papers that agree on none."""
    monkeypatch.setattr(ablate, "lexical", lambda search, query: {1: 9.0, 2: 6.0, 3: 3.0})
    monkeypatch.setattr(ablate, "nearest", lambda search, query: {2: 0.8, 4: 0.7, 1: 0.6})


def test_reciprocal_ranks_by_hand(legs):
    """1/62 + 1/61 > 1/61 + 1/63 > 1/62 > 1/63."""
    assert by_reciprocal_rank(None, None) == [2, 1, 4, 3]


def test_min_max_by_hand(legs):
    """2: 0.5 + 1, 1: 1 + 0, 4: 0.5, 3: 0."""
    assert by_min_max(None, None) == [2, 1, 4, 3]


def test_min_max_of_equal_scores(monkeypatch):
    monkeypatch.setattr(ablate, "lexical", lambda search, query: {7: 2.0})
    monkeypatch.setattr(ablate, "nearest", lambda search, query: {})

    assert by_min_max(None, None) == [7]


def test_ties_stand_in_the_order_the_papers_were_added():
    assert ordered({5: 1.0, 2: 1.0, 9: 2.0}) == [9, 2, 5]


def test_every_setting_ranks_papers(search, query):
    everything = set(search.library.catalogue.rows())
    for name, (ranking, ranker) in settings().items():
        found = list(ranker(Search(search.library, ranking), query))
        assert found, name
        assert len(found) == len(set(found)), name
        assert set(found) <= everything, name


def test_the_last_setting_is_the_product(search, query):
    ranking, ranker = settings()[PRODUCT]

    assert ranking == Ranking()
    assert ranker is by_product
    assert ranker(search, query) == [hit.row for hit in search.find(query.text, limit=10)]


def test_no_two_settings_are_the_same():
    told = [
        (ranking, getattr(ranker, "keywords", None), getattr(ranker, "__name__", repr(ranker)))
        for ranking, ranker in settings().values()
    ]

    assert len({repr(setting) for setting in told}) >= len(told) - 2  # two of the references are lambdas
    assert BASELINE in settings()


def test_a_share_of_nothing_for_the_best_sentence_changes_nothing(search, query):
    plain = Search(search.library, Ranking(feedback=0.0, name=0.0))

    assert ablate.by_best_sentence(plain, query, share=0.0)[:10] == by_product(plain, query)


def test_lexical_queries_are_remembered_word_for_word(search, query):
    before = lexical(search, query)
    ablate.remember_lexical(search.library)

    assert lexical(search, query) == lexical(search, query) == before
    assert lexical(search, query, title_weight=1.0) != {}
    assert len(search.library.catalogue) == 6


def test_a_gain_is_paired():
    found = gain({"a": 0.9, "b": 0.2}, {"a": 0.8, "b": 0.1})

    assert found.value == pytest.approx(0.1)
    assert found.error == pytest.approx(0.0, abs=1e-12)


def test_the_table_has_the_settings_that_were_measured():
    figures = {BASELINE: {"a": 0.5, "b": 0.7}, PRODUCT: {"a": 0.6, "b": 0.8}}

    lines = ablate.report({"ponds": figures}).splitlines()

    assert lines[:4] == [
        "| nDCG@10 (queries) | ponds (2) |",
        "| --- | ---: |",
        f"| {BASELINE} | 0.6000 |",
        f"| {PRODUCT} | 0.7000 |",
    ]
    assert lines[-1] == f"| {PRODUCT} | +0.100 ± 0.000 |"
