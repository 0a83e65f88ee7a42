"""The answer's JSON: exactly the keys and types that the contract fixes."""

from __future__ import annotations

import json

from assistant.answers import Answer, Citation, Claim, Quote, Ranked, Usage, hit_json
from store.papers import Paper

PAPER = Paper(
    id="p1",
    title="On α",
    abstract="We study α. It is 4.",
    title_inferred=True,
    authors=("Ada Smith", "Bo"),
    venue="ICML",
    year=2024,
    url="https://example.org",
    doi="10.1/x",
    keywords=("k",),
)
ANSWER = Answer(
    question="What is α?",
    status="answered",
    reason=None,
    text="It is 4. [1]",
    claims=(Claim("It is 4.", (1,)), Claim("It is 5.", (), "unsupported", ("5 is not in the sentence",))),
    citations=(Citation(1, PAPER, (Quote("It is 4.", 12, 20),)),),
    hits=(Ranked(1, PAPER, 0.912345),),
    missing=("beta",),
    confidence=0.876543,
    note="A hint.",
    seconds={"retrieve": 0.0123456, "answer": 0.01, "total": 0.0223456},
)


def test_an_answer_has_the_keys_of_the_contract_in_its_order():
    assert list(ANSWER.to_json()) == [
        "question", "mode", "model", "status", "reason", "answer", "claims", "citations", "hits", "missing", "confidence",
        "note", "usage", "seconds",
    ]  # fmt: skip


def test_an_answer_is_json_as_the_contract_prints_it():
    assert json.loads(json.dumps(ANSWER.to_json())) == {
        "question": "What is α?",
        "mode": "extractive",
        "model": None,
        "status": "answered",
        "reason": None,
        "answer": "It is 4. [1]",
        "claims": [
            {"text": "It is 4.", "citations": [1], "verdict": "supported", "problems": []},
            {"text": "It is 5.", "citations": [], "verdict": "unsupported", "problems": ["5 is not in the sentence"]},
        ],
        "citations": [
            {
                "number": 1,
                "paper": {
                    "id": "p1", "title": "On α", "title_inferred": True, "authors": ["Ada Smith", "Bo"], "venue": "ICML",
                    "year": 2024, "url": "https://example.org",
                },
                "quotes": [{"text": "It is 4.", "start": 12, "end": 20}],
            }
        ],
        "hits": [{"rank": 1, "id": "p1", "title": "On α", "title_inferred": True, "score": 0.9123}],
        "missing": ["beta"],
        "confidence": 0.8765,
        "note": "A hint.",
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "calls": 0},
        "seconds": {"retrieve": 0.0123, "answer": 0.01, "total": 0.0223},
    }  # fmt: skip


def test_an_answer_of_nothing_is_json_too():
    printed = Answer(question="?", status="abstained", reason="not_in_library", text="No.").to_json()

    assert (printed["claims"], printed["citations"], printed["hits"], printed["missing"]) == ([], [], [], [])
    assert (printed["confidence"], printed["note"], printed["seconds"]) == (0.0, "", {})


def test_usage_of_a_model_is_told():
    answer = Answer(question="?", status="answered", reason=None, text="x", mode="model", model="m", usage=Usage(10, 5, 0.25, 2))

    assert answer.to_json()["usage"] == {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25, "calls": 2}
    assert (answer.to_json()["mode"], answer.to_json()["model"]) == ("model", "m")


def test_a_hit_of_a_paper_without_anything_is_printed():
    assert hit_json(Ranked(3, Paper(id="x", title="T", abstract="A."), 0)) == {
        "rank": 3, "id": "x", "title": "T", "title_inferred": False, "score": 0,
    }  # fmt: skip


def test_an_answer_of_the_engine_has_the_types_of_the_contract(ask):
    printed = ask("How many stations was RainNet tested on?").to_json()

    assert {name: type(value) for name, value in printed.items()} == {
        "question": str, "mode": str, "model": type(None), "status": str, "reason": type(None), "answer": str, "claims": list,
        "citations": list, "hits": list, "missing": list, "confidence": float, "note": str, "usage": dict, "seconds": dict,
    }  # fmt: skip
    assert json.loads(json.dumps(printed)) == printed
    assert all(type(hit["score"]) is float for hit in printed["hits"])
