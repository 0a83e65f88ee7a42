"""Embeddings by name, what every one of them checks, and the small one that other tests of the store stand on."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pytest

from store.chunks import Chunk, Piece
from store.embeddings import Endpoint, open_embedding
from store.embeddings.base import Embedded, checked, in_batches, unit
from store.errors import ProviderError, UsageError


class FakeEmbedding:
    """Counts words into 64 places; remembers what it was given, and fails when told to.

    Args:
        fails_after: Chunks that are embedded before `error` is raised.
    """

    paid = False

    def __init__(self, name="local-minilm", *, room=100, identity="fake/1", dimensions=64, states=True):
        self.name, self.room, self.identity, self.dimensions, self.states = name, room, identity, dimensions, states
        self.seen, self.fails_after, self.error = [], None, ProviderError("fake failed. Try again.")

    def count_tokens(self, text):
        return len(text.split())

    def embed_query(self, text):
        return unit(self._sum(text))

    def embed_chunks(self, chunks):
        for chunk in chunks:
            if self.fails_after is not None and len(self.seen) >= self.fails_after:
                raise self.error
            self.seen.append(chunk.text)
            pieces = np.array([self._sum(piece.text) for piece in chunk.pieces], np.float32).reshape(-1, self.dimensions)
            yield Embedded(unit(self._sum(chunk.text)), pieces if self.states else None, self.count_tokens(chunk.text))

    def _sum(self, text):
        total = np.full(self.dimensions, 1e-3, np.float32)
        for word in re.findall(r"\w+", text.casefold()):
            total[zlib.crc32(word.encode()) % self.dimensions] += 1
        return total


@pytest.mark.parametrize("name", ["", "minilm", "openai:", "local-minilm2", ":"])
def test_an_unknown_name_is_an_error_that_lists_the_choices(name):
    with pytest.raises(UsageError, match="There are: local-minilm, openai:MODEL, PROVIDER:MODEL") as raised:
        open_embedding(name)

    assert raised.value.exit_code == 2


def test_names_may_hold_more_colons():
    assert open_embedding("openai:ft:small:x").name == "openai:ft:small:x"


def test_an_endpoint_never_shows_its_key():
    assert "sk-secret" not in repr(Endpoint(base_url="http://x", api_key="sk-secret"))


def test_unit_rows_have_length_one_and_zeros_stay_zeros():
    rows = unit(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))

    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]
    assert rows.dtype == np.float32


def test_vectors_that_fit_come_back_as_unit_rows():
    assert checked([[3, 4], [0, 2]], count=2, name="x:y").tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[1.0]], "one vector for each of 2 texts"),
        ([[1.0], [1.0], [1.0]], "one vector for each of 2 texts"),
        ([[1.0], [1.0, 2.0]], "one vector for each of 2 texts"),
        ([[], []], "one vector for each of 2 texts"),
        ([None, None], "one vector for each of 2 texts"),
        (["AACAPw==", "x"], "one vector for each of 2 texts"),
        ([[1.0], [float("nan")]], "not finite"),
        ([[1.0], [float("inf")]], "not finite"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(vectors, says):
    with pytest.raises(ProviderError, match=says):
        checked(vectors, count=2, name="x:y")


def test_a_stream_is_cut_into_batches_in_order():
    chunks = [Chunk("", (Piece(0, str(i)),)) for i in range(5)]

    assert list(in_batches(iter(chunks), 2)) == [chunks[:2], chunks[2:4], chunks[4:]]
    assert list(in_batches([], 2)) == []
