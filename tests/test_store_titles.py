"""Titles for papers that came without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from store.titles import infer_title, make_distinct

SAMPLE = Path(__file__).resolve().parents[2] / "shared/corpora/neurips-2026-sample.txt"


@pytest.mark.parametrize(
    ("abstract", "title"),
    [
        ("Parcel routing remains costly. We introduce KiteRoute, a graph-based planner that delays each hop.",
         "KiteRoute: graph-based planner in parcel routing"),
        ("Federated clocks remain imprecise. We propose Patient Gradient Averaging (PGA), which waits for the slowest.",
         "PGA: patient gradient averaging in federated clocks"),
        ("We propose a novel and robust tide prediction method called FERN.", "FERN: tide prediction method"),
        ("We study moon-native navigation, which needs patience. We introduce LunaNav with Crater Cross-Attention.",
         "LunaNav: moon-native navigation with crater cross-attention"),
    ],
)  # fmt: skip
def test_a_named_work_is_its_name_and_what_it_is(abstract, title):
    assert infer_title(abstract) == title


@pytest.mark.parametrize(
    ("abstract", "title"),
    [
        ("Tide models remain coarse. We study *partially observed tides*, a setting with few buoys.",
         "Partially observed tides in tide models"),
        ("Coastal flooding is costly. We propose a simple yet effective sandbag placement algorithm that waits.",
         "Sandbag placement algorithm for coastal flooding"),
        ("Slow tidal averaging (STA) is an old method. We initiate the study of the communication complexity of STA.",
         "Communication complexity of slow tidal averaging"),
        ("Beavers build dams at night.", "Beavers build dams at night"),
    ],
)  # fmt: skip
def test_a_nameless_work_is_its_topic(abstract, title):
    assert infer_title(abstract) == title


def test_a_description_that_says_nothing_gives_way_to_the_topic():
    title = infer_title("We study glacier melt forecasting under sparse sensing. We present IceNet, a framework.")

    assert title == "IceNet: glacier melt forecasting under sparse sensing"


def test_proper_names_keep_their_capitals():
    assert infer_title("We study Markov chains on Gaussian beaches.") == "Markov chains on Gaussian beaches"
    assert infer_title("We study Wikipedia pages on beaches.") == "Wikipedia pages on beaches"


def test_markup_and_formulas_are_gone():
    title = infer_title("We study **fast** sand at $10\\times$ speed and $broken.")

    assert title == "Fast sand at 10× speed and broken"


def test_a_long_phrase_ends_before_a_preposition_not_inside_a_name():
    title = infer_title("We study estimates of the grain size of very fine wet sand on long beaches with strong winds.")

    assert title == "Estimates of the grain size of very fine wet sand"


def test_chinese_is_cut_at_its_first_clause():
    assert infer_title("褥疮是长期卧床患者的常见问题,其原因很多。" * 9) == "褥疮是长期卧床患者的常见问题"


@pytest.mark.parametrize(
    ("text", "title"),
    [("", "Untitled"), (" \n", "Untitled"), ("... !", "Untitled"), ("of the and", "of the and"), ("x" * 200, "X" + "x" * 89)],
)
def test_degenerate_texts_still_get_a_title(text, title):
    assert infer_title(text) == title


_PIECES = [*"aA ,.$*\\{}()-:\n", "We propose ", "called ", "Xa1", " (AB)"]


@given(st.text() | st.lists(st.sampled_from(_PIECES), max_size=60).map("".join))
@example("We propose $\\{X1\\}$ (")
def test_any_text_gets_one_short_line(text):
    title = infer_title(text)

    assert 0 < len(title) <= 90
    assert title == " ".join(title.split())
    assert title == infer_title(text)


def test_a_free_title_stays_as_it_is():
    assert make_distinct("KiteRoute", "Kites.", {"Harbor"}) == "KiteRoute"


def test_a_shared_title_gets_a_word_that_the_abstract_repeats():
    abstract = "KiteRoute plans parcels for glaciers. Glaciers melt. We love glaciers and kiteroute."

    assert make_distinct("KiteRoute", abstract, {"kiteroute"}) == "KiteRoute (glaciers)"
    assert make_distinct("KiteRoute", abstract, {"KiteRoute", "KiteRoute (Glaciers)"}) == "KiteRoute (plans)"


def test_papers_without_a_word_to_tell_them_apart_are_numbered():
    assert make_distinct("Untitled", "", {"Untitled", "Untitled (2)"}) == "Untitled (3)"


@given(st.text(min_size=1, max_size=90), st.text(max_size=200), st.sets(st.text(max_size=90), max_size=5))
def test_a_distinct_title_is_never_taken(title, abstract, taken):
    distinct = make_distinct(title, abstract, {*taken, title})

    assert distinct not in {*taken, title}
    assert len(distinct) <= 90


def test_the_sample_papers_have_titles_that_tell_them_apart():
    if not SAMPLE.is_file():
        pytest.skip("needs ../shared: the sample corpus")
    titles = [infer_title(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines() if len(line) > 100]

    assert len(set(titles)) == len(titles) == 19
    assert "PanoWorld: panoramic video world model" in titles
    assert "PanoWorld: pano-native understanding with spherical spatial cross-attention" in titles
    assert all(4 <= len(title.replace(":", "").split()) <= 12 or title == "Partially performative prediction" for title in titles)
