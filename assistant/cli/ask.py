"""abstracts ask: one question, or many from a file, answered with quoted sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.options import Batch, Filters, Json, LibraryFolder, Out, Quiet, given, open_library, terminal_of


def ask(
    ctx: typer.Context,
    question: Annotated[
        str | None, typer.Argument(help="The question; after -- if it begins with a dash.", show_default=False)
    ] = None,
    history: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Earlier turns, as JSON lines.", show_default=False)
    ] = None,
    filter_: Filters = None,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Quote sentences; use no model. The default while none is set.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 unless every claim is supported.")] = False,
    batch: Batch = None,
    out: Out = None,
    library: LibraryFolder = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question from the library, every statement with the sentence it rests on."""
    from assistant.batches import answer_batch, read_history
    from assistant.engine import Engine
    from store.errors import UsageError
    from store.search import Search

    del extractive  # there is no other way yet
    if (batch is None) == (question is None) or (batch is None) != (out is None):
        raise UsageError(
            "Give one question, or --batch FILE with --out FILE. A question that begins with a dash stands after --."
        )
    if batch and strict:
        raise UsageError("--strict goes with one question. A batch has the verdicts in its lines.")
    terminal = terminal_of(ctx, quiet)
    engine = Engine(Search(open_library(ctx, library), long_lived=batch is not None))
    if batch and out:
        with terminal.progress("Answering", total=0) as progress:
            for done in answer_batch(engine, batch, out, filters=filter_ or []):
                progress(done)
        return
    answer = engine.ask(question or "", history=read_history(history) if history else (), filters=filter_ or [])
    terminal.data(answer.to_json()) if given(ctx, "json", json) else terminal.answer(answer)
    if strict and (answer.status == "abstained" or any(claim.verdict != "supported" for claim in answer.claims)):
        raise typer.Exit(1)
