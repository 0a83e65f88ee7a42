"""Readable text: LaTeX, Markdown and odd characters made plain, whatever they look like."""

from __future__ import annotations

import gzip
import json
import signal
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from store.readable import readable, search_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"360$^\circ$ views", "360° views"),
        (r"{\L}ojasiewicz", "Łojasiewicz"),
        ("**Para**llel", "Parallel"),
        (r"$1.25\times$", "1.25×"),
        (r"256$\times$256", "256×256"),
        (r"G\"odel and Erd\H{o}s", "Gödel and Erdős"),
        (r"\'{E}cole Poincar\'e", "École Poincaré"),
        (r"\c{c}a \v{S}koda na\"{\i}ve", "ça Škoda naïve"),
        (r"$\alpha$-stable", "α-stable"),
        (r"\textbf{bold \emph{it}}", "bold it"),
        (r"$O(n^2)$ and $x_1$", "O(n²) and x₁"),
        (r"\(x^2\) and \[y\]", "x² and y"),
        (r"$$E=mc^2$$", "E=mc²"),
        (r"$\frac{1}{2}$", "1/2"),
        (r"$\mathcal{L}_{\text{CE}}$", "L_CE"),
        ("H$^\\ast$Bench", "H*Bench"),
        ("It costs $5 and $6 today", "It costs $5 and $6 today"),
        (r"5\% of A\&B", "5% of A&B"),
        ("pages 3--5 --- long", "pages 3–5 — long"),
        ("``quoted''", "“quoted”"),
        ("A~B", "A B"),
        ("10^{-3} and 10^5", "10⁻³ and 10⁵"),
        ("snake_case_name and _emph_ x", "snake_case_name and emph x"),
        ("*one* **two** ***three***", "one two three"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        (r"\url{https://a.b}", "https://a.b"),
        ("https://a_b.c/d_e_f", "https://a_b.c/d_e_f"),
        ("C++ and C#", "C++ and C#"),
        ("a\n b\tc  d\u2028e", "a b c d e"),
        ("ﬁne ﬂow", "fine flow"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zerowidth"),
        ("e\u0301", "é"),
        ("\x1b[31mred", "[31mred"),
        ("a\x00b\x7fc\x9b", "a b c"),
        ("rtl \u202eabc\u2066d", "rtl abcd"),
        ("tag\U000e0069\U000e0067s", "tags"),
        ("\ud800x", "x"),
        ("$", "$"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_text_becomes_what_a_person_reads(text, plain):
    assert readable(text) == plain
    assert readable(plain) == plain


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("β-cell", "beta-cell"),
        (r"$\alpha$-stable", "alpha-stable"),
        ("ＡＢＣ ²", "ABC 2"),
        ("Łódź Ørsted", "Lódź Orsted"),
        ("Straße, Ælfric, œuvre", "Strasse, AElfric, oeuvre"),
        ("1.25×", "1.25x"),
        ("plain words", "plain words"),
    ],
)
def test_search_text_folds_what_nobody_types(text, searched):
    assert search_text(text) == searched


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=80), st.text("\\$*_{}^~`-'\"()[] abcα1\x1b\u200b\u202e\ud800", max_size=60)))
def test_nothing_that_controls_a_terminal_or_hides_comes_through(text):
    for plain in (readable(text), search_text(text)):
        assert plain == " ".join(plain.split())
        assert not [c for c in plain if unicodedata.category(c) in ("Cc", "Cs") or c in "\u200b\u200e\u202e\u2066\ufeff"]


MARKUP = set("\\$*_{}^~`'-")


@settings(deadline=None, max_examples=300)
@given(st.text(st.characters(exclude_characters=MARKUP, exclude_categories=["Cs"]), max_size=80))
def test_plain_text_comes_back_as_it_is(text):
    assume(not MARKUP & set(unicodedata.normalize("NFKC", text)))  # a full-width dollar is a dollar afterwards

    assert readable(readable(text)) == readable(text)
    assert search_text(search_text(text)) == search_text(text)


def test_real_abstracts_are_plain_after_one_pass(shared):
    changed = total = 0
    with gzip.open(shared / "benchmarks/mlpapers/corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        for line, _ in zip(corpus, range(1500), strict=False):
            plain = readable(json.loads(line)["text"])
            changed, total = changed + (readable(plain) != plain), total + 1

    assert changed / total < 0.01


@pytest.mark.parametrize(
    "text",
    [
        *(
            piece * 5000
            for piece in ("$", "*", "\\", "_a ", "$a ", "\\(", "a^{", "--", "`'", "*a *b ", "\\emph{", "\\frac{", "\\[ a ")
        ),
        "{" * 5000 + "}" * 5000,
        "\\emph{" * 3000 + "}" * 3000,
        "\\'" + " " * 20000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_hostile_markup_is_done_in_seconds(text):
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("readable took more than 20 s"))
    signal.alarm(20)
    try:
        readable(text)
    finally:
        signal.alarm(0)
