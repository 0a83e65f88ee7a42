"""Precision and recall of sentence starts, by hand."""

from __future__ import annotations

from evals.sentence_splitting import Abstract, compare, known_starts, ours


def test_starts_by_hand():
    abstract = Abstract("irrelevant", frozenset({10, 20, 30, 40}), frozenset({0, 50}))

    precision, recall, _ = compare(lambda text: [0, 10, 20, 25, 50], [abstract])

    assert precision == 2 / 3
    assert recall == 2 / 4


def test_the_first_start_and_sentences_without_a_letter_do_not_count():
    abstract = known_starts("Ice melts. . . Owls hunt.", [(0, 10), (11, 12), (13, 14), (15, 25)])

    assert abstract.starts == {15}
    assert abstract.ignored == {0, 11, 13}


def test_nothing_found_is_no_precision_and_no_recall():
    assert compare(lambda text: [], [Abstract("x", frozenset({3}), frozenset({0}))])[:2] == (0.0, 0.0)


def test_ours_finds_two_sentences():
    assert ours("Ice melts. Owls hunt.") == [0, 11]
