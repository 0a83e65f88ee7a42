"""Token counts: offline, special tokens as plain text, the environment as it was."""

from __future__ import annotations

import os

import pytest

from store.tokens import count_tokens, encoder


@pytest.fixture
def fresh():
    encoder.cache_clear()
    yield
    encoder.cache_clear()


def test_a_count_needs_no_network(monkeypatch, fresh):
    import requests

    monkeypatch.setattr(requests, "get", lambda *_, **__: pytest.fail("tiktoken tried to download"))

    assert count_tokens("Stripe attention is fast.") == 5


@pytest.mark.parametrize("before", [None, "/somewhere/else"])
def test_the_environment_is_left_as_it_was(monkeypatch, fresh, before):
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    if before:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", before)

    encoder("cl100k_base")

    assert os.environ.get("TIKTOKEN_CACHE_DIR") == before


def test_text_that_looks_like_a_special_token_is_text():
    assert count_tokens("We end with <|endoftext|> here.") > count_tokens("We end with here.") + 2


@pytest.mark.parametrize("text", ["", "\ud800", "\x00", "😀", "字" * 100])
def test_any_text_has_a_count(text):
    assert (count_tokens(text) > 0) is bool(text)


def test_an_encoding_that_is_not_shipped_is_refused():
    with pytest.raises(ValueError, match="gpt2 is not shipped; there are cl100k_base, o200k_base"):
        encoder("gpt2")
