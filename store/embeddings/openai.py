"""openai:MODEL: any OpenAI-compatible /embeddings endpoint, with its reply checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from store.chunks import Chunk
from store.embeddings.base import Embedded, Endpoint, Vectors, checked, in_batches
from store.errors import ProviderError
from store.readable import search_text
from store.tokens import count_tokens

_BATCH = 64


class OpenAIEmbedding:
    """Vectors from an endpoint. The client retries (429, 5xx, connection), honouring retry-after; nobody else does."""

    paid = True
    room = 8000  # OpenAI's models read 8,191 tokens; servers that read less refuse with a clear error

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self.name = f"openai:{model}"
        self.identity = f"{self.name}/text-1"
        self._model = model
        self._endpoint = endpoint

    def count_tokens(self, text: str) -> int:
        """Tokens by tiktoken's o200k_base, close enough for every current model."""
        return count_tokens(text)

    def embed_query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,)."""
        vector: Vectors = self._request([search_text(text) or " "])[0]
        return vector

    def embed_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Embedded]:
        """Embed a stream of chunks, 64 a request."""
        for batch in in_batches(chunks, _BATCH):
            texts = [chunk.text or " " for chunk in batch]
            for text, vector in zip(texts, self._request(texts), strict=True):
                yield Embedded(vector, None, count_tokens(text))

    @cached_property
    def _client(self) -> Any:
        from openai import OpenAI, OpenAIError

        try:
            key = (self._endpoint.api_key or "").strip() or ("none" if self._endpoint.base_url else None)
            return OpenAI(api_key=key, base_url=self._endpoint.base_url, timeout=self._endpoint.timeout, max_retries=4)
        except OpenAIError as error:
            raise ProviderError("No key for the embedding endpoint. Set OPENAI_API_KEY, or use local-minilm.") from error
        except Exception as error:
            raise ProviderError(
                f"The embedding endpoint {self._endpoint.base_url} cannot be used ({type(error).__name__}). Check its address."
            ) from error

    def _request(self, texts: Sequence[str]) -> Vectors:
        client = self._client
        try:
            reply = client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        except (
            Exception
        ) as error:  # the client's errors, and those it lets through: a reply that is no JSON, a key no header can hold
            raise ProviderError(
                f"{self.name} failed: {_reason(error)} What was embedded before is kept; run it again."
            ) from error
        try:
            vectors = {item.index: item.embedding for item in reply.data}
            complete = len(reply.data) == len(texts) and vectors.keys() == set(range(len(texts)))
        except (AttributeError, TypeError):  # no list of vectors at all
            vectors, complete = {}, False
        if not complete:  # servers do reorder and drop: pydantic-ai#7506, agno#10128
            raise ProviderError(
                f"{self.name} did not return vectors numbered as the {len(texts)} texts sent. Its reply cannot be trusted."
            )
        return checked([vectors[i] for i in range(len(texts))], count=len(texts), name=self.name)


def _reason(error: Exception) -> str:
    """The kind of failure, with the status where there is one; never a header or a key."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__}{f' (HTTP {status})' if status else ''}."
