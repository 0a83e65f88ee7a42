"""The terminal: the only module that writes to it. What papers say reaches it without control characters or escapes."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assistant.answers import Answer, Citation, Ranked
from store.papers import Paper
from store.readable import readable
from store.receipts import Receipt
from store.terms import query_terms, stem

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST = 100  # columns of running text; longer lines are hard to read
_NARROWEST = 20
# Controls, escapes, marks that turn the direction of text, separators that some terminals break lines at, invisible tags.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_NUMBER = re.compile(r"((?:\[\d+\])+)")


def safe(text: str) -> str:
    """Text whose only control characters are line breaks and tabs; the others are shown as escapes."""
    return _UNSAFE.sub(lambda m: m.group().encode("unicode_escape").decode("ascii"), text.replace("\r\n", "\n"))


def prepare_streams() -> None:
    """Let characters that the terminal's encoding lacks come out as escapes, not as errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


class Terminal:
    """Results go to standard output, everything about the work to standard error.

    Args:
        quiet: No progress, no hints.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    # -- plain -----------------------------------------------------------------------------------------------------------

    def data(self, value: Any) -> None:
        """One JSON document, readable by people and programs, safe to show."""
        text = json.dumps(value, ensure_ascii=not _speaks_unicode(), indent=2)
        sys.stdout.write(_UNSAFE.sub(lambda m: json.dumps(m.group())[1:-1] if m.group() != "\x7f" else "\\u007f", text) + "\n")

    def line(self, text: str = "") -> None:
        """One line of plain output."""
        sys.stdout.write(safe(text) + "\n")

    def error(self, text: str) -> None:
        """What happened, then what to do."""
        sys.stderr.write(f"abstracts: {safe(text)}\n")

    def hint(self, text: str) -> None:
        """Something about the work, unless it is to be quiet."""
        if not self._quiet:
            sys.stderr.write(safe(text) + "\n")

    # -- answers ---------------------------------------------------------------------------------------------------------

    def answer(self, answer: Answer) -> None:
        """A paragraph with small numbers, then the papers with the sentences quoted."""
        from rich.text import Text

        console = _console()
        console.print()
        console.print(self._paragraph(answer))
        for citation in answer.citations:
            console.print()
            console.print(_cited(citation, answer.question))
        if answer.status == "abstained" and not answer.citations and answer.hits:
            self._nearest(answer.hits, console)
        if answer.note and not self._quiet:
            console.print()
            console.print(Text(safe(answer.note), style="dim"))
        console.print()

    def _paragraph(self, answer: Answer) -> Text:
        from rich.text import Text

        text = Text()
        for part in _NUMBER.split(safe(answer.text)):
            text.append(part, style="cyan dim" if _NUMBER.fullmatch(part) else "yellow" if answer.status == "abstained" else "")
        return text

    def _nearest(self, hits: Sequence[Ranked], console: Console) -> None:
        from rich.text import Text

        console.print()
        console.print(Text("Nearest papers, none of them close:", style="dim"))
        for hit in hits[:3]:
            console.print(Text.assemble("  · ", _title(hit.paper), style="dim"))

    # -- papers ----------------------------------------------------------------------------------------------------------

    def hits(self, hits: Sequence[tuple[Ranked, str]]) -> None:
        """Papers found, each with its best sentence."""
        from rich.padding import Padding
        from rich.text import Text

        console = _console()
        for hit, sentence in hits:
            console.print()
            console.print(Text.assemble((f"{hit.rank:>2}  ", "cyan"), _title(hit.paper), (f"   {hit.score:.2f}", "dim")))
            console.print(Padding(Text(_facts(hit.paper), style="dim"), (0, 0, 0, 4)))
            console.print(Padding(Text(readable(sentence)), (0, 0, 0, 4)))
        console.print()

    def paper(self, paper: Paper) -> None:
        """One paper, whole, as stored."""
        from rich.text import Text

        console = _console()
        console.print()
        console.print(_title(paper))
        console.print(Text(_facts(paper), style="dim"))
        if paper.keywords:
            console.print(Text("Keywords: " + safe(", ".join(paper.keywords)), style="dim"))
        console.print()
        console.print(Text(safe(paper.abstract)))
        if "cut_off" in paper.flags:
            console.print(Text("\nThis abstract stops inside a sentence.", style="yellow"))
        console.print()

    def table(self, rows: Mapping[str, str]) -> None:
        """Names and values, one a line."""
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        for name, value in rows.items():
            grid.add_row(Text(name, style="dim"), Text(safe(value)))
        _console().print(grid)

    def receipt(self, receipt: Receipt) -> None:
        """What became of every record, in a few lines."""
        for line in _receipt_lines(receipt):
            self.line(line)

    # -- progress --------------------------------------------------------------------------------------------------------

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Any]:
        """A bar with rate and time left on standard error, unless piped or quiet; call what it yields with the number done."""
        if self._quiet or total < 1 or not sys.stderr.isatty():
            yield lambda _done: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total, rate="")

            def update(done: int) -> None:
                elapsed = bar.tasks[task].elapsed or 0.0
                bar.update(task, completed=done, rate=f"{done / elapsed:.0f}/s" if elapsed > 1 else "")

            yield update


def _console() -> Console:
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would leave with 1

    console = Piped(highlight=False, emoji=False, markup=False)
    console.width = max(_NARROWEST, min(console.width, _WIDEST))
    return console


def _title(paper: Paper) -> Text:
    from rich.text import Text

    text = Text(readable(paper.title), style="bold")
    if paper.title_inferred:
        text.append("  (title inferred)", style="dim not bold")
    return text


def _facts(paper: Paper) -> str:
    """Who, where, when, and the id, in one line."""
    authors = [readable(author) for author in paper.authors]
    names = ", ".join(authors[:3]) + (f" and {len(authors) - 3} more" if len(authors) > 3 else "")
    place = " ".join(filter(None, (paper.venue, str(paper.year or ""))))
    return safe(" · ".join(filter(None, (names, place, paper.url or paper.doi or "", f"id {paper.id}"))))


def _cited(citation: Citation, question: str) -> Any:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    head = Text.assemble((f"[{citation.number}] ", "cyan"), _title(citation.paper))
    facts = Padding(Text(_facts(citation.paper), style="dim"), (0, 0, 0, 4))
    quotes = [Padding(_highlighted(quote.text, question), (0, 0, 0, 4)) for quote in citation.quotes]
    return Group(head, facts, *quotes)


def _highlighted(quote: str, question: str) -> Text:
    """A quote, the words it shares with the question standing out."""
    from rich.text import Text

    text = Text(f"“{readable(quote)}”", style="green")
    asked = query_terms(question)
    for word in re.finditer(r"[^\W_]+", text.plain):
        if stem(word.group()) in asked:
            text.stylize("bold", *word.span())
    return text


def _receipt_lines(receipt: Receipt) -> Iterator[str]:
    for source in receipt.sources:
        declared = f" of {source.declared:,} declared" if source.declared is not None else ""
        yield f"{source.name}: {source.records:,} records{declared} read as {source.format}, {source.usable:,} with an abstract"
        yield from _first([f"skipped {s.where} ({s.reason}): {readable(s.text)[:70]}" for s in source.skipped], "skipped")
    yield from _first([f"left out {d.dropped}: {d.why} as {d.kept}" for d in receipt.duplicates], "duplicates")
    notes = [w for w in receipt.warnings if w.kind != "title_inferred"]
    yield from _first([f"note, {w.kind.replace('_', ' ')}: {w.paper} {readable(w.detail)}" for w in notes], "notes")
    inferred = len(receipt.warnings) - len(notes)
    if inferred:
        yield f"  {inferred:,} without a title; one was inferred from the abstract and is marked so"
    would = "would be " if receipt.dry_run else ""
    yield (
        f"{receipt.added:,} {would}added, {receipt.changed:,} {would}changed, {receipt.unchanged:,} unchanged; "
        f"{receipt.embedding.embedded:,} embedded with {receipt.embedding.name} in {receipt.seconds:.1f} s"
    )


def _first(lines: Sequence[str], what: str, most: int = 5) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:most])
    if len(lines) > most:
        yield f"  … and {len(lines) - most:,} more {what}; --json lists them all"
