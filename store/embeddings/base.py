"""What every embedding offers, and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from store.chunks import Chunk
from store.errors import ProviderError

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A chunk's vectors.

    Attributes:
        vector: Unit length, shape (dimensions,).
        pieces: Sum of the token states of each piece, shape (pieces, dimensions), not normalised, so that the parts of a
            sentence can be added; None if the model gives no token states.
        tokens: Tokens read.
    """

    vector: Vectors
    pieces: Vectors | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint. The key is never printed."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0


class Embedding(Protocol):
    """Turns chunks and queries into unit vectors of one space.

    Attributes:
        name: As the user writes it.
        identity: Name, weights and text preparation; vectors of different identities are never mixed.
        room: Most tokens of a chunk.
        paid: Whether tokens cost money.
    """

    name: str
    identity: str
    room: int
    paid: bool

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, special tokens not counted."""
        ...

    def embed_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Embedded]:
        """Embed a stream of chunks, in its order; reads a little ahead.

        Raises:
            ProviderError: The endpoint failed after its retries, or its reply does not fit what was asked.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,)."""
        ...


def unit(vectors: Vectors) -> Vectors:
    """Rows (or one vector) scaled to length 1; zeros stay zeros."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return scaled


def checked(vectors: Sequence[Any], *, count: int, name: str) -> Vectors:
    """A provider's vectors as unit rows, shape (count, dimensions), or an error if they cannot be those of `count` texts.

    Raises:
        ProviderError: There are more or fewer, they are of several lengths, or hold what is no finite number.
    """
    try:
        found = np.array(vectors, np.float32)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0, np.float32)
    if found.ndim != 2 or len(found) != count or not found.shape[1]:
        raise ProviderError(f"{name} did not return one vector for each of {count} texts. Its reply cannot be trusted.")
    if not np.isfinite(found).all():
        raise ProviderError(f"{name} returned numbers that are not finite. Its reply cannot be trusted.")
    return unit(found)


def in_batches(chunks: Iterable[Chunk], size: int) -> Iterator[list[Chunk]]:
    """Lists of at most `size` chunks, in order (itertools.batched needs Python 3.12)."""
    stream = iter(chunks)
    while batch := list(islice(stream, size)):
        yield batch
