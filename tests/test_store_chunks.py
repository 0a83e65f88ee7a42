"""Chunks: every word of an abstract in exactly one, none longer than the model reads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.chunks import TITLE_TOKENS, Chunk, Piece, chunk_sentences


def count_words(text):
    """Tokens of these tests: one for every four letters of a word, or part of them."""
    return sum(-(-len(word) // 4) for word in text.split())


def chunks_of(sentences, title="", room=20):
    return chunk_sentences(title, sentences, room=room, count_tokens=count_words)


def test_an_abstract_that_fits_is_one_chunk_with_its_title():
    (chunk,) = chunks_of(["One two.", "Three four."], title="A title")

    assert chunk == Chunk("A title", (Piece(0, "One two."), Piece(1, "Three four.")))
    assert chunk.text == "A title\nOne two. Three four."


def test_an_abstract_without_text_is_still_one_chunk():
    assert chunks_of([]) == [Chunk("", ())]
    assert chunks_of(["", ""])[0].text == ""


def test_a_long_abstract_is_cut_into_runs_of_about_equal_length():
    chunks = chunks_of(["four five six."] * 20, room=30)

    lengths = [sum(count_words(piece.text) for piece in chunk.pieces) for chunk in chunks]
    assert max(lengths) <= 30
    assert min(lengths) >= max(lengths) / 2


def test_every_chunk_carries_the_title_and_leaves_room_for_it():
    chunks = chunks_of(["four five six."] * 10, title="Nine nine nine", room=12)

    assert {chunk.title for chunk in chunks} == {"Nine nine nine"}
    assert all(count_words(chunk.text) <= 12 for chunk in chunks)


def test_a_long_title_is_cut_at_a_word():
    title = " ".join(f"w{i}" for i in range(100))
    (chunk, *_) = chunks_of(["Text."], title=title, room=200)

    assert count_words(chunk.title) <= TITLE_TOKENS
    assert title.startswith(chunk.title + " ")


def test_a_sentence_longer_than_the_model_reads_is_cut_into_parts_of_that_sentence():
    chunks = chunks_of(["Short.", "word " * 60 + "end.", "Last."])

    pieces = [piece for chunk in chunks for piece in chunk.pieces]
    assert [piece.text for piece in pieces if piece.sentence == 0] == ["Short."]
    assert " ".join(piece.text for piece in pieces if piece.sentence == 1) == "word " * 60 + "end."


def test_a_word_is_not_cut_while_it_fits():
    chunks = chunks_of(["abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz a b c d e f g h i j k l m n o p"])

    assert chunks[0].pieces[0].text.split()[0] == "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"


def test_an_endless_word_is_cut_and_nothing_of_it_lost():
    chunks = chunks_of(["x" * 1000])

    assert "".join(piece.text for chunk in chunks for piece in chunk.pieces) == "x" * 1000
    assert all(count_words(chunk.text) <= 20 for chunk in chunks)


WORDS = st.text("abcdé字", min_size=1, max_size=40)  # ten tokens at most, so that each fits
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), max_size=12)


@settings(deadline=None, max_examples=200)
@given(SENTENCES, st.lists(WORDS, max_size=4).map(" ".join), st.integers(60, 90))
def test_every_word_is_in_exactly_one_chunk_and_none_is_too_long(sentences, title, room):
    chunks = chunks_of(sentences, title=title, room=room)

    pieces = [piece for chunk in chunks for piece in chunk.pieces]
    words = [(piece.sentence, word) for piece in pieces for word in piece.text.split()]
    assert words == [(number, word) for number, text in enumerate(sentences) for word in text.split()]
    assert all(count_words(chunk.text) <= room for chunk in chunks)


@pytest.mark.parametrize(("first", "second", "same"), [("a", "a", True), ("a", "b", False)])
def test_a_hash_names_the_text_and_the_embedding(first, second, same):
    chunk = Chunk("T", (Piece(0, "Text."),))

    assert (chunk.hash(first) == chunk.hash(second)) is same
    assert chunk.hash("a") != Chunk("T", (Piece(0, "Text!"),)).hash("a")
    assert len(Chunk("", (Piece(0, "\ud800"),)).hash("a")) == 32
