"""abstracts demo: a library of sixty well-known papers, and what asking it looks like."""

from __future__ import annotations

import typer

from assistant.cli.options import LibraryFolder, Quiet, settings_of, terminal_of


def demo(ctx: typer.Context, library: LibraryFolder = None, quiet: Quiet = False) -> None:
    """Build a small library, ask it three questions, and one that it cannot answer."""
    from assistant.demo import ONE_OPEN, THREE_ANSWERED, demo_place, demo_source
    from assistant.engine import Engine
    from store.library import Library, plan, sync_index
    from store.search import Search

    terminal = terminal_of(ctx, quiet)
    place = demo_place(settings_of(ctx, library), named=library is not None)
    with demo_source() as source:
        addition = plan(place, [str(source)], format="jsonl")
        with terminal.progress("Embedding", addition.total) as progress:
            for done in addition.carry_out():
                progress(done)
    if addition.total:
        sync_index(place)
    opened = Library.open(place)
    terminal.line(f"A library of {len(opened.catalogue)} well-known machine-learning papers, at {place.folder}")
    engine = Engine(Search(opened))
    for question in (*THREE_ANSWERED, ONE_OPEN):
        terminal.line(f"\n$ abstracts ask {question!r}")
        terminal.answer(engine.ask(question))
    terminal.line("Now your own: put abstracts into a text file, blank lines between them, and type")
    terminal.line("  abstracts add papers.txt")
    terminal.line("  abstracts ask 'What do these papers say about ...?'")
    terminal.line(f"The demo library stays: abstracts ask -L {place.folder} 'What is LoRA?'")
