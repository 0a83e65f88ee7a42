"""A library: one folder with a catalogue, an index made from it, and a lock for whoever writes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Self

from store.catalogue import Catalogue
from store.embeddings import LOCAL, Embedding, Endpoint, open_embedding
from store.errors import LibraryError, SourceError
from store.index import ChromaIndex
from store.ingest import Plan, carry_out, plan_addition
from store.receipts import EmbeddingReceipt, Receipt
from store.rereadable import RereadableSources

_CATALOGUE = "catalogue.sqlite3"
_LOCK_WAIT = 10.0  # seconds; long enough for a small addition to finish, short enough to tell a person why nothing happens


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a library lies and how it is embedded.

    Attributes:
        embedding: A name for `open_embedding`; None means the one it was made with, or the local one for a new library.
    """

    folder: Path
    embedding: str | None = None
    endpoint: Endpoint | None = None


class Library:
    """An open library. Reading needs no lock and sees every finished write at the next question."""

    def __init__(self, place: Place, catalogue: Catalogue) -> None:
        self.place = place
        self.catalogue = catalogue
        self._embedding: Embedding | None = None

    @classmethod
    def open(cls, place: Place, *, create: bool = False) -> Self:
        """Open the library at a place.

        Raises:
            LibraryError: It is missing, damaged, or was made with another embedding than the place asks for.
        """
        if create:
            _make_folder(place.folder)
        library = cls(place, Catalogue.open(place.folder / _CATALOGUE, create=create))
        library.check_embedding()
        return library

    @staticmethod
    def exists(place: Place) -> bool:
        """Whether there is a library at the place."""
        return (place.folder / _CATALOGUE).is_file()

    def close(self) -> None:
        """Close its files."""
        self.catalogue.close()

    @property
    def embedding_name(self) -> str:
        """The embedding its vectors are of, or will be of."""
        return self._made_with("embedding") or self.place.embedding or LOCAL

    @property
    def embedding(self) -> Embedding:
        """The embedding, loaded at first use.

        Raises:
            LibraryError: Its weights are not those the library was made with.
        """
        if self._embedding is None:
            self._embedding = open_embedding(self.embedding_name, self.place.endpoint)
            made_with = self._made_with("identity")
            if made_with and made_with != self._embedding.identity:
                raise LibraryError(
                    f"The library at {self.place.folder} was made with {made_with}, "
                    f"but this version has {self._embedding.identity}. Add its files to a new library with --library."
                )
        return self._embedding

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the library's write lock; the kernel frees it if the process dies.

        Raises:
            LibraryError: Another process has held it for ten seconds.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.place.folder / ".lock", timeout=_LOCK_WAIT)
        try:
            lock.acquire()
        except Timeout as error:
            raise LibraryError(
                f"Another program is writing to the library at {self.place.folder}. Try again when it is done."
            ) from error
        except OSError as error:
            raise LibraryError(
                f"{self.place.folder} cannot be written ({error.strerror}). Choose a folder of yours with --library."
            ) from error
        try:
            yield
        finally:
            lock.release()

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Take papers out by id (or an id's beginning); all or none of them.

        Returns:
            Their ids.

        Raises:
            UsageError: An id is unknown or ambiguous.
        """
        with self.locked():
            rows = [self.catalogue.row_of(name) for name in ids]
            removed = [paper.id for paper in self.catalogue.papers(rows).values()]
            with self.catalogue.writing():
                self.catalogue.remove(rows)
        return removed

    def check_embedding(self) -> None:
        """Refuse a place that asks for another embedding than the papers have.

        Raises:
            LibraryError: It does; the library is then closed.
        """
        asked, made_with = self.place.embedding, self._made_with("embedding")
        if asked and made_with and asked != made_with:
            self.close()
            raise LibraryError(
                f"The library at {self.place.folder} was made with the embedding {made_with}, not {asked}. "
                f"Ask for {made_with}, or add the files to a new library with --library."
            )

    def _made_with(self, fact: str) -> str | None:
        """What the papers were embedded with; None while there are none, since an addition that failed at once binds nobody."""
        return self.catalogue.fact(fact) if len(self.catalogue) else None


@dataclass(slots=True)
class Addition:
    """What is to be added to a library: planned first, then carried out step by step."""

    place: Place
    sources: RereadableSources
    plan: Plan
    started: float

    @property
    def total(self) -> int:
        """Papers to embed and write."""
        return len(self.plan.todo)

    @property
    def receipt(self) -> Receipt:
        """The plan's receipt; complete once `carry_out` has ended."""
        self.plan.receipt.seconds = round(time.monotonic() - self.started, 3)
        return self.plan.receipt

    def carry_out(self) -> Iterator[int]:
        """Do it; yields the number of papers written so far. Whatever was written stays, however this ends.

        Raises:
            LibraryError: The library cannot be written, or is in use by another writer.
            ProviderError: The embedding failed.
            SourceError: A source is no longer what it was when it was planned.
        """
        library = Library.open(self.place, create=True)
        try:
            with library.locked():
                library.check_embedding()  # another process may have made the library meanwhile
                if self.total:
                    yield from self._write(library)
                library.catalogue.keep_receipt(datetime.now(UTC).isoformat(timespec="seconds"), dumps(self.receipt.to_json()))
        finally:
            library.close()

    def _write(self, library: Library) -> Iterator[int]:
        with library.catalogue.writing():
            library.catalogue.set_fact("embedding", library.embedding_name)
            library.catalogue.set_fact("identity", library.embedding.identity)
        yield from carry_out(self.plan, self.sources.read(), library.catalogue, library.embedding)


def plan(
    place: Place,
    sources: Sequence[str],
    *,
    format: str | None = None,
    fields: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Addition:
    """Read the sources and say what adding them would do; touches nothing.

    Raises:
        SourceError: A source is missing, unreadable or binary, or none of them holds a usable record.
        UsageError: An unknown format or field.
        LibraryError: The library is damaged, or made with another embedding.
    """
    started = time.monotonic()
    rereadable = RereadableSources(sources, format=format, fields=fields or {})
    library = Library.open(place) if Library.exists(place) else None
    if library is None and place.embedding:
        open_embedding(place.embedding, place.endpoint)  # an unknown name is told before a library is made for it
    try:
        contents = library.catalogue.contents() if library else {}
        titles = library.catalogue.titles() if library else {}
        embedding = EmbeddingReceipt(library.embedding_name if library else place.embedding or LOCAL)
        embedding.dimensions = library.catalogue.dimensions() if library else None
    finally:
        if library:
            library.close()
    receipt = Receipt(str(place.folder), dry_run, embedding)
    planned = plan_addition(rereadable.read(), receipt, contents=contents, titles=titles)
    if not receipt.usable:
        raise SourceError(_nothing_usable(receipt))
    return Addition(place, rereadable, planned, started)


def sync_index(place: Place) -> str | None:
    """Bring the Chroma index up to the catalogue. It is a cache: a failure is told in a word or two, and loses nothing."""
    library = Library.open(place)
    try:
        with library.locked():
            ChromaIndex(place.folder).sync(library.catalogue)
    except LibraryError:
        raise
    except Exception as error:  # whatever Chroma raises
        return type(error).__name__
    finally:
        library.close()
    return None


def _nothing_usable(receipt: Receipt) -> str:
    reasons: dict[str, int] = {}
    for source in receipt.sources:
        for skipped in source.skipped:
            reasons[skipped.reason] = reasons.get(skipped.reason, 0) + 1
    read = ", ".join(f"{count} × {reason}" for reason, count in reasons.items()) or "no records at all"
    names = ", ".join(source.name for source in receipt.sources[:3])
    return (
        f"No abstract found in {names} ({read}). "
        "Abstracts are read from pasted text with blank lines between them, JSON lines and CSV."
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be made ({error.strerror}). Choose another folder with --library.") from error
