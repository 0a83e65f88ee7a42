"""PROVIDER:MODEL: any installed LlamaIndex embedding integration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Self

from store.chunks import Chunk
from store.embeddings.base import Embedded, Vectors, checked, in_batches
from store.errors import ProviderError, UsageError
from store.readable import search_text
from store.tokens import count_tokens

_BATCH = 64


class LlamaIndexEmbedding:
    """Wraps a ``BaseEmbedding``; its own settings (keys, devices) are the integration's business."""

    paid = False
    room = 500  # most local models read 512 tokens; a longer abstract is chunked

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self.identity = f"{name}/text-1"
        self._model = model

    @classmethod
    def load(cls, provider: str, model: str) -> Self:
        """Find the embedding class of ``llama_index.embeddings.PROVIDER`` and make it with that model name.

        Raises:
            UsageError: The integration is not installed, or has no embedding class.
        """
        from llama_index.core.base.embeddings.base import BaseEmbedding

        try:
            module = import_module(f"llama_index.embeddings.{provider.replace('-', '_')}")
        except ImportError as error:
            package = f"llama-index-embeddings-{provider.replace('_', '-')}"
            raise UsageError(f"No embedding is named {provider!r}. For LlamaIndex's: pip install {package}") from error
        classes = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, BaseEmbedding)]
        own = [c for c in classes if c.__module__.startswith(module.__name__)]  # not those it imports to derive from
        if not own:
            raise UsageError(f"llama_index.embeddings.{provider} has no embedding class. Use another embedding.")
        name = f"{provider}:{model}"
        try:
            return cls(name, own[0](model_name=model))
        except Exception as error:  # a missing key, package or file; the text is the vendor's own, and may hold what is secret
            raise ProviderError(
                f"{name} could not be set up ({type(error).__name__}). See what llama_index.embeddings.{provider} needs: "
                "its key is read from its own variable."
            ) from error

    def count_tokens(self, text: str) -> int:
        """Tokens by tiktoken's o200k_base; the model's own may differ a little."""
        return count_tokens(text)

    def embed_query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,)."""
        vector: Vectors = checked([self._ask("get_query_embedding", search_text(text) or " ")], count=1, name=self.name)[0]
        return vector

    def embed_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Embedded]:
        """Embed a stream of chunks, 64 a call."""
        for batch in in_batches(chunks, _BATCH):
            texts = [chunk.text or " " for chunk in batch]
            vectors = checked(self._ask("get_text_embedding_batch", texts), count=len(texts), name=self.name)
            for text, vector in zip(texts, vectors, strict=True):
                yield Embedded(vector, None, count_tokens(text))

    def _ask(self, method: str, argument: Any) -> Any:
        try:
            return getattr(self._model, method)(argument)
        except Exception as error:  # integrations raise whatever their vendor raises
            raise ProviderError(
                f"{self.name} failed ({type(error).__name__}). What was embedded before is kept; run it again."
            ) from error
