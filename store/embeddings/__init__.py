"""Embeddings by name: what turns text into vectors, and the one table of those there are."""

from __future__ import annotations

from store.embeddings.base import Embedded, Embedding, Endpoint
from store.errors import UsageError

__all__ = ["Embedded", "Embedding", "Endpoint", "open_embedding"]

LOCAL = "local-minilm"


def open_embedding(name: str = LOCAL, endpoint: Endpoint | None = None) -> Embedding:
    """Make an embedding ready for use.

    Args:
        name: ``local-minilm``, ``openai:MODEL`` (any OpenAI-compatible endpoint), or ``PROVIDER:MODEL`` for an installed
            ``llama_index.embeddings.PROVIDER``.
        endpoint: Where ``openai:`` goes, and with which key.

    Raises:
        UsageError: No embedding has that name, or its package is not installed.
    """
    provider, _, model = name.partition(":")
    if name == LOCAL:
        from store.embeddings.minilm import MiniLM

        return MiniLM.load()
    if not model:
        raise UsageError(
            f"No embedding is named {name!r}. There are: {LOCAL}, openai:MODEL, PROVIDER:MODEL of a LlamaIndex integration."
        )
    if provider == "openai":
        from store.embeddings.openai import OpenAIEmbedding

        return OpenAIEmbedding(model, endpoint or Endpoint())
    from store.embeddings.llama_index import LlamaIndexEmbedding

    return LlamaIndexEmbedding.load(provider, model)
