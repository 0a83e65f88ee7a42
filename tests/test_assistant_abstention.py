"""Abstention: the two fitted models, and the signals they read from a question and what was found for it."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from importlib.resources import files

import pytest

from assistant import abstention
from assistant.abstention import Judgement, Model, Signals, judge, load_model
from assistant.engine import Engine
from assistant.questions import Turn
from store.library import Library
from store.search import Search

NEUTRAL = Signals(**{f.name: 0.0 for f in fields(Signals)})
NAMES = [f.name for f in fields(Signals)]
MODELS = ("subject", "said")
WEIGHTS = [(model, name) for model in MODELS for name in load_model(model).weights]


@pytest.fixture(scope="module")
def signals(place):
    """The signals of a question to the library of six papers."""
    return Engine(Search(Library.open(place))).signals


# -- the models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_a_model_weighs_signals_and_nothing_else(name):
    model = load_model(name)

    assert set(model.weights) == set(model.means) == set(model.scales) <= set(NAMES)
    assert all(scale > 0 for scale in model.scales.values())
    assert 0 < model.threshold < 1


def test_every_signal_is_weighed_by_one_model_at_least():
    assert {name for _, name in WEIGHTS} == set(NAMES)


def test_the_models_that_ship_are_the_ones_loaded():
    shipped = json.loads(files("assistant").joinpath("data/abstention.json").read_text("utf-8"))

    assert {name: asdict(load_model(name)) for name in MODELS} == shipped
    assert all(load_model(name) is load_model(name) for name in MODELS)


@pytest.mark.parametrize(("model", "name"), WEIGHTS)
def test_the_probability_rises_or_falls_with_a_signal_as_its_weight_says(model, name):
    loaded = load_model(model)
    low, middle, high = (loaded.probability(replace(NEUTRAL, **{name: value})) for value in (-1.0, 0.0, 1.0))

    assert low < middle < high if loaded.weights[name] > 0 else low > middle > high


@pytest.mark.parametrize("model", MODELS)
def test_a_signal_without_a_weight_changes_nothing(model):
    loaded = load_model(model)

    for name in set(NAMES) - set(loaded.weights):
        assert loaded.probability(replace(NEUTRAL, **{name: 1.0})) == loaded.probability(NEUTRAL)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("value", [-1e9, -1.0, 0.0, 1.0, 1e9])
def test_a_probability_is_between_nought_and_one(value, model):
    for name in NAMES:
        assert 0 <= load_model(model).probability(replace(NEUTRAL, **{name: value})) <= 1


def test_a_model_of_one_weight_is_the_logistic_function():
    model = Model(weights={"paper": 2.0}, means={"paper": 0.5}, scales={"paper": 0.25}, bias=1.0, threshold=0.5)

    assert model.probability(replace(NEUTRAL, paper=0.375)) == pytest.approx(0.5)
    assert model.probability(replace(NEUTRAL, paper=0.5)) == pytest.approx(1 / (1 + 2.718281828**-1))


def test_what_speaks_against_an_answer_has_a_weight_below_nought():
    subject, said = (load_model(name).weights for name in MODELS)

    assert all(subject[name] < 0 for name in ("unknown", "other_name"))
    assert all(subject[name] > 0 for name in ("paper", "sentence", "lexical", "named"))
    assert all(said[name] < 0 for name in ("other_name", "amount_missing", "name_missing", "name_doubtful", "person"))
    assert all(said[name] > 0 for name in ("sentence", "spelled_out"))


# -- the judgement -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", [0.0, 0.4, 0.75, 1.0])
@pytest.mark.parametrize("person", [0.0, 0.4, 0.75, 1.0])
def test_each_model_judges_by_its_own_threshold_and_the_confidence_is_of_both(paper, person, monkeypatch):
    models = {
        "subject": Model(weights={"paper": 2.0}, means={"paper": 0.5}, scales={"paper": 0.5}, bias=0.0, threshold=0.5),
        "said": Model(weights={"person": -2.0}, means={"person": 0.5}, scales={"person": 0.5}, bias=0.0, threshold=0.7),
    }
    monkeypatch.setattr(abstention, "load_model", models.__getitem__)
    read = replace(NEUTRAL, paper=paper, person=person)
    first, second = (model.probability(read) for model in models.values())

    assert judge(read) == Judgement(first >= 0.5, second >= 0.7, pytest.approx(first * second))
    assert judge(read).on_subject is (paper > 0.5)
    assert judge(read).is_said is (person < 0.25)


def test_a_probability_at_the_threshold_is_a_yes(monkeypatch):
    even = Model(weights={}, means={}, scales={}, bias=0.0, threshold=0.5)
    monkeypatch.setattr(abstention, "load_model", lambda name: even)

    assert judge(NEUTRAL) == Judgement(True, True, 0.25)


@pytest.mark.parametrize(
    ("question", "on_subject", "is_said"),
    [
        ("How many stations was RainNet tested on?", True, True),
        ("On which dataset was FoldBot trained?", True, False),
        ("How many GPUs was RainNet trained on?", True, False),
    ],
)
def test_the_models_that_ship_tell_the_subject_from_what_is_said(question, on_subject, is_said, signals):
    judged = judge(signals(question))

    assert (judged.on_subject, judged.is_said) == (on_subject, is_said)


def test_the_models_that_ship_know_what_no_paper_is_about(signals):
    assert not judge(signals("What is the capital of France?")).on_subject


# -- the signals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many stations was RainNet tested on?", {"amount_missing": 0, "other_name": 0}),
        ("How many GPUs was RainNet trained on?", {"amount_missing": 1}),
        ("What learning rate was used for FoldBot?", {"amount_missing": 1}),
        ("How much does RainNet reduce the error?", {"amount_missing": 0}),
        ("How many papers speak of RainNet on GPUs?", {"amount_missing": 0, "about_papers": 1}),
        ("Which papers study bird song?", {"about_papers": 1, "person": 0}),
        ("How does RainNet work?", {"about_papers": 0, "amount_missing": 0, "name_missing": 0, "name_doubtful": 0}),
        ("On which dataset was FoldBot trained?", {"name_missing": 1, "name_doubtful": 0}),
        ("Which optimizer trained RainNet?", {"name_missing": 1, "name_doubtful": 0}),
        (
            "Which collection does the grammar-based encoder shrink?",
            {"name_missing": 0, "name_doubtful": 0},
        ),  # data: "tested on X" is a sign
        ("Which model fills the gaps?", {"name_missing": 0, "name_doubtful": 1}),  # any name would do
        ("Which papers name the model of bird song?", {"about_papers": 1, "name_missing": 0, "name_doubtful": 0}),
        ("What is RainNet?", {"named": 1}),
        ("Which model fills the gaps of sensors?", {"named": 0}),
        ("Who wrote the RainNet paper?", {"person": 1}),
        ("Where was RainNet tested?", {"person": 1}),
        ("Does RainNet beat Kriging?", {"other_name": 1}),
        ("Does RainNet halve the error of interpolation?", {"other_name": 0}),
        ("Kriging in RainNet", {"other_name": 0}),  # the first word of a question has a capital anyway
        ("What does LSTM stand for in RainNet?", {"spelled_out": -1}),
        ("How does RainNet work?", {"spelled_out": 0, "person": 0, "unknown": 0.5}),
    ],
)
def test_a_question_has_its_signals(question, told, signals):
    read = asdict(signals(question))

    assert {name: read[name] for name in told} == told


def test_cosines_are_those_of_the_best_paper_and_the_best_sentence(signals):
    near, far = (
        signals("A recurrent model that fills the gaps from neighbouring sensors"),
        signals("Who won the football world cup?"),
    )

    assert 0.6 < near.sentence <= 1.01
    assert near.paper > 0.4 > far.paper
    assert near.sentence > far.sentence


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("Does RainNet fill gaps?", 0),
        ("Does RainNet fill zebras?", 1 / 3),
        ("zebras and giraffes", 1),
        ("Do zebras, giraffes, lions, monkeys, parrots and rhinos play football?", 0),  # long: other words for known things
    ],
)
def test_the_unknown_share_is_that_of_a_short_question(question, share, signals):
    assert signals(question).unknown == pytest.approx(share)


def test_a_name_of_the_conversation_is_not_a_new_one(signals):
    history = [Turn("user", "How does RainNet work on ERA5?"), Turn("assistant", "It fills gaps. [1]")]

    assert signals("Was it tested on stations?", history=history).other_name == 0
    assert signals("Was it tested against Kriging?", history=history).other_name == 1


def test_every_signal_is_about_one_at_most(signals):
    for question in ("How many GPUs, H100 or A100, did Ada use?", "?", "x", "Write me a poem on Kriging in 40 words"):
        assert all(-1.01 <= value <= 1.01 for value in asdict(signals(question)).values())


def test_nothing_found_has_no_signals(signals):
    assert signals("How does RainNet work?", filters=["id=nobody"]) is None
