"""The file under the catalogue: a SQLite database opened, its schema brought up to date, its faults explained."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from store.errors import LibraryError

_SCHEMA = files("store").joinpath("schema")
_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def open_database(path: Path) -> sqlite3.Connection:
    """Open a catalogue's file with the schema of this version.

    Raises:
        LibraryError: It cannot be opened, is no catalogue, damaged, or of a newer version.
    """
    try:
        db = _connect(path)
        try:
            _migrate(db, path)
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise explained(error, path) from error
    return db


def explained(error: sqlite3.Error, path: Path) -> LibraryError:
    """What went wrong with the file, and what to do about it."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return LibraryError(
            f"The disk is full: {path.parent} cannot grow. Papers added before this are kept; free some space and run it again."
        )
    if code in _CANNOT_WRITE:
        return LibraryError(
            f"{path.parent} cannot be written. Choose a folder of yours with --library, or change its permissions."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LibraryError(f"The library at {path.parent} is in use by another program. Try again when it is done.")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) or "no such table" in str(error):
        return LibraryError(f"{path} is damaged ({error}). Restore a copy, or delete the folder and add your files again.")
    return LibraryError(f"{path}: {error}. Check the disk and the folder's permissions, then run it again.")


def folded(text: str) -> str:
    """Text as filters compare it: without regard to case and to how its characters are composed."""
    return unicodedata.normalize("NFC", storable(text).casefold())


def storable(text: str) -> str:
    """Lone surrogates (a file name that is not UTF-8, a broken escape) as U+FFFD: SQLite stores none, and readers give none."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def _connect(path: Path) -> sqlite3.Connection:
    options: dict[str, Any] = {"timeout": 30, "check_same_thread": False, "isolation_level": None}
    db: sqlite3.Connection = sqlite3.connect(path, **options)
    try:
        db.execute("PRAGMA journal_mode = WAL")
    except sqlite3.Error as error:
        db.close()
        if _code(error) not in _CANNOT_WRITE or not path.is_file():
            raise
        # A library on read-only media: no WAL file can be made beside it, and none is needed.
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, **options)
    db.create_function("folded", 1, folded, deterministic=True)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA synchronous = NORMAL")  # with WAL: a kill loses nothing, a power cut at most the last commits
    db.execute("PRAGMA mmap_size = 268435456")
    return db


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where the fault is Python's."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    """Run the schema files that the catalogue has not seen, all or none; a process that is doing the same is waited for."""
    steps = sorted((step for step in _SCHEMA.iterdir() if step.name.endswith(".sql")), key=lambda step: step.name)
    if _version(db) == len(steps):
        return
    with db:
        db.execute("BEGIN IMMEDIATE")
        version = _version(db)
        if version > len(steps):
            raise LibraryError(
                f"The library at {path.parent} was made by a newer version of abstracts. "
                "Upgrade: pip install -U abstracts-assistant"
            )
        if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise LibraryError(f"{path} is a SQLite file, but no catalogue of ours. Choose another folder with --library.")
        for step in steps[version:]:
            for statement in _statements(step.read_text("utf-8")):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(steps)}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one, since `executescript` would end the transaction they are to run in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement  # a comment at the end, or what the last statement lacks a semicolon for
