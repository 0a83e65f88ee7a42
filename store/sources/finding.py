"""From the names a user gives to the names of sources: folders become the files in them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from store.errors import SourceError
from store.sources.content import STANDARD_INPUT


def find_files(names: Sequence[str], suffixes: Collection[str]) -> list[str]:
    """Expand folders, keep files and ``-``, in the order given; a name met twice counts once.

    Args:
        names: As the user gave them.
        suffixes: Endings of the files taken from a folder, such as ``.txt``; each also with ``.gz``.

    Returns:
        Folders are searched to the bottom and give their files sorted by path; hidden files and folders are left out.

    Raises:
        SourceError: A name does not exist, or a folder holds nothing that can be read.
    """
    return list(dict.fromkeys(found for name in names for found in _expand(name, suffixes)))


def _expand(name: str, suffixes: Collection[str]) -> list[str]:
    if name == STANDARD_INPUT:
        return [name]
    if not os.path.exists(name):
        raise SourceError(f"{name} does not exist. Check the path; use - to read standard input.")
    if not os.path.isdir(name):
        return [name]
    files = sorted(path for path in _walk(name) if _is_supported(path, suffixes))
    if not files:
        endings = ", ".join(sorted(suffixes))
        raise SourceError(
            f"{name} is a folder without a file to read. Of a folder, files are read that end in {endings}, or in these with .gz."
        )
    return [str(path) for path in files]


def _walk(folder: str) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in files if not name.startswith("."))


def _is_supported(path: Path, suffixes: Collection[str]) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return name.endswith(tuple(suffixes))
