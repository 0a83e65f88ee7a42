"""PROVIDER:MODEL through a made-up integration of LlamaIndex."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from store.chunks import Chunk, Piece
from store.embeddings import open_embedding
from store.errors import ProviderError, UsageError

NAME = "llama_index.embeddings.made_up"
SOURCE = """
from llama_index.core.embeddings import MockEmbedding
class MadeUpEmbedding(MockEmbedding):
    replies: list = []
    def __init__(self, model_name):
        if model_name == "broken":
            raise ImportError("sk-secret: torch is missing")
        super().__init__(embed_dim=4, model_name=model_name)
    def _get_text_embedding(self, text):
        if "fail" in text:
            raise RuntimeError("sk-secret")
        return [3.0, 4.0, 0.0, float("nan") if "nan" in text else 0.0]
    def get_text_embedding_batch(self, texts):
        found = [self._get_text_embedding(text) for text in texts]
        return found[:-1] if "short" in texts[0] else found
"""


@pytest.fixture
def integration(monkeypatch):
    module = ModuleType(NAME)
    exec(SOURCE, vars(module))
    monkeypatch.setitem(sys.modules, NAME, module)
    return module


def embed(*texts):
    return list(open_embedding("made-up:small").embed_chunks(Chunk("", (Piece(0, text),)) for text in texts))


def test_its_own_class_is_used_and_its_vectors_have_length_one(integration):
    first, second = embed("One.", "Two.")

    assert np.allclose(first.vector, [0.6, 0.8, 0, 0])
    assert (second.pieces, second.tokens) == (None, 2)


def test_its_queries_have_length_one(integration):
    model = open_embedding("made-up:small")

    assert np.linalg.norm(model.embed_query("")) == pytest.approx(1)
    assert (model.name, model.identity) == ("made-up:small", "made-up:small/text-1")


def test_one_that_is_not_installed_is_named_with_its_package():
    with pytest.raises(UsageError, match="pip install llama-index-embeddings-not-there"):
        open_embedding("not_there:model")


@pytest.mark.parametrize("name", ["../x:m", ".:m", " :m", "a b:m", "é:m"])
def test_an_impossible_name_is_only_unknown(name):
    with pytest.raises(UsageError, match="No embedding is named"):
        open_embedding(name)


def test_a_package_without_a_class_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))

    with pytest.raises(UsageError, match="has no embedding class"):
        open_embedding("made-up:small")


@pytest.mark.parametrize(
    ("text", "says"), [("short", "one vector for each of 1 texts"), ("nan", "not finite"), ("fail", "RuntimeError")]
)
def test_a_reply_that_cannot_be_trusted_is_refused(integration, text, says):
    with pytest.raises(ProviderError, match=says) as raised:
        embed(text)
    assert "sk-secret" not in str(raised.value)


def test_one_that_cannot_be_set_up_is_told_without_its_own_words(integration):
    with pytest.raises(ProviderError, match="could not be set up") as raised:
        open_embedding("made-up:broken")
    assert "sk-secret" not in str(raised.value)
