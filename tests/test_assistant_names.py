"""Names in a question: what is left without them, and whether it says which bearer is meant."""

from __future__ import annotations

import pytest

from assistant.names import tells_apart, without_names


@pytest.mark.parametrize(
    ("question", "names", "rest"),
    [
        ("What is PanoWorld?", ["panoworld"], "What is ?"),
        ("PanoWorld", ["panoworld"], ""),
        ("PanoWorlds!", ["panoworld"], ""),
        ("PanoWorld PanoWorld", ["panoworld"], ""),
        ("PANOWORLD and PanoWorld's speed, or the PanoWorld’s Size", ["panoworld"], "and speed, or the Size"),
        ("Pano-World or PanoWorld-2", ["panoworld"], "Pano-World or PanoWorld-2"),
        ("Is C++ on H100 fast?", ["c++"], "Is on H100 fast?"),
        ("Does PanoWorld beat GraphZip on video?", ["panoworld", "graphzip"], "Does beat on video?"),
        ("Is PanoWorldly a word?", ["panoworld"], "Is PanoWorldly a word?"),
        ("How fast is Wan 2.1?", ["wan 2.1"], "How fast is ?"),
        ("nothing named", [], "nothing named"),
        ("", ["x"], ""),
    ],
)
def test_a_question_without_its_names(question, names, rest):
    assert without_names(question, names) == rest


@pytest.mark.parametrize(
    "question",
    [
        "How fast is the video PanoWorld?",
        "How fast is the panoramic video PanoWorld?",
        "What is the PanoWorld that generates video?",
        "What is PanoWorld for navigation?",
        "Describe PanoWorld, which renders frames",
        "Describe the PanoWorld from Berne",
        "PanoWorld about games",
        "PanoWorld in the sense of a benchmark",
        "PanoWorld, not the video one",
        "PanoWorld: the one with houses",
    ],
)
def test_a_question_that_says_which_one_tells_them_apart(question):
    assert tells_apart(question, "panoworld")


@pytest.mark.parametrize(
    "question",
    [
        "PanoWorld",
        "What is PanoWorld?",
        "What does the PanoWorld paper say?",
        "How fast is PanoWorld?",
        "Does PanoWorld render frames?",
        "the video of GraphZip",
        "Is PanoWorldly about worlds?",
        "",
    ],
)
def test_a_bare_name_does_not(question):
    assert not tells_apart(question, "panoworld")


def test_a_name_is_taken_as_it_is_written():
    assert tells_apart("What is C++ for graphs?", "c++")
    assert not tells_apart("What is Cxx for graphs?", "c++")
