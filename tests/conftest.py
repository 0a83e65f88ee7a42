"""What every test stands on: no network outside loopback, a home of its own, and one small library that is built once."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path

import pytest
from hypothesis import settings

if os.environ.get("CI"):  # what lands must not hang on luck; at home, chance goes on looking
    settings.register_profile("ci", derandomize=True)
    settings.load_profile("ci")

SHARED = Path(__file__).resolve().parents[2] / "shared"

PAPERS = """Our reading list, spring

Matrix factorisation is slow on large graphs. We introduce GraphZip, a sketching method that keeps one sketch per node. On the
Pond-2 graph GraphZip is 3.4x faster than exact factorisation and loses 0.6% of accuracy. It needs no training.

Sensor networks lose packets in rain. We present RainNet, a recurrent model that fills the gaps from neighbouring sensors. Tested
on 412 stations over two winters, RainNet halves the error of linear interpolation. The code is at https://example.org/rainnet.

Annotating bird song by ear takes weeks. We ask how far ten labelled recordings go. A contrastive model trained on unlabelled
audio reaches 81% accuracy with ten recordings per species, against 84% with all 9,000. Noise from traffic remains a problem.

Robots that sort laundry must handle cloth. This paper proposes FoldBot, a policy learned from 50 human demonstrations. FoldBot
folds a towel in 22 seconds and fails on 4 of 100 shirts. Transfer to curtains was not studied.

GraphZip is also the name of a lossless compressor for molecule graphs. We describe its grammar-based encoder, which shrinks the
ZINC collection to 38% of its size. Decoding is exact and takes 2 ms per molecule on one core.

Small language models forget early instructions in long chats. We measure how instructions fade over 40 turns in 7 open models and
find that repeating them every 8 turns restores 93% of the loss
"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self, address):
        if self.family != socket.AF_UNIX and not _is_loopback(address[0]):
            raise AssertionError(f"a test tried to connect to {address}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory, monkeypatch):
    """No test sees the settings, libraries or keys of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith(("ABSTRACTS_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))


@pytest.fixture(scope="session")
def shared():
    """The folder of collections shared by the developers; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not there")
    return SHARED


@pytest.fixture(scope="session")
def paste(tmp_path_factory):
    """Six pasted abstracts under a heading: two share a name, the last is cut off."""
    path = tmp_path_factory.mktemp("paste") / "papers.txt"
    path.write_text(PAPERS, "utf-8")
    return path


@pytest.fixture(scope="session")
def place(paste, tmp_path_factory):
    """Where a library of the six pasted abstracts lies; built once, to be read only."""
    from store.library import Place, plan

    made = Place(folder=tmp_path_factory.mktemp("library"))
    for _ in plan(made, [str(paste)]).carry_out():
        pass
    return made


@pytest.fixture
def library(place):
    """The library of six papers, open for reading."""
    from store.library import Library

    opened = Library.open(place)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def ask(place):
    """Ask the library of six papers a question; returns the answer."""
    from assistant.engine import Engine
    from store.library import Library
    from store.search import Search

    return Engine(Search(Library.open(place))).ask
