"""The demo: a corpus that is what it should be, three questions that it answers, and one that it leaves open."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assistant.demo import ONE_OPEN, THREE_ANSWERED, demo_place, demo_source
from assistant.engine import Engine
from assistant.settings import default_library, load_settings
from store.library import Library, Place, plan
from store.search import Search
from store.sentences import split_sentences

FIELDS = {"id", "title", "abstract", "authors", "venue", "year", "url", "keywords"}


@pytest.fixture(scope="module")
def corpus():
    """The papers as they are bundled."""
    with demo_source() as path:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Ask the demo library; returns the answer."""
    place = Place(folder=tmp_path_factory.mktemp("demo"))
    with demo_source() as path:
        addition = plan(place, [str(path)])
        list(addition.carry_out())
    assert (addition.receipt.added, addition.receipt.duplicates, addition.receipt.warnings) == (60, [], [])
    return Engine(Search(Library.open(place))).ask


def test_there_are_sixty_papers_each_once(corpus):
    assert len(corpus) == 60
    for field in ("id", "title", "abstract", "url"):
        assert len({paper[field] for paper in corpus}) == 60


def test_every_paper_has_every_field(corpus):
    for paper in corpus:
        assert set(paper) == FIELDS
        assert all(paper.values())
        assert all(isinstance(item, str) and item == item.strip() for item in (*paper["authors"], *paper["keywords"]))
        assert all(paper[name] == paper[name].strip() for name in FIELDS - {"authors", "keywords", "year"})


def test_years_and_addresses_fit_the_ids(corpus):
    for paper in corpus:
        submitted, _ = re.fullmatch(r"arxiv:(\d{2})(?:0[1-9]|1[0-2])\.(\d{4,5})", paper["id"]).groups()
        assert paper["url"] == f"https://arxiv.org/abs/{paper['id'].removeprefix('arxiv:')}"
        assert 0 <= paper["year"] - (2000 + int(submitted)) <= 2


def test_every_abstract_has_five_to_eight_sentences(corpus):
    counts = {paper["id"]: len(split_sentences(paper["abstract"])) for paper in corpus}

    assert {name: count for name, count in counts.items() if not 5 <= count <= 8} == {}


def test_abstracts_are_plain_running_text(corpus):
    for paper in corpus:
        assert paper["abstract"].endswith(".")
        assert paper["abstract"] == " ".join(paper["abstract"].split())
        assert "http" not in paper["abstract"]


@pytest.mark.parametrize(
    ("question", "title", "said"),
    [
        (THREE_ANSWERED[0], "LoRA: Low-Rank Adaptation of", "factor of 10,000"),
        (THREE_ANSWERED[1], "A Simple Framework for Contrastive Learning", "SimCLR"),
        (THREE_ANSWERED[2], "FlashAttention: Fast", "traffic between levels of GPU memory"),
    ],
)
def test_three_questions_are_answered_from_the_expected_papers(question, title, said, ask):
    answer = ask(question)

    assert (answer.status, answer.reason) == ("answered", None)
    assert answer.hits[0].paper.title.startswith(title)
    assert answer.citations[0].paper.title.startswith(title)
    assert said in answer.text
    assert answer.confidence > 0.6


def test_the_fourth_question_is_left_open(ask):
    answer = ask(ONE_OPEN)

    assert (answer.status, answer.reason) == ("abstained", "not_in_abstracts")
    assert answer.hits[0].paper.title == "High-Resolution Image Synthesis with Latent Diffusion Models"
    assert answer.missing == ("Stable Diffusion",)


@pytest.mark.parametrize(
    ("question", "id", "said"),
    [
        ("What BLEU does the Transformer reach from English to German?", "arxiv:1706.03762", "28.4 BLEU"),
        ("How many parameters does the larger BERT have?", "arxiv:1810.04805", "340 million"),
        ("What is LoRA?", "arxiv:2106.09685", "LoRA"),
    ],
)
def test_well_known_papers_say_what_they_are_known_for(question, id, said, ask):
    answer = ask(question)

    assert answer.hits[0].paper.id == id
    assert answer.status == "answered"
    assert said in answer.text


def test_every_quote_is_verbatim(ask, corpus):
    abstracts = {paper["id"]: paper["abstract"] for paper in corpus}
    for question in (*THREE_ANSWERED, ONE_OPEN, "Which papers compress models?", "How do GANs and diffusion models differ?"):
        for citation in ask(question).citations:
            assert all(abstracts[citation.paper.id][q.start : q.end] == q.text for q in citation.quotes)


def test_the_demo_has_a_library_of_its_own_beside_the_default_one():
    settings = load_settings({"OPENAI_BASE_URL": "http://x"})
    place = demo_place(settings, named=False)

    assert place.folder == default_library().parent / "demo"
    assert place.endpoint.base_url == "http://x"


def test_a_folder_that_was_named_is_used():
    settings = load_settings({}, library=Path("/somewhere/else"))

    assert demo_place(settings, named=True) == settings.place
