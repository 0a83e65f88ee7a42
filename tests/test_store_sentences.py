"""Sentences: where they begin and end, as offsets into the text exactly as stored."""

from __future__ import annotations

import gzip
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.sentences import split_sentences


def sentences(text):
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "It costs 3.5 dollars.| It is 1.57x faster.",
        "Smith et al. show this.| We differ.",
        "As shown by Smith et al.| We differ.",
        "Use labels, e.g., cats.| Or dogs, i.e. pets.",
        "The i.i.d. assumption holds vs. others.| Yes.",
        "We build H$^\\ast$Bench.| It has 100 tasks.",
        "See https://example.org/a.b?c=d.| It is code.",
        "J. Smith and A. B. Jones met.| They spoke.",
        "The tumour binds.| p53 binds DNA.| pyMARL runs.",
        "Cells of Fig. 3 die.| See Eq. (2) and Sec. 4.| Fine.",
        "We use no. 5 and vol. 3.| Then stop.",
        "Dr. Who wins.| Prof. X loses.",
        "In the U.S. we win.| In the U.S.| The rest lost.",
        "It takes cats, dogs, etc.| The next is a fish.",
        "E. coli grows.| S. aureus dies.",
        "They gave vitamin A.| The dose was 3.",
        'He said "it works."| We agree.',
        "(It works.)| We agree.",
        "**Bold.**| Next one.",
        "It works.[1,2]| Then more.",
        "It works [1].| Then more.",
        "We test GPT-4.| 3B models lose.",
        "Is it so?| Yes!| Very.",
        "Wait... what?| No.",
        "A first…| The second is here.",
        "BACKGROUND: It rains.| METHODS: We ran.| RESULTS: Wet.",
        "我们提出一种方法。|它很快！|真的吗？|是。",
        "Let $f(x) = 0.5. X$ hold.| Next.",
        "Open (a. B is. c) end.| Next.",
        "A title line|\n\nThe first paragraph.| The second.",
        "wrapped\nline one.| And\nline two.",
        "Stop.Next is glued.| Fine.",
        "No end here",
        "One.| Two",
        "...",
    ],
)
def test_a_sentence_ends_where_a_reader_says_so(text):
    assert sentences(text.replace("|", "")) == [part.strip() for part in text.split("|")]


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t\n \u2028 "])
def test_a_blank_text_has_no_sentences(text):
    assert split_sentences(text) == []


def test_a_bracket_that_never_closes_does_not_swallow_the_rest():
    text = "We saw (a thing that stays open. " + "The next sentence is whole. " * 100

    assert len(sentences(text)) > 40


def test_lone_dollars_and_escaped_ones_do_not_join_sentences():
    assert sentences(r"It costs 5\$. It is cheap.") == [r"It costs 5\$.", "It is cheap."]


PIECES = st.sampled_from([*"aB1.?!()$ \n\"'[],;。！…\\", "e.g. ", "et al. ", "\n\n", "We ", "3.5", " \u2028", "é", "😀"])


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=200)))
def test_spans_are_ordered_apart_trimmed_and_cover_every_character(text):
    spans = split_sentences(text)

    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize("piece", [".", "e.g. ", "(a. ", "$a. B ", "J. ", ".) ", "\n ", "? ", "[1]. ", "x"])
def test_twice_the_text_takes_about_twice_the_time(piece):
    def seconds(size):
        text = piece * (size // len(piece)) + "x"
        started = time.process_time()
        split_sentences(text)
        return time.process_time() - started

    # A quadratic splitter took 25 s for 20,000 stops in a row; this one takes milliseconds for 100,000 characters.
    assert seconds(100_000) < 20 * max(seconds(25_000), 0.02)


def test_starts_agree_with_the_sentences_of_scifact(shared):
    found = gold = both = 0
    with gzip.open(shared / "benchmarks/scifact/corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        for line, _ in zip(corpus, range(500), strict=False):
            record = json.loads(line)
            ours = {start for start, _ in split_sentences(record["text"])}
            theirs = {start for start, _ in record["metadata"]["sentence_offsets"]}
            found, gold, both = found + len(ours), gold + len(theirs), both + len(ours & theirs)

    assert both / gold >= 0.93
    assert both / found >= 0.99
