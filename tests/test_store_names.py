"""The names that an abstract gives to its own work."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.names import Name, long_form, names_in, system_names
from store.readable import readable

SHARED = Path(__file__).resolve().parents[2] / "shared"

KITES = (
    "Large language models (LLMs) route parcels badly. We introduce KiteRoute, a graph-based planner that delays each hop. "
    "To test it, we build KiteBench, a benchmark of 300 depots. KiteRoute outperforms GPT-4 and Qwen3-VL on KiteBench."
)


def first(abstract: str) -> Name:
    return system_names(abstract)[0]


def called(abstract: str) -> list[str]:
    return [name.name for name in system_names(abstract)]


@pytest.mark.parametrize(
    ("abstract", "name"),
    [
        ("We present MossNet, a network for slow images.", "MossNet"),
        ("We propose a slow training method called FERN. It waits.", "FERN"),
        ("To close this gap, we develop a planner, dubbed TideWalk.", "TideWalk"),
        ("We propose Patient Gradient Averaging (PGA), which waits.", "PGA"),
        ("We propose PGA (Patient Gradient Averaging), which waits.", "PGA"),
        ("This paper introduces the DuneMap framework, a way to chart sand.", "DuneMap"),
        ("In this work, we propose a new sampler, SandLoop, that repeats.", "SandLoop"),
        ("Our method, LakeFormer, achieves the best depth.", "LakeFormer"),
        ("We call the shared policy Ariadne's Thread.", "Ariadne's Thread"),
        ("We ask this with PaperCup, small models trained on cups. PaperCup outperforms a mug.", "PaperCup"),
        ("We introduce Harbor, a scheduler for ships.", "Harbor"),
        ("We present heron2, a compiler for birds.", "heron2"),
        ("We present **Wil**low**Net**, a network of trees.", "WillowNet"),
        ("We present \\textsc{Ouzel}-$2$, a diver.", "Ouzel-2"),
        ("We propose FogLamp-a simple lamp for fog.", "FogLamp"),
    ],
)
def test_a_name_is_found_however_it_is_introduced(abstract, name):
    assert called(abstract)[:1] == [name]


@pytest.mark.parametrize(
    "abstract",
    [
        "Mean-field Langevin dynamics (MFLD) is a dynamics for sampling. We study how fast it mixes.",
        "We propose a method for training large language models (LLMs).",
        "We propose a policy for reinforcement learning (RL) in hospitals.",
        "We evaluate GPT-4, BERT and Qwen3-VL on ImageNet. Our GPT-4 achieves little.",
        "We present a GAN-based approach to weather.",
        "We develop Bayesian estimators for tides.",
        "We collect 3D scans and 22.5K labels.",
        "",
    ],
)
def test_background_baselines_and_numbers_are_no_names(abstract):
    assert called(abstract) == []


def test_a_system_comes_before_its_benchmark_and_never_a_baseline():
    assert [(n.name, n.kind) for n in system_names(KITES)] == [("KiteRoute", "system"), ("KiteBench", "data")]


def test_a_named_task_is_an_idea():
    name = first("We introduce Ordered Pond Counting (OPC), a new task that counts ponds in order. OPC is hard, OPC is fun.")

    assert (name.name, name.kind, name.expansion) == ("OPC", "idea", "Ordered Pond Counting")


def test_the_name_given_last_to_the_whole_method_comes_first():
    abstract = (
        "We introduce Quiet Policy Search (2QPS), where noise is low. Averaging over all samples works best. "
        "We call this Batched Quiet Policy Search (B2QPS)."
    )

    assert called(abstract) == ["B2QPS", "2QPS"]


def test_the_description_is_what_the_sentence_says_it_is():
    assert first(KITES).description == "a graph-based planner that delays each hop"
    assert first("We propose a slow training method called FERN. It waits.").description == "a slow training method"


@pytest.mark.parametrize(
    ("abstract", "expansion"),
    [
        ("We propose a novel Patient Gradient Averaging (PGA) scheme.", "Patient Gradient Averaging"),
        ("We propose a multi-lake depth network (MLDNet) for boats.", "multi-lake depth network"),
        ("We propose agentic detection and response (ADR) for mail.", "agentic detection and response"),
        ("We propose Harbor (a tool of our own), a scheduler.", None),
    ],
)
def test_the_long_form_is_read_where_the_abstract_spells_it_out(abstract, expansion):
    assert first(abstract).expansion == expansion


def test_repeated_cues_make_a_name_surer():
    once = first("We introduce KiteRoute, a planner.")
    again = first("We introduce KiteRoute, a planner. KiteRoute achieves more. Our KiteRoute waits.")

    assert again.score > once.score


def test_sentences_already_cut_give_the_same_names():
    assert names_in([s + "." for s in KITES.rstrip(".").split(". ")]) == system_names(KITES)


def test_a_short_form_is_spelled_out_only_where_it_fits():
    text = "Slow tidal averaging (STA) is old. We study the cost of STA."

    assert long_form("cost of STA", text, room=60) == "cost of Slow tidal averaging"
    assert long_form("cost of STA", text, room=20) == "cost of STA"
    assert long_form("cost of RNA", text, room=60) == "cost of RNA"


@given(st.text(max_size=400))
def test_names_of_any_text_are_its_own_words(text):
    for name in system_names(text):
        assert name.name in readable(text)


def test_the_sample_papers_have_the_systems_they_name():
    if not SHARED.is_dir():
        pytest.skip("needs ../shared: the sample corpus and its expected systems")
    lines = (SHARED / "corpora/neurips-2026-sample.txt").read_text(encoding="utf-8").splitlines()
    for paper in json.loads((SHARED / "golden/papers.json").read_text(encoding="utf-8")).values():
        abstract = next(line for line in lines if line.startswith(paper["first_words"]))
        systems = [unicodedata.normalize("NFKC", n.name) for n in system_names(abstract) if n.kind == "system"]

        assert (systems[0] if systems else None) == paper["system"]
