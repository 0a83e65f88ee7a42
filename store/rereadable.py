"""Sources that are read twice, to plan and to add: what comes through a pipe comes once, so it is kept in a temporary file."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from tempfile import NamedTemporaryFile
from typing import IO, cast

from store.errors import SourceError
from store.sources import Source, find_sources, open_source
from store.sources.content import STANDARD_INPUT, show_name


class RereadableSources:
    """Files, folders, standard input and named pipes, which can be read any number of times.

    Raises:
        SourceError: A name does not exist, or a folder holds nothing that can be read.
    """

    def __init__(self, names: Sequence[str], *, format: str | None, fields: Mapping[str, str]) -> None:
        self._names = find_sources(names)
        self._format = format
        self._fields = fields
        self._kept: dict[str, IO[bytes]] = {}

    def read(self) -> Iterator[Source]:
        """Open one after the other, each under the name it was given.

        Raises:
            SourceError: One is unreadable, binary, or not in its format as a whole.
            UsageError: An unknown format or field.
        """
        return map(self._open, self._names)

    def _open(self, name: str) -> Source:
        if name not in self._kept and _comes_once(name):
            self._kept[name] = _keep(name)
        path = self._kept[name].name if name in self._kept else name
        try:
            return replace(open_source(path, format=self._format, fields=self._fields), name=name)
        except SourceError as error:
            raise SourceError(str(error).replace(path, show_name(name))) from error


def _comes_once(name: str) -> bool:
    if name == STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(os.stat(name).st_mode)
    except OSError:
        return False  # opening it says what is wrong


def _keep(name: str) -> IO[bytes]:
    kept = cast(IO[bytes], NamedTemporaryFile(prefix="abstracts-"))  # noqa: SIM115 - goes away with the sources
    try:
        if name == STANDARD_INPUT and sys.stdin is None:
            raise SourceError("Standard input is closed. Pipe abstracts into it, or name a file.")
        with nullcontext(sys.stdin.buffer) if name == STANDARD_INPUT else open(name, "rb") as pipe:
            shutil.copyfileobj(pipe, kept)
        kept.flush()
    except OSError as error:
        raise SourceError(f"{show_name(name)} cannot be read: {error.strerror or error}. Try again.") from error
    return kept
