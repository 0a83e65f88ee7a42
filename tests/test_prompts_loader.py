"""Prompts are checked when they are loaded and when they are filled in."""

from __future__ import annotations

import pytest

from prompts import PromptError, load_prompt, prompt_names
from prompts.loader import parse_prompt

GOOD = "---\nname: p\nversion: '1'\npurpose: x\ninputs: [a, b]\n---\n# system\n\nBe $a.\n\n# user\n\nSay $b for $$5.\n"


def test_every_prompt_that_ships_is_well_made():
    assert "answer" in prompt_names()
    assert all(load_prompt(name).purpose for name in prompt_names())


def test_a_prompt_is_filled_in_as_a_system_and_a_user_message():
    assert parse_prompt(GOOD, "p").render(a="kind", b="{hello}") == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Say {hello} for $5."},
    ]


def test_a_dollar_in_an_abstract_is_no_placeholder():
    messages = load_prompt("answer").render(question="What is $x$?", evidence="[1] $b and ${a}")

    assert "[1] $b and ${a}" in messages[1]["content"]
    assert "What is $x$?" in messages[1]["content"]


@pytest.mark.parametrize("values", [{}, {"a": "1"}, {"a": "1", "b": "2", "c": "3"}])
def test_missing_and_unknown_values_are_refused_with_those_it_takes(values):
    with pytest.raises(PromptError, match="takes a, b, not"):
        parse_prompt(GOOD, "p").render(**values)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("inputs: [a, b]", "inputs: [a]", "uses a, b, but its inputs are a"),
        ("inputs: [a, b]", "inputs: [a, b, c]", "uses a, b, but its inputs are a, b, c"),
        ("purpose: x\n", "", "front matter with"),
        ("# user", "# person", "front matter with"),
        ("name: p", "name: q", "front matter with"),
        ("$$5", "$5", "begins no placeholder"),
    ],
)
def test_a_badly_made_file_is_refused_with_what_to_change(old, new, told):
    with pytest.raises(PromptError, match=told):
        parse_prompt(GOOD.replace(old, new), "p")


def test_an_unknown_prompt_is_refused_with_those_there_are():
    with pytest.raises(PromptError, match="There are: .*answer"):
        load_prompt("poem")


def test_a_prompt_of_the_user_goes_before_ours(tmp_path):
    own = GOOD.replace("name: p", "name: answer").replace("'1'", "mine").replace("[a, b]", "[question, evidence]")
    own = own.replace("$a", "$evidence").replace("$b", "$question")
    (tmp_path / "answer.md").write_text(own, "utf-8")

    assert load_prompt("answer", tmp_path).version == "mine"
    assert load_prompt("answer", tmp_path).digest != load_prompt("answer").digest
