"""The text of one source: opened, unpacked, decoded, and read line by line any number of times."""

from __future__ import annotations

import gzip
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from typing import IO, cast

from store.errors import SourceError
from store.sources.encoding import Encoding, detect_encoding
from store.sources.kinds import refuse_if_not_text

MAX_LINE = 5_000_000  # characters of one line that are kept: 25 times the longest abstract allowed, and a bound on memory
STANDARD_INPUT = "-"
_HEAD = 65_536  # bytes looked at to tell the kind of a source
_PIECE = 2**20
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Content:
    """The text of one source.

    Attributes:
        name: As given; ``-`` is standard input.
        size: Bytes of text, unpacked.
        head: The first characters, at most 64 kB of them, without a byte order mark.
        encoding: How its bytes are read, and what to tell people about it.
    """

    name: str
    size: int
    head: str
    encoding: Encoding
    _bytes: _Bytes

    @property
    def shown(self) -> str:
        """What to call the source in a message."""
        return show_name(self.name)

    def lines(self) -> Iterator[str]:
        r"""Yield every line with its ending as it is: ``\n`` or ``\r\n`` (``\r`` only where a file has no other).

        A line of more than `MAX_LINE` characters comes cut to that length and without an ending.
        """
        with self._text() as text:
            while line := text.readline(MAX_LINE):
                yield line
                while len(line) == MAX_LINE and not line.endswith("\n"):
                    line = text.readline(MAX_LINE)

    def whole(self) -> str:
        """Return all of the text at once; only for a source whose `size` was looked at first."""
        with self._text() as text:
            return text.read()

    @contextmanager
    def _text(self) -> Iterator[TextIOWrapper]:
        # No newline translation: an abstract is kept exactly as it was read.
        newline = "\r" if "\r" in self.head and "\n" not in self.head else "\n"
        stream, encoding = self._bytes.open(), self.encoding
        with TextIOWrapper(stream, encoding=encoding.codec, errors=encoding.errors, newline=newline) as text:
            yield text


@dataclass(frozen=True, slots=True)
class _Bytes:
    """A file, and whether it is packed. A pipe is kept in a temporary file, which goes away with this object."""

    path: str
    packed: bool
    kept: object = None

    def open(self) -> IO[bytes]:
        return cast(IO[bytes], gzip.open(self.path)) if self.packed else open(self.path, "rb")

    def pieces(self) -> Iterator[bytes]:
        with self.open() as stream:
            while piece := stream.read(_PIECE):
                yield piece


def show_name(name: str) -> str:
    """Return what to call a source in a message."""
    return "standard input" if name == STANDARD_INPUT else name


def open_content(name: str) -> Content:
    """Look through a source once, so that all that can be wrong with its bytes is known before the first record.

    Raises:
        SourceError: It cannot be read, is damaged, or is no text.
    """
    shown = show_name(name)
    try:
        raw = _find_bytes(name)
        with raw.open() as stream:
            head = stream.read(_HEAD)
        refuse_if_not_text(shown, head)
        size = sum(len(piece) for piece in raw.pieces())
        encoding = detect_encoding(head, raw.pieces)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SourceError(f"{shown} is a damaged gzip file ({error}). Fetch or pack it again.") from error
    except OSError as error:
        raise SourceError(f"{shown} cannot be read: {error.strerror or error}. Check the path and its permissions.") from error
    return Content(name, size, encoding.decode_head(head), encoding, raw)


def _find_bytes(name: str) -> _Bytes:
    if name == STANDARD_INPUT:
        return _keep(sys.stdin.buffer)
    with open(name, "rb") as file:
        if not file.seekable():  # a named pipe, or <(command) of a shell
            return _keep(file)
        return _Bytes(name, packed=file.read(2) == _GZIP)


def _keep(pipe: IO[bytes]) -> _Bytes:
    """Keep what a pipe gives: it gives it once, and is looked through before it is read."""
    kept = tempfile.NamedTemporaryFile(prefix="abstracts-")  # noqa: SIM115 - lives as long as the content
    start = pipe.read(2)
    kept.write(start)
    while piece := pipe.read(_PIECE):
        kept.write(piece)
    kept.flush()
    return _Bytes(kept.name, packed=start == _GZIP, kept=kept)
