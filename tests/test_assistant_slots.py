"""Slots: what kind of thing a question asks for, and which sentences have such a thing."""

from __future__ import annotations

import pytest

from assistant.slots import fills, find_slot, has_amount, has_long_form, has_name, needs_modifier
from store.terms import terms


def amount(question, sentence):
    return has_amount(find_slot(question), sentence, question)


def name(question, sentence):
    return has_name(find_slot(question), sentence, question)


@pytest.mark.parametrize(
    ("question", "phrase", "needed"),
    [
        ("How many GPUs were used?", "GPUs", "gpu"),
        ("On how many human annotators is it based?", "human annotators", "annotators"),
        ("What is the number of training images in total?", "training images", "images"),
        ("How many hours of video?", "hours", "hours"),
        ("What learning rate was used?", "learning rate", "learning rate"),
        ("learning rate for X", "learning rate", "learning rate"),
        ("What accuracy does X reach?", "accuracy", "accuracy"),
        ("What is the F1 of RainNet?", "F1", "f1"),
        ("What was the dropout rate in the encoder?", "dropout rate", "dropout rate"),
        ("What is the rate?", "rate", "rate"),
        ("accuracy on ImageNet", "accuracy", "accuracy"),
        ("How much faster is X?", "", ""),
        ("By how much does it shrink?", "", ""),
        ("How long does decoding take?", "", ""),
        ("How large is the improvement?", "", ""),
    ],
)
def test_an_amount_is_asked_for(question, phrase, needed):
    slot = find_slot(question)

    assert slot.phrase == phrase
    assert slot.amount == frozenset(terms(needed))
    assert slot.named is None


@pytest.mark.parametrize(
    ("question", "phrase", "kinds"),
    [
        ("Which dataset was X trained on?", "dataset", "dataset"),
        ("What datasets are used?", "datasets", "dataset"),
        ("Which optimizer does X use?", "optimizer", "optimizer"),
        ("What type of network is used?", "network", "network"),
        ("Which language models are compared?", "models", "language models"),
        ("On which benchmark did it win?", "benchmark", "benchmark"),
        ("Which simulator was it run in?", "simulator", "simulator"),
    ],
)
def test_a_name_of_some_kind_is_asked_for(question, phrase, kinds):
    slot = find_slot(question)

    assert slot.phrase == phrase
    assert slot.named == frozenset(terms(kinds))
    assert slot.amount is None


@pytest.mark.parametrize(
    "question",
    [
        "How does it work?",
        "Why do models forget?",
        "Does the model size matter?",
        "What causes noise?",
        "rain in sensor networks",
    ],
)
def test_an_open_question_has_no_slot(question):
    slot = find_slot(question)

    assert (slot.amount, slot.named, slot.phrase, slot.spelled_out) == (None, None, "", None)
    assert (slot.person, slot.link, slot.definition) == (False, False, False)
    assert not fills(slot, "RainNet reaches 81% on ImageNet, see https://example.org.", question)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What does LSTM stand for?", "LSTM"),
        ("What do the letters PSA mean in this?", "PSA"),
        ("what did the acronym PRA abbreviate", "PRA"),
        ("Spell out MFLD, please", "MFLD"),
        ("What is the full name of SAM?", "SAM"),
        ("the long form of RLHF", "RLHF"),
        ("What is LSTM?", None),
    ],
)
def test_a_long_form_is_asked_for(question, short):
    assert find_slot(question).spelled_out == short


@pytest.mark.parametrize(
    ("question", "person"),
    [
        ("Who wrote it?", True),
        ("Whose idea was it?", True),
        ("Where was it recorded?", True),
        ("When was it released?", True),
        ("Which university did it?", True),
        ("RainNet: who made it?", True),
        ("Who studies birds?", False),
        ("Who else uses sketches?", False),
        ("Patients who recovered faster", False),
        ("How was it recorded?", False),
    ],
)
def test_a_person_a_place_or_a_time_is_asked_for(question, person):
    assert find_slot(question).person is person


@pytest.mark.parametrize(
    ("question", "link"),
    [
        ("Where can I download it?", True),
        ("What is the URL of the code?", True),
        ("Is there a repository?", True),
        ("where could we find the data?", True),
        ("Where was it tested?", False),
        ("How is the code written?", False),
    ],
)
def test_an_address_is_asked_for(question, link):
    assert find_slot(question).link is link


@pytest.mark.parametrize(
    ("question", "definition"),
    [
        ("What is GraphZip?", True),
        ("So what is a sketch?", True),
        ("What are state space models?", True),
        ("Tell me about FoldBot", True),
        ("Describe RainNet.", True),
        ("What is GraphZip used for in the study of molecules?", False),
        ("How is GraphZip trained?", False),
    ],
)
def test_it_is_asked_what_something_is(question, definition):
    assert find_slot(question).definition is definition


