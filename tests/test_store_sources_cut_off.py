"""Whether an abstract is seen to stop inside a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.sources.cut_off import ends_inside_a_sentence


@pytest.mark.parametrize(
    "text",
    [
        "Routing lowers the cost at the expense of",
        "We propose a method called",
        "It trains fast, tunes well,",
        "We consider two settings: (1)",
        "The rate is $O(1/n)$ where $n$ is",
        "Building upon~\\citep{byron1843}, we present the",
        "Patients were followed for a year. (ABSTRACT TRUNCATED AT 250 WORDS)",
        "Ends in a word 我们提出",
    ],
)
def test_a_sentence_without_an_end_is_cut_off(text):
    assert ends_inside_a_sentence(text)


@pytest.mark.parametrize(
    "text",
    [
        "A whole sentence.",
        "Is it so?",
        "It works!",
        "It goes on and on…",
        'She said "it works."',
        "He wrote “it works.”",
        "It works (as shown in Table 1.)",
        "**It works.**",
        "*It works.*",
        "The rate is $x^2.$",
        "The rate is $$x^2.$$",
        "\\emph{It works.}",
        "\\begin{itemize}\\item It works.\\end{itemize}",
        "It was known.[12]",
        "It was known.[3, 4]",
        "We study planning problems.1",
        "Code: https://example.org/code",
        "Code is available at https://example.org/code/",
        "Videos are on our project website: stripes.example.io",
        "See (https://example.org/a_b).",
        "Project page: *[https://example.org/x](https://example.org/x)*",
        "It works well.\nKeywords: graphs, flows",
        "It works. © 2000 Example Press",
        "我们提出一种新方法。",
        "",
        "  \n",
    ],
)
def test_a_sentence_with_an_end_or_an_address_is_not(text):
    assert not ends_inside_a_sentence(text)


def test_white_space_after_the_stop_does_not_count():
    assert not ends_inside_a_sentence("A whole sentence. \n\t ")


@given(st.text())
def test_a_full_stop_makes_any_text_whole(text):
    assert not ends_inside_a_sentence(text + ".")


@given(st.text(alphabet="ab .-/$*)]}\"'", max_size=3000))
def test_no_text_is_slow_or_fails(text):
    assert ends_inside_a_sentence(text) in (True, False)
