"""abstracts add: read sources, say what became of every record, embed what is new."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.cli.options import Json, LibraryFolder, Quiet, given, settings_of, terminal_of


def add(
    ctx: typer.Context,
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files or folders of abstracts, or - for standard input.")
    ],
    library: LibraryFolder = None,
    format: Annotated[
        str | None, typer.Option(metavar="F", help="Read as this format instead of guessing.", show_default=False)
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A field for records that lack it.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; touch nothing.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add papers from pasted text, JSON lines or CSV; adding the same again changes nothing."""
    from store.library import plan, sync_index

    terminal = terminal_of(ctx, quiet)
    place = settings_of(ctx, library).place
    addition = plan(place, sources, format=format, fields=_fields(set_ or []), dry_run=dry_run)
    if not dry_run:
        with terminal.progress("Embedding", addition.total) as progress:
            for done in addition.carry_out():
                progress(done)
        problem = sync_index(place) if addition.total else None
        if problem:
            terminal.hint(f"The Chroma index could not be brought up to date ({problem}). Search goes on without it.")
    if given(ctx, "json", json):
        terminal.data(addition.receipt.to_json())
        return
    terminal.receipt(addition.receipt)
    if addition.receipt.added and not dry_run:
        terminal.hint("Ask it something: abstracts ask 'What is new here?'" + (f" -L {library}" if library else ""))


def _fields(pairs: list[str]) -> dict[str, str]:
    from store.errors import UsageError

    fields = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise UsageError(f"--set {pair!r} is not KEY=VALUE. Write it like --set venue=NeurIPS.")
        fields[key.strip()] = value.strip()
    return fields
