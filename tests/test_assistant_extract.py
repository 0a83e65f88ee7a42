"""Extracts: which sentences are quoted, that every quote is verbatim, and the words that stay open."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.evidence import Asked, Found, Sentence
from assistant.extract import MOST, Choice, choose_sentences, cite, missing_words
from assistant.slots import find_slot
from store.papers import Paper
from store.readable import readable
from store.sentences import split_sentences
from store.terms import query_terms, terms

ABSTRACTS = {
    1: "Graphs are large. We keep a sketch of each. It is small. This saves 3.4x the time. Nodes are many. We are done.",
    2: "It rains in winter.  Sensors fail\nthen. They lose packets. Our model, RainNet, fills **gaps**. Its error is $\\alpha$.",
    3: "A single sentence without a stop",
    4: "Thus one. It two. These three. Both four. Such five. Hence six. They seven. He eight.",
}
PAPERS = {row: Paper(id=str(row), title=f"Title {row} of Ångström", abstract=text) for row, text in ABSTRACTS.items()}
SPANS = {row: split_sentences(text) for row, text in ABSTRACTS.items()}
EVERY = [(row, number) for row, spans in SPANS.items() for number in range(len(spans))]


def sentence(row, number, score=0.0):
    span = SPANS[row][number]
    found = frozenset(terms(ABSTRACTS[row][span.start : span.end]))
    return Sentence(row, number, span, score, 0.5, 0.5, found, np.zeros(2, np.float32))


def scored(*places):
    """Sentences with falling scores: (row, number, score)."""
    return [sentence(row, number, score) for row, number, score in places]


def places(sentences):
    return [(s.row, s.number) for s in sentences]


def quotes(*chosen):
    _, citations = cite([sentence(*place) for place in chosen], PAPERS, SPANS)
    return [(c.paper.id, quote.text) for c in citations for quote in c.quotes]


# -- choosing ------------------------------------------------------------------------------------------------------------


def test_sentences_near_the_best_one_are_chosen():
    sentences = scored((1, 0, 2.0), (2, 0, 1.95), (1, 1, 1.71), (1, 3, 1.69))

    assert places(choose_sentences(sentences, "fact")) == [(1, 0), (2, 0), (1, 1)]


def test_how_many_are_chosen_unless_told_otherwise():
    assert Choice() == Choice(within=0.3, at_least=1)


def test_one_is_chosen_in_any_case_if_there_is_one():
    assert places(choose_sentences(scored((1, 0, 2.0), (2, 0, 0.1), (1, 1, 0.0)), "fact")) == [(1, 0)]
    assert places(choose_sentences(scored((3, 0, 2.0)), "fact")) == [(3, 0)]
    assert choose_sentences([], "fact") == []


@pytest.mark.parametrize("kind", ["fact", "comparison", "list", "count"])
def test_four_are_chosen_at_most(kind):
    sentences = [sentence(row, number, 1.0) for row, number in EVERY]

    assert len(choose_sentences(sentences, kind)) == MOST


def test_the_choice_can_be_made_wider_or_narrower():
    sentences = scored((1, 0, 2.0), (2, 0, 1.0), (1, 1, 0.5))

    assert len(choose_sentences(sentences, "fact", choice=Choice(within=0, at_least=1))) == 1
    assert len(choose_sentences(sentences, "fact", choice=Choice(within=2, at_least=1))) == 3
    assert len(choose_sentences(sentences, "fact", choice=Choice(within=0, at_least=2))) == 2


@pytest.mark.parametrize("kind", ["list", "count"])
def test_a_question_about_papers_takes_the_best_sentence_of_each(kind):
    sentences = scored((1, 3, 2.0), (1, 0, 1.99), (2, 0, 1.98), (2, 1, 1.97), (3, 0, 1.96), (4, 0, 1.95))

    assert places(choose_sentences(sentences, kind)) == [(1, 3), (2, 0), (3, 0), (4, 0)]


def test_papers_that_are_all_to_be_quoted_get_as_many_sentences_each():
    sentences = scored((1, 0, 9.0), (1, 1, 8.0), (1, 2, 7.0), (2, 0, 1.0), (2, 1, 0.5), (2, 2, 0.1), (3, 0, 0.0))

    assert places(choose_sentences(sentences, "comparison", spread=[2, 1])) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert places(choose_sentences(sentences, "comparison", spread=[3, 2, 1])) == [(1, 0), (2, 0), (3, 0)]
    assert places(choose_sentences(sentences, "comparison", spread=[3])) == [(3, 0)]


def test_of_more_papers_than_fit_the_best_four_are_quoted():
    sentences = [*scored((1, 0, 9.0), (2, 0, 8.0), (3, 0, 7.0), (4, 0, 6.0), (4, 1, 5.0))]
    fifth = Sentence(5, 0, SPANS[1][0], 8.5, 0.5, 0.5, frozenset(), np.zeros(2, np.float32))
    chosen = choose_sentences([*sentences, fifth], "comparison", spread=[1, 2, 3, 4, 5])

    assert places(chosen) == [(1, 0), (5, 0), (2, 0), (3, 0)]


# -- quoting -------------------------------------------------------------------------------------------------------------


def test_neighbours_become_one_quote():
    assert quotes((1, 0), (1, 1)) == [("1", "Graphs are large. We keep a sketch of each.")]
    assert quotes((1, 1), (1, 0)) == [("1", "Graphs are large. We keep a sketch of each.")]
    assert quotes((1, 0), (1, 4)) == [("1", "Graphs are large."), ("1", "Nodes are many.")]


def test_a_sentence_between_two_chosen_ones_joins_them_when_it_is_chosen_too():
    assert quotes((1, 0), (1, 4), (1, 1)) == [("1", "Graphs are large. We keep a sketch of each."), ("1", "Nodes are many.")]
    assert quotes((1, 5), (1, 4), (1, 0)) == [("1", "Nodes are many. We are done."), ("1", "Graphs are large.")]


@pytest.mark.parametrize(
    ("chosen", "quoted"),
    [
        ((1, 2), "We keep a sketch of each. It is small."),
        ((1, 3), "It is small. This saves 3.4x the time."),
        ((2, 2), "Sensors fail\nthen. They lose packets."),
        ((2, 4), "Our model, RainNet, fills **gaps**. Its error is $\\alpha$."),
        ((4, 5), "Such five. Hence six."),
        ((2, 0), "It rains in winter."),  # nothing stands before it
        ((2, 3), "Our model, RainNet, fills **gaps**."),
    ],
)
def test_a_quote_that_begins_with_it_takes_the_sentence_before_it_along(chosen, quoted):
    assert quotes(chosen) == [(str(chosen[0]), quoted)]


def test_four_sentences_are_quoted_at_most_antecedents_included():
    chosen = [(4, 7), (4, 4), (4, 2), (4, 0)]

    assert quotes(*chosen) == [("4", "They seven. He eight."), ("4", "Both four. Such five.")]


def test_a_sentence_that_needs_no_other_still_finds_its_place():
    assert quotes((4, 7), (1, 0), (4, 4), (3, 0)) == [
        ("4", "They seven. He eight."),
        ("1", "Graphs are large."),
        ("3", "A single sentence without a stop"),
    ]


def test_a_claim_is_the_quote_as_a_person_reads_it():
    claims, citations = cite([sentence(2, 4)], PAPERS, SPANS)

    assert claims[0].text == "Our model, RainNet, fills gaps. Its error is α."
    assert claims[0].citations == (1,)
    assert claims[0].verdict == "supported"
    assert citations[0].paper is PAPERS[2]


def test_nothing_chosen_is_nothing_cited():
    assert cite([], PAPERS, SPANS) == ([], [])


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(EVERY), unique=True, min_size=1, max_size=MOST))
def test_quotes_are_verbatim_apart_and_numbered_in_the_order_of_first_use(chosen):
    claims, citations = cite([sentence(*place) for place in chosen], PAPERS, SPANS)
    quoted = [(int(c.paper.id), quote) for c in citations for quote in c.quotes]
    covered = [(row, span) for row, q in quoted for span in SPANS[row] if q.start <= span.start and span.end <= q.end]

    assert all(ABSTRACTS[row][q.start : q.end] == q.text != "" for row, q in quoted)
    assert len(covered) == len(set(covered)) <= MOST
    assert (chosen[0][0], SPANS[chosen[0][0]][chosen[0][1]]) in covered
    assert all(q.start in {s.start for s in SPANS[row]} and q.end in {s.end for s in SPANS[row]} for row, q in quoted)
    assert [c.number for c in citations] == list(range(1, len(citations) + 1))
    assert list(dict.fromkeys(n for claim in claims for n in claim.citations)) == [c.number for c in citations]
    assert sorted(c.text for c in claims) == sorted(readable(q.text) for _, q in quoted)
    for row in {row for row, _ in quoted}:
        own = sorted((q.start, q.end) for r, q in quoted if r == row)
        assert all(end < start for (_, end), (start, _) in pairwise(own))


# -- what is missing -----------------------------------------------------------------------------------------------------


def missing(question, *chosen, rarity=None):
    found = query_terms(question)
    rarities = {term: (rarity or {}).get(term, 1.0) for term in found}
    asked = Asked(question, find_slot(question), np.zeros(2, np.float32), found, rarities, frozenset(found))
    return missing_words(Found([], PAPERS, asked, []), [sentence(*place) for place in chosen])


def test_words_that_no_quoted_sentence_has_are_missing():
    assert missing("Do zebras keep sketches in winter?", (1, 1)) == ["zebras", "winter"]
    assert missing("Do zebras keep sketches in winter?", (1, 1), (2, 0)) == ["zebras"]
    assert missing("Do we keep sketches?", (1, 1)) == []


def test_words_of_the_title_are_not_missing():
    assert missing("Ångström sketches", (1, 1)) == []
    assert missing("angstrom sketches", (1, 1)) == []


def test_the_rarest_is_said_first():
    assert missing("zebras and horses", (1, 1), rarity={"hors": 2.0}) == ["horses", "zebras"]


def test_words_about_papers_and_asking_are_never_missing():
    assert missing("What is the exact name of the approach in this paper?", (1, 1)) == []
    assert missing("Who wrote, evaluated or proposed it, and what does it say?", (1, 1)) == []


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("On how many GPUs did it run?", "GPUs"),
        ("Does it beat Kriging?", "Kriging"),
        ("Is it better on ERA5, or not?", "ERA5"),
        ("Was it like (Stable Diffusion)?", "Stable Diffusion"),
        ("Was Stable Diffusion used?", "Stable Diffusion"),
        ("What does LSTM stand for?", "LSTM"),
        ("Do zebras rest?", "zebras"),
    ],
)
def test_a_missing_word_comes_as_it_was_typed(question, word):
    words = missing(question, (1, 1))

    assert word in words
    assert not {word.lower(), *word.lower().split()} & (set(words) - {word})


def test_a_name_is_missing_as_a_whole():
    assert missing("Was it compared with Stable Diffusion XL?", (1, 1)) == ["compared", "Stable Diffusion XL"]


def test_the_number_of_a_version_is_a_part_of_the_name():
    assert missing("Was it as good as Wan 2.1?", (1, 1)) == ["good", "Wan 2.1"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What learning rate was used?", ["learning rate"]),
        ("What was the batch size?", ["batch size"]),
        ("What is the rate?", ["rate"]),
        ("Which accuracy?", ["accuracy"]),
    ],
)
def test_an_amount_is_missing_with_the_word_it_needs(question, words):
    assert missing(question, (1, 1))[-1:] == words


def test_nothing_quoted_leaves_every_word_missing():
    assert missing("zebras in winter") == ["zebras", "winter"]
