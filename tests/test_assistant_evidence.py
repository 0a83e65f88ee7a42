"""Evidence: how sentences are scored for a question, and what is found when papers are left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.evidence import Asked, Found, Sentence, Weights, coverage, names_in, score_sentences, weigh_terms
from assistant.slots import find_slot
from store.library import Library
from store.papers import Paper
from store.search import Hit, Search
from store.sentences import Span
from store.terms import terms

NOTHING = Weights(covered=0, paper=0, place=0, finding=0, first=0, length=0, fills=0)


class WithoutTokenStates:
    """A catalogue whose embedding gave a vector for each chunk, and none for its sentences."""

    def __init__(self, spans):
        self.spans = spans

    def sentence_vectors(self, rows, dimensions):
        return {}


@pytest.fixture(scope="module")
def search(place):
    """One search for all tests here, since a model takes half a second to load."""
    return Search(Library.open(place))


@pytest.fixture(scope="module")
def catalogue(search):
    """The catalogue of the six papers."""
    return search.library.catalogue


@pytest.fixture
def retrieve(search, catalogue):
    """What is found for a question: hits, papers and the question as it is asked."""

    def retrieved(text):
        vector = search.embed(text)
        hits = search.find(text, limit=6, vector=vector)
        return weigh_terms(text, vector, catalogue), hits, dict(search.papers(hits))

    return retrieved


@pytest.fixture
def score(retrieve, catalogue):
    """The sentences for a question, scored."""

    def scored(text, *, weights=None, among=catalogue):
        asked, hits, papers = retrieve(text)
        return score_sentences(asked, hits, papers, among, weights), papers

    return scored


def text_of(sentence, papers):
    return papers[sentence.row].abstract[sentence.span.start : sentence.span.end]


def asked(rarity):
    vector = np.array([1, 0], np.float32)
    return Asked("x", find_slot("x"), vector, {term: term for term in rarity}, rarity, frozenset(rarity))


# -- terms ---------------------------------------------------------------------------------------------------------------


def test_coverage_is_the_share_of_terms_by_rarity():
    question = asked({"graph": 1.0, "sketch": 3.0})

    assert coverage(question, set()) == 0
    assert coverage(question, {"graph"}) == 0.25
    assert coverage(question, {"sketch", "other"}) == 0.75
    assert coverage(question, frozenset({"graph", "sketch"})) == 1


def test_a_question_without_terms_covers_nothing():
    assert coverage(asked({}), {"graph"}) == 0


def test_terms_are_weighed_by_how_many_papers_have_them(retrieve):
    question, _, _ = retrieve("Does GraphZip sketch molecules or zebras?")

    assert question.terms == {"graphzip": "graphzip", "sketch": "sketch", "molecul": "molecules", "zebra": "zebras"}
    assert question.rarity["graphzip"] < question.rarity["sketch"] < question.rarity["zebra"]
    assert question.known == {"graphzip", "sketch", "molecul"}
    assert question.core == "Does GraphZip sketch molecules or zebras?"


def test_what_is_asked_for_comes_along(retrieve):
    assert retrieve("How many stations?")[0].slot == find_slot("How many stations?")


# -- scores --------------------------------------------------------------------------------------------------------------


def test_every_sentence_of_the_papers_found_is_scored_best_first(score, catalogue):
    sentences, papers = score("How much faster is GraphZip?")
    every = {(row, number) for row in papers for number, _ in enumerate(catalogue.spans(row))}

    assert len(papers) == 6
    assert {(s.row, s.number) for s in sentences} == every
    assert len(sentences) == len(every)
    assert [s.score for s in sentences] == sorted((s.score for s in sentences), reverse=True)


def test_a_sentence_is_where_its_span_says(score):
    sentences, papers = score("How long does decoding take?")

    for sentence in sentences:
        text = text_of(sentence, papers)
        assert text == text.strip()
        assert sentence.terms == frozenset(terms(text))
        assert 0 <= sentence.covered <= 1
        assert -1.01 <= sentence.cosine <= 1.01


def test_vectors_are_of_unit_length_and_cosines_are_theirs(score, retrieve):
    question, _, _ = retrieve("bird song recordings")
    sentences, _ = score("bird song recordings")

    for sentence in sentences:
        assert np.linalg.norm(sentence.vector) == pytest.approx(1, abs=1e-3)
        assert sentence.cosine == pytest.approx(float(sentence.vector @ question.vector), abs=1e-5)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many shirts does FoldBot fail on?", "4 of 100 shirts"),
        ("How much faster than factorisation is it on Pond-2?", "3.4x faster"),
        ("What does traffic do to bird recordings?", "Noise from traffic"),
        ("Was transfer to curtains studied?", "Transfer to curtains"),
        ("How long does it take to decode a molecule?", "2 ms per molecule"),
    ],
)
def test_the_best_sentence_speaks_of_what_is_asked(question, said, score):
    sentences, papers = score(question)

    assert said in " ".join(text_of(sentences[0], papers).split())


def test_without_any_weight_the_cosine_is_all(score):
    sentences, _ = score("How many shirts does FoldBot fail on?", weights=NOTHING)

    assert all(s.score == pytest.approx(s.cosine) for s in sentences)


def worth(score, question, weight):
    """What one weight of 1 adds to each sentence, with the sentence."""
    sentences, papers = score(question, weights=replace(NOTHING, **{weight: 1}))
    return [(round(s.score - s.cosine, 4), s, text_of(s, papers)) for s in sentences]


def test_words_shared_with_the_question_count(score):
    added = worth(score, "transfer to curtains", "covered")

    assert all(value == pytest.approx(s.covered, abs=1e-3) for value, s, _ in added)
    assert [text for value, _, text in added if value == 1] == ["Transfer to curtains was not studied."]


def test_the_paper_counts_for_each_of_its_sentences(score, retrieve):
    _, hits, _ = retrieve("folding towels")
    of_paper = {hit.row: (hit.score, 1 / rank) for rank, hit in enumerate(hits, 1)}

    for at, weight in enumerate(("paper", "first")):
        assert all(
            value == pytest.approx(of_paper[s.row][at], abs=1e-3) for value, s, _ in worth(score, "folding towels", weight)
        )


def test_a_later_and_a_longer_sentence_count_more(score, catalogue):
    for value, s, _ in worth(score, "towels", "place"):
        assert value == pytest.approx((s.number + 0.5) / len(catalogue.spans(s.row)), abs=1e-3)
    for value, _, text in worth(score, "towels", "length"):
        assert value == pytest.approx(min(text.count(" "), 40) / 40, abs=1e-3)


@pytest.mark.parametrize(
    ("abstract", "finding"),
    [
        ("We find that bees sleep.", 1),
        ("Experiments on ImageNet tell more.", 1),
        ("Our method achieves 81%.", 1),
        ("RainNet outperforms interpolation.", 1),
        ("We investigated whether bees sleep.", -1),
        ("OBJECTIVE: To know bees.", -1),
        ("Methods: Ten hives.", -1),
        ("The aim was to know bees.", -1),
        ("We studied bees, and conclude that results suggest sleep.", 0),
        ("Bees sleep at night.", 0),
    ],
)
def test_a_finding_counts_for_a_sentence_and_an_aim_against_it(abstract, finding):
    papers = {1: Paper(id="1", title="Bees", abstract=abstract)}
    among = WithoutTokenStates(lambda row: [Span(0, len(abstract))])
    sentences = score_sentences(asked({"x": 1.0}), [Hit(1, 0.0, 0.5, 0.0)], papers, among, replace(NOTHING, finding=1))

    assert [s.score - s.cosine for s in sentences] == [finding]


@pytest.mark.parametrize(
    ("question", "filling"),
    [
        ("Where can I download it?", ["https://example.org/rainnet"]),
        ("How many stations are there?", ["412 stations"]),
        ("Why?", []),
    ],
)
def test_a_sentence_that_fills_the_gap_counts_more(question, filling, score):
    filled = [text for value, _, text in worth(score, question, "fills") if value]

    assert len(filled) == len(filling)
    assert all(said in text for said, text in zip(filling, filled, strict=True))


def test_what_something_is_stands_anywhere_so_its_place_does_not_count(score):
    definition, _ = score("What is FoldBot?", weights=replace(NOTHING, place=1, length=1, finding=1))

    assert all(s.score == pytest.approx(s.cosine) for s in definition)


def test_an_embedding_without_token_states_still_ranks_by_words(score, catalogue):
    sentences, papers = score("How many shirts does FoldBot fail on?", among=WithoutTokenStates(catalogue.spans))

    assert "4 of 100 shirts" in text_of(sentences[0], papers)
    assert all(not sentence.vector.any() for sentence in sentences)
    assert len({s.cosine for s in sentences if s.row == sentences[0].row}) == 1  # the paper's own


def test_no_hits_give_no_sentences(retrieve, catalogue):
    question, _, _ = retrieve("anything")

    assert score_sentences(question, [], {}, catalogue) == []


# -- what is found -------------------------------------------------------------------------------------------------------


@pytest.fixture
def found():
    """Three papers, of rows 7, 3 and 5 in this order, with two sentences each."""
    hits = [Hit(row, 0.9 - at / 10, 0.5, 0.5) for at, row in enumerate((7, 3, 5))]
    sentences = [
        Sentence(row, number, Span(0, 1), 9 - at - number / 2, 0.5, 0.5, frozenset(), np.zeros(2, np.float32))
        for at, row in enumerate((7, 3, 5))
        for number in (0, 1)
    ]
    return Found(hits, {}, asked({}), sentences)


def rows(things):
    return [thing.row for thing in things]


def test_a_paper_left_out_is_last_among_the_hits_and_has_no_sentence(found):
    assert rows(found.without({7}).hits) == [3, 5, 7]
    assert rows(found.without({7}).sentences) == [3, 3, 5, 5]
    assert rows(found.without({7, 3}).hits) == [5, 7, 3]
    assert found.without(set()) == found
    assert found.without({99}) == found


def test_only_some_papers_keep_their_sentences_and_every_paper_its_place(found):
    assert rows(found.only({3, 5}).sentences) == [3, 3, 5, 5]
    assert rows(found.only({3}).hits) == [7, 3, 5]


def test_only_papers_that_were_not_found_change_nothing(found):
    assert found.only({99}) == found
    assert found.only(set()) == found


def test_the_bearers_of_a_name_come_in_the_order_in_which_they_were_found(found):
    assert found.borne({"x": [3, 5, 7]}) == {"x": [7, 3, 5]}
    assert found.borne({"x": [99, 5, 98, 7]}) == {"x": [7, 5]}


def test_a_name_that_no_paper_found_bears_is_left_out(found):
    assert found.borne({"x": [99], "y": [5, 3], "z": []}) == {"y": [3, 5]}
    assert found.borne({}) == {}
    assert found.without({7}).borne({"x": [7, 5]}) == {"x": [5, 7]}  # last, but found


@pytest.fixture
def told_apart(found):
    """Three papers with abstracts: two on ERA5, one of which is on Kriging, too."""
    texts = {7: "On ERA5 with Kriging.", 3: "Kept on ERA5 alone.", 5: "Sensors in rain."}
    return replace(found, papers={row: Paper(id=str(row), title="ERA5 Sensors", abstract=text) for row, text in texts.items()})


@pytest.mark.parametrize(
    ("text", "rows", "row"),
    [
        ("How good is Kriging?", [7, 3, 5], 7),
        ("Is it on ERA5?", [7, 3, 5], None),  # two have it
        ("Is it on ERA5?", [3, 5], 3),
        ("Is it on ERA5?", [5, 7], 7),
        ("Is it on ERA5 or Sensors?", [5, 3], None),  # one has one, one the other
        ("Is it about Sensors?", [7, 3, 5], 5),
        ("Is it about sensors?", [7, 3, 5], None),  # not written like a name
        ("Kriging, is it?", [7, 3, 5], None),  # the first word has a capital anyway
        ("Is it on H100?", [7, 3, 5], None),
        ("Is it Kriging?", [], None),
        ("", [7, 3], None),
    ],
)
def test_a_name_that_one_abstract_alone_has_says_which_is_meant(text, rows, row, told_apart):
    assert told_apart.alone_with(text, rows) == row


# -- words written like names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Does RainNet use ERA5 in rain?", "rainnet era5"),
        ("RainNet in rain", ""),  # the first word has a capital anyway
        ("is it GPT-4o, or Wan 2.1?", "gpt 4o wan 2 1"),
        ("on iPhone (or MacBook)", "iphone macbook"),
        ("it needs 40 turns", "40"),
        ("nothing of the kind", ""),
        ("", ""),
    ],
)
def test_words_with_a_capital_or_a_digit_are_names(text, names):
    assert names_in(text) == set(terms(names))
