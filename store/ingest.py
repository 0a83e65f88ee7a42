"""From sources to papers in the library: read once to plan, once more to embed and write what is new.

Two passes, since reading is a thousand times faster than embedding: the plan knows how much there is to do, a dry run is the
first pass alone, and memory holds ids and hashes, never the texts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import numpy.typing as npt

from store.catalogue import Catalogue, Entry, StoredVectors, compact
from store.chunks import Chunk, chunk_sentences
from store.embeddings.base import Embedded, Embedding, unit
from store.errors import ProviderError, SourceError
from store.own_names import own_names
from store.papers import Paper, Record, Skipped, paper_id
from store.readable import search_text
from store.receipts import Duplicate, EmbeddingReceipt, Receipt, SourceReceipt, Warned
from store.sentences import Span, split_sentences
from store.sources import Source
from store.titles import infer_title, make_distinct

_COMMIT_EVERY = 64  # papers: under two seconds of embedding are lost to a kill, and commits cost nothing beside it


@dataclass(slots=True)
class Plan:
    """What the first pass found.

    Attributes:
        todo: Position of each new or changed record among all records, with its content hash and the title inferred for it, or
            None.
    """

    receipt: Receipt
    todo: dict[int, tuple[str, str | None]] = field(default_factory=dict)


def plan_addition(sources: Iterable[Source], receipt: Receipt, *, contents: Mapping[str, str], titles: Mapping[str, str]) -> Plan:
    """Read every record and decide what to do with it; writes nothing.

    Args:
        receipt: Empty; filled in place.
        contents: Content hash by id of the papers the library has.
        titles: Title by id of the papers the library has; inferred ones differ from those of other papers.
    """
    plan = Plan(receipt)
    seen: dict[str, str] = {}
    by_text: dict[str, str] = {}
    taken = Counter(titles.values())
    position = 0
    for source in sources:
        account = SourceReceipt(source.name, source.format, source.declared)
        receipt.sources.append(account)
        for entry in source.entries:
            account.records += 1
            if isinstance(entry, Skipped):
                account.skipped.append(entry)
                continue
            account.usable += 1
            if _is_new(entry, f"{source.name}:{entry.where}", plan, contents, seen, by_text):
                name = entry.id or paper_id(entry.abstract)
                taken[titles.get(name, "")] -= 1  # a paper's own title is free to be inferred again
                plan.todo[position] = content_hash(entry), _title_for(entry, plan, taken)
            position += 1
        receipt.warnings += [Warned("", "encoding", f"{source.name}: {warning}") for warning in source.warnings]
    return plan


def carry_out(plan: Plan, sources: Iterable[Source], catalogue: Catalogue, embedding: Embedding) -> Iterator[int]:
    """Embed and write what the plan says; yields the number of papers done so far.

    Papers are written 64 at a time, each whole or not at all. Whatever stops it (an error, Ctrl-C, a kill), what was written
    stays, and planning again leaves only the rest to do.

    Raises:
        ProviderError: The embedding failed; what came before is written.
        LibraryError: The disk is full.
        SourceError: A source is no longer what it was when it was planned.
    """
    prepared = (_prepared(record, title, source, catalogue, embedding) for record, title, source in _todo(plan, sources))
    finished = _embedded(prepared, embedding, plan.receipt)
    batch: list[Entry] = []
    done = 0
    try:
        for entry in finished:
            batch.append(entry)
            if len(batch) == _COMMIT_EVERY:
                done += _write(batch, catalogue)
                yield done
    finally:
        if batch:
            done += _write(batch, catalogue)
    yield done


def content_hash(record: Record) -> str:
    """Hash of every field that a reader gives, but not of its place: equal means nothing to do."""
    fields = asdict(record)
    del fields["where"]
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:32]


# -- planning ----------------------------------------------------------------------------------------------------------


def _is_new(
    record: Record, place: str, plan: Plan, contents: Mapping[str, str], seen: dict[str, str], by_text: dict[str, str]
) -> bool:  # fmt: skip
    receipt = plan.receipt
    name, content, text = record.id or paper_id(record.abstract), content_hash(record), paper_id(record.abstract)
    if name in seen:
        same = "same abstract" if seen[name] == text else "same id, another abstract"
        receipt.duplicates.append(Duplicate(name, place, same))
        return False
    seen[name] = text
    if text in by_text:
        receipt.warnings.append(Warned(name, "same_abstract", f"word for word that of {by_text[text]}"))
    by_text.setdefault(text, name)
    if contents.get(name) == content:
        receipt.unchanged += 1
        receipt.embedding.reused += 1
        return False
    if name in contents:
        receipt.changed += 1
    else:
        receipt.added += 1
    return True


def _title_for(record: Record, plan: Plan, taken: Counter[str]) -> str | None:
    name = record.id or paper_id(record.abstract)
    plan.receipt.warnings += [Warned(name, flag, _detail(flag, record)) for flag in record.flags]
    if record.title:
        taken[record.title] += 1
        return None
    title = infer_title(record.abstract)
    if taken[title] > 0:
        title = make_distinct(title, record.abstract, +taken)
    taken[title] += 1
    plan.receipt.warnings.append(Warned(name, "title_inferred", title))
    return title


def _detail(flag: str, record: Record) -> str:
    return f"{record.where} ends “… {' '.join(record.abstract.split()[-6:])}”" if flag == "cut_off" else record.where


# -- carrying out ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Prepared:
    """A paper on its way: what is known before its vectors are. ``stored`` are its vectors, if its text has not changed."""

    paper: Paper
    content: str
    spans: list[Span]
    chunks: list[Chunk]
    hashes: list[str]
    stored: StoredVectors | None


def _todo(plan: Plan, sources: Iterable[Source]) -> Iterator[tuple[Record, str | None, str]]:
    records = ((entry, source.name) for source in sources for entry in source.entries if isinstance(entry, Record))
    for position, (record, source_name) in enumerate(records):
        if position not in plan.todo:
            continue
        content, title = plan.todo[position]
        if content_hash(record) != content:
            raise SourceError(f"{source_name} changed while it was being added. What was written is kept; run it again.")
        yield record, title, source_name


def _prepared(record: Record, title: str | None, source: str, catalogue: Catalogue, embedding: Embedding) -> _Prepared:
    fields = {name: getattr(record, name) for name in Record.__slots__ if name not in ("where", "id", "title")}
    name = record.id or paper_id(record.abstract)
    paper = Paper(**fields, id=name, title=record.title or title or name, title_inferred=not record.title, source=source)
    spans = split_sentences(record.abstract)
    sentences = [search_text(record.abstract[start:end]) for start, end in spans]
    chunks = chunk_sentences(search_text(record.title or ""), sentences, room=embedding.room, count_tokens=embedding.count_tokens)
    hashes = [chunk.hash(embedding.identity) for chunk in chunks]
    stored = catalogue.stored_vectors(name)
    return _Prepared(paper, content_hash(record), spans, chunks, hashes, stored if stored and stored.hashes == hashes else None)


def _embedded(papers: Iterable[_Prepared], embedding: Embedding, receipt: Receipt) -> Iterator[Entry]:
    """Send the chunks of all papers as one stream, and put each paper together when its last chunk is back."""
    waiting: deque[_Prepared] = deque()

    def chunks() -> Iterator[Chunk]:
        for paper in papers:
            waiting.append(paper)
            if not paper.stored:
                yield from paper.chunks

    vectors = embedding.embed_chunks(chunks())
    for first in vectors:
        while waiting[0].stored:
            yield _entry(waiting.popleft(), [], receipt)
        paper = waiting.popleft()
        yield _entry(paper, [first, *(next(vectors) for _ in paper.chunks[1:])], receipt)
    while waiting:
        yield _entry(waiting.popleft(), [], receipt)


def _entry(paper: _Prepared, embedded: Sequence[Embedded], receipt: Receipt) -> Entry:
    """Vectors just made, or else (none given) those that are stored already."""
    account = receipt.embedding
    if paper.stored:
        account.reused += 1
        chunks, sentences = list(zip(paper.hashes, paper.stored.chunks, strict=True)), paper.stored.sentences
    else:
        account.embedded += 1
        account.tokens += sum(part.tokens for part in embedded)
        chunks, sentences = (
            [(h, part.vector) for h, part in zip(paper.hashes, embedded, strict=True)],
            _sentences(paper, embedded),
        )
    account.dimensions = _same_dimensions(account, chunks[0][1].shape[-1])
    return Entry(
        paper=paper.paper,
        content=paper.content,
        spans=paper.spans,
        chunks=chunks,
        sentence_vectors=sentences,
        names=own_names(paper.paper),
    )


def _same_dimensions(account: EmbeddingReceipt, dimensions: int) -> int:
    if account.dimensions not in (None, dimensions):
        raise ProviderError(
            f"{account.name} gave a vector of {dimensions} dimensions, and {account.dimensions} before. "
            "Its endpoint serves another model now: name the model it was, or add the files to a new library with --library."
        )
    return dimensions


def _sentences(paper: _Prepared, embedded: Sequence[Embedded]) -> npt.NDArray[np.int8] | None:
    states = [part.pieces for part in embedded if part.pieces is not None]
    if len(states) < len(embedded):
        return None
    numbers = np.array([piece.sentence for chunk in paper.chunks for piece in chunk.pieces], np.intp)
    sums = np.zeros((len(paper.spans), states[0].shape[1]), np.float32)
    np.add.at(sums, numbers, np.concatenate(states))
    return compact(unit(sums))


def _write(batch: list[Entry], catalogue: Catalogue) -> int:
    with catalogue.writing():
        catalogue.put(batch)
    written = len(batch)
    batch.clear()
    return written
