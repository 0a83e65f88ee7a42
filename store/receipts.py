"""The receipt of an addition: what was read, what became of every record, what it cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from store.papers import Skipped


@dataclass(slots=True)
class SourceReceipt:
    """One source: ``records`` is ``usable`` plus the number of ``skipped``; ``declared`` is what the source itself claims."""

    name: str
    format: str
    declared: int | None
    records: int = 0
    usable: int = 0
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A record that is not stored again, and the paper that stands for it."""

    kept: str
    dropped: str
    why: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to look at; ``kind`` is ``title_inferred``, ``cut_off``, ``same_abstract`` or ``encoding``."""

    paper: str
    kind: str
    detail: str


@dataclass(slots=True)
class EmbeddingReceipt:
    """Papers embedded and papers whose vectors were already there. ``cost_usd`` is None where the price is not known."""

    name: str
    dimensions: int | None = None
    embedded: int = 0
    reused: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0


@dataclass(slots=True)
class Receipt:
    """What `abstracts add` did or, with ``dry_run``, would do."""

    library: str
    dry_run: bool
    embedding: EmbeddingReceipt
    sources: list[SourceReceipt] = field(default_factory=list)
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    duplicates: list[Duplicate] = field(default_factory=list)
    warnings: list[Warned] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def usable(self) -> int:
        """Records with an abstract, over all sources."""
        return sum(source.usable for source in self.sources)

    def to_json(self) -> dict[str, Any]:
        """As the contract prints it."""
        order = (
            "library",
            "dry_run",
            "sources",
            "added",
            "changed",
            "unchanged",
            "removed",
            "duplicates",
            "warnings",
            "embedding",
            "seconds",
        )
        values = asdict(self)
        return {name: values[name] for name in order}
