"""abstracts show, status and remove: the papers of a library, one by one and all together."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assistant.cli.options import Json, LibraryFolder, Quiet, given, open_library, terminal_of

Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of papers, or their beginnings.")]


def show(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="Id of a paper, or its beginning.")],
    library: LibraryFolder = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show one paper, whole, as stored."""
    from dataclasses import asdict

    catalogue = open_library(ctx, library).catalogue
    row = catalogue.row_of(id)
    paper = catalogue.papers([row])[row]
    if given(ctx, "json", json):
        spans = [{"start": start, "end": end} for start, end in catalogue.spans(row)]
        terminal_of(ctx, quiet).data({**asdict(paper), "sentences": spans})
    else:
        terminal_of(ctx, quiet).paper(paper)


def status(ctx: typer.Context, library: LibraryFolder = None, json: Json = False, quiet: Quiet = False) -> None:
    """Say what the library holds, and how it is searched."""
    from store.status import library_status

    report = library_status(open_library(ctx, library))
    if given(ctx, "json", json):
        terminal_of(ctx, quiet).data(report)
    else:
        terminal_of(ctx, quiet).table(_lines(report))


def remove(ctx: typer.Context, ids: Ids, library: LibraryFolder = None, json: Json = False, quiet: Quiet = False) -> None:
    """Take papers out of the library."""
    from store.library import sync_index

    opened = open_library(ctx, library)
    removed = opened.remove(ids)
    sync_index(opened.place)
    terminal = terminal_of(ctx, quiet)
    if given(ctx, "json", json):
        terminal.data({"removed": removed, "papers": len(opened.catalogue)})
    else:
        terminal.line(f"Removed {', '.join(removed)}; {len(opened.catalogue):,} papers left.")


def _lines(report: dict[str, Any]) -> dict[str, str]:
    """The report for reading: the last additions in a line each."""
    lines = {
        "library": report["library"],
        "papers": f"{report['papers']:,} in {report['chunks']:,} chunks",
        "flags": ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in report["flags"].items()) or "none",
        "fields": ", ".join(report["fields"]),
        "embedding": f"{report['embedding']['name']}, {report['embedding']['dimensions']} dimensions",
        "search": f"{report['search']['one_shot']} for one command, {report['search']['long_lived']} in a chat or batch",
        "on disk": f"{report['bytes'] / 1e6:.1f} MB",
    }
    for number, addition in enumerate(report["additions"][-5:], 1):
        names = ", ".join(source["name"] for source in addition["sources"][:3])
        lines[f"addition {number}"] = (
            f"{addition['at']}: {addition['added']:,} added, {addition['unchanged']:,} unchanged from {names}"
        )
    return lines