@pytest.mark.parametrize(
    ("question", "sentence", "has"),
    [
        ("How many stations were used?", "Tested on 412 stations.", True),
        ("How many stations were used?", "Tested on 412 sensors.", False),
        ("How many stations were used?", "Tested on many stations.", False),
        ("How many of the 412 stations were dry?", "There were 412 stations.", False),
        ("How many stations of 412 were dry?", "Of 412 stations 37 were dry.", True),
        ("How many stations were used?", "Seven stations were used.", True),
        ("How many stations were used?", "Hundreds of stations were used.", True),
        ("How many pictures were used?", "We train on 5,000 images.", True),
        ("How many images were used?", "We show 12 photographs.", True),
        ("How many people took part?", "We asked 31 volunteers.", True),
        ("How many patients took part?", "We scan 31 images.", False),
        ("What size is it?", "The model has 7 billion weights.", True),
        ("What learning rate was used?", "The learning rate is 0.001.", True),
        ("What learning rate was used?", "The dropout rate is 0.1.", False),
        ("What learning rate was used?", "It is learning 3 tasks.", False),
        ("How many training images were used?", "We use 50 images.", True),
        ("How many training images were used?", "We use 50 training clips.", False),
        ("How much faster is it?", "It is 3.4x faster.", True),
        ("How much faster is it?", "It is clearly faster.", False),
        ("How much faster is GPT-4?", "GPT-4 is clearly faster.", False),
        ("What accuracy is reached?", r"Its accuracy is $81\%$.", True),
    ],
)
def test_a_sentence_has_an_amount_that_the_question_has_not(question, sentence, has):
    assert amount(question, sentence) is has


@pytest.mark.parametrize(
    ("question", "sentence", "has"),
    [
        ("Which optimizer was used?", "We train with the AdamW optimizer.", True),
        ("Which optimizer was used?", "We train with a common optimizer.", False),
        ("Which optimizer was used?", "We train on ImageNet.", False),
        ("Which model was the base?", "Our model starts from GPT-4.", True),
        ("Which model was the base of GPT-4?", "Our model is GPT-4.", False),
        ("Which model was the base?", "Models are large.", False),
        ("Which dataset was used?", "Results on ImageNet improve.", True),
        ("Which dataset was used?", "It was tested across CIFAR-10 and others.", True),
        ("Which dataset was used?", "Results on several datasets improve.", False),
        ("Which dataset beside ImageNet was used?", "Results on ImageNet improve.", False),
        ("Which language was studied?", "Our corpus covers the language Yoruba.", True),
    ],
)
def test_a_sentence_has_a_name_that_the_question_has_not(question, sentence, has):
    assert name(question, sentence) is has


@pytest.mark.parametrize(
    ("short", "abstract", "has"),
    [
        ("PSA", "We propose parallel stripe attention (PSA).", True),
        ("PSA", "We propose PSA (parallel stripe attention).", True),
        ("LLM", "Large language models (LLMs) forget.", True),
        ("psa", "We propose parallel stripe attention (PSA).", True),
        ("PSA", "We propose PSA, which is fast (and small).", False),
        ("PSA", "PSA is fast.", False),
        ("C++", "We use C++ (a language).", True),
        ("PSA", "", False),
    ],
)
def test_an_abstract_spells_a_short_form_out(short, abstract, has):
    assert has_long_form(short, abstract) is has


@pytest.mark.parametrize(
    ("question", "sentence", "filled"),
    [
        ("Where can I download it?", "The code is at https://example.org/x.", True),
        ("Where can I download it?", "See www.example.org.", True),
        ("Where can I download it?", "The code is released.", False),
        ("What is GraphZip?", "We introduce GraphZip, a sketching method.", True),
        ("What is GraphZip?", "GraphZip is a compressor.", True),
        ("What is GraphZip?", "It loses 0.6% of accuracy.", False),
        ("How many stations were used?", "Tested on 412 stations.", True),
        ("How many stations were used?", "The code is at https://example.org.", False),
        ("Which optimizer was used?", "We train with the AdamW optimizer.", True),
        ("Which optimizer was used?", "We train for 3 days.", False),
        ("Who wrote it?", "Ada Smith wrote 3 of them.", False),
    ],
)
def test_a_sentence_can_fill_the_gap(question, sentence, filled):
    assert fills(find_slot(question), sentence, question) is filled


def test_some_amounts_mean_nothing_by_themselves():
    assert [word for word in ("rate", "sizes", "depth", "accuracy", "stations") if needs_modifier(word)] == [
        "rate",
        "sizes",
        "depth",
    ]
