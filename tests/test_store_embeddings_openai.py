"""openai:MODEL against a small scripted server: order, short replies, retries, and a key that goes nowhere else."""

from __future__ import annotations

import json
import logging
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from store.chunks import Chunk, Piece
from store.embeddings import Endpoint, open_embedding
from store.errors import ProviderError

KEY = "sk-test-0123456789"


class Server:
    """Answers each request with the next of its scripted replies, or else with a vector for every text."""

    def __init__(self):
        self.requests, self.script = [], []
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def _answer(self, handler):
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.requests.append((dict(handler.headers), body))
        status, headers, reply = self.script.pop(0) if self.script else (200, {}, reply_to(body["input"]))
        content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(content), **headers}.items():
            handler.send_header(name, str(value))
        handler.end_headers()
        handler.wfile.write(content)


def reply_to(texts, order=None):
    data = [{"object": "embedding", "index": i, "embedding": [len(text), 1.0]} for i, text in enumerate(texts)]
    return {"object": "list", "model": "m", "data": [data[i] for i in order] if order else data, "usage": {}}


@contextmanager
def serving():
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()


@pytest.fixture
def server(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving() as running:
        yield running


@pytest.fixture
def embedding(server):
    return open_embedding("openai:m", Endpoint(base_url=server.url, api_key=KEY, timeout=5))


def chunks(*texts):
    return [Chunk("", (Piece(0, text),)) for text in texts]


def test_a_chunk_gets_the_unit_vector_of_its_text(server, embedding):
    (part,) = embedding.embed_chunks([Chunk("T", (Piece(0, "One."), Piece(1, "Two.")))])

    assert server.requests[0][1] == {"model": "m", "input": ["T\nOne. Two."], "encoding_format": "float"}
    assert np.allclose(part.vector, np.array([11, 1]) / np.hypot(11, 1))
    assert part.pieces is None
    assert part.tokens == embedding.count_tokens("T\nOne. Two.") > 0


def test_sixty_four_chunks_are_one_request(server, embedding):
    assert len(list(embedding.embed_chunks(chunks(*["a"] * 130)))) == 130
    assert [len(body["input"]) for _, body in server.requests] == [64, 64, 2]


def test_a_shuffled_reply_is_put_in_order(server, embedding):
    server.script = [(200, {}, reply_to(["a", "bbb", "ccccc"], order=[2, 0, 1]))]

    lengths = [part.vector[0] / part.vector[1] for part in embedding.embed_chunks(chunks("a", "bbb", "ccccc"))]
    assert np.allclose(lengths, [1, 3, 5])


GOOD = reply_to(["a", "b"])["data"]


@pytest.mark.parametrize(
    "reply",
    [
        {"data": GOOD[:1]},
        {"data": [*GOOD, {"index": 0, "embedding": [9, 9]}]},
        {"data": [*GOOD, {"index": 2, "embedding": [9, 9]}]},
        {"data": [GOOD[0], {**GOOD[1], "index": 0}]},
        {"data": [GOOD[0], {**GOOD[1], "index": None}]},
        {"data": [GOOD[0], {**GOOD[1], "index": "1"}]},
        {"data": [GOOD[0], {"embedding": [1, 2]}]},
        {"data": [GOOD[0], {**GOOD[1], "embedding": [1.0]}]},
        {"data": [GOOD[0], {**GOOD[1], "embedding": None}]},
        {"data": [GOOD[0], {**GOOD[1], "embedding": []}]},
        {"data": [GOOD[0], {**GOOD[1], "embedding": [float("nan"), 1]}]},
        {"data": [None, None]},
        {"data": []},
        {"data": None},
        {},
        [],
        b"<html>Welcome to the proxy</html>",
        b"not json",
    ],
)
def test_a_reply_that_cannot_be_trusted_is_refused(server, embedding, reply):
    server.script = [
        (200, {"Content-Type": "text/html" if isinstance(reply, bytes) and reply[:1] == b"<" else "application/json"}, reply)
    ]

    with pytest.raises(ProviderError) as raised:
        list(embedding.embed_chunks(chunks("a", "b")))
    assert raised.value.exit_code == 5
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_when_it_says(server, embedding, status):
    server.script = [(status, {"Retry-After-Ms": "5"}, {"error": {"message": "busy"}})] * 2

    assert embedding.embed_query("a").shape == (2,)
    assert len(server.requests) == 3


def test_it_gives_up_after_four_retries_and_says_what_is_kept(server, embedding):
    server.script = [(429, {"Retry-After-Ms": "5"}, {"error": {"message": f"slow down, {KEY}"}})] * 9

    with pytest.raises(ProviderError, match=r"openai:m failed: RateLimitError \(HTTP 429\). What was embedded before is kept"):
        embedding.embed_query("a")
    assert len(server.requests) == 5


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_cannot_get_better_is_asked_once(server, embedding, status):
    server.script = [(status, {}, {"error": {"message": f"Incorrect API key provided: {KEY}"}})] * 9

    with pytest.raises(ProviderError, match=f"HTTP {status}"):
        embedding.embed_query("a")
    assert len(server.requests) == 1


def test_the_key_is_sent_to_its_endpoint_and_shown_nowhere(server, embedding, caplog):
    caplog.set_level(logging.DEBUG)
    server.script = [(401, {}, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]

    with pytest.raises(ProviderError) as raised:
        embedding.embed_query("a")
    assert server.requests[0][0]["Authorization"] == f"Bearer {KEY}"
    for shown in (str(raised.value), repr(embedding), repr(vars(embedding)), embedding.identity, caplog.text):
        assert KEY not in shown


def test_a_redirect_to_another_host_does_not_take_the_key_along(server, embedding):
    with serving() as other:
        server.script = [(307, {"Location": f"{other.url}/embeddings"}, {})]
        embedding.embed_query("a")

    assert len(other.requests) == 1
    assert KEY not in json.dumps(other.requests)


def test_an_endpoint_of_ones_own_needs_no_key_and_gets_none_of_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    open_embedding("openai:m", Endpoint(base_url=server.url)).embed_query("a")

    assert KEY not in json.dumps(server.requests)


def test_without_a_key_it_says_what_to_do():
    with pytest.raises(ProviderError, match="No key for the embedding endpoint. Set OPENAI_API_KEY, or use local-minilm"):
        open_embedding("openai:m").embed_query("a")


@pytest.mark.parametrize("key", ["kéy“", "a\nb"])
def test_a_key_that_no_header_can_hold_is_no_traceback(server, key):
    with pytest.raises(ProviderError) as raised:
        _without_retries(open_embedding("openai:m", Endpoint(base_url=server.url, api_key=key))).embed_query("a")
    assert key not in str(raised.value)


@pytest.mark.parametrize("url", ["nonsense", "localhost:9", "http://[::1", "http://127.0.0.1:9/v1"])
def test_an_endpoint_that_is_none_is_no_traceback(url):
    with pytest.raises(ProviderError):
        _without_retries(open_embedding("openai:m", Endpoint(base_url=url, api_key=KEY))).embed_query("a")


def _without_retries(embedding):
    with suppress(ProviderError):  # is raised again by the question
        embedding._client.max_retries = 0
    return embedding


def test_odd_text_can_be_sent(server, embedding):
    for text in ("\ud800 lone", "", "a\x00b", "😀"):
        embedding.embed_query(text)

    assert [body["input"] for _, body in server.requests] == [["lone"], [" "], ["a b"], ["😀"]]
