"""abstracts search: the papers themselves, ranked."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.cli.options import Batch, Filters, Json, LibraryFolder, Out, Quiet, given, open_library, terminal_of


def search(
    ctx: typer.Context,
    query: Annotated[str | None, typer.Argument(help="Any words.", show_default=False)] = None,
    limit: Annotated[int, typer.Option("-k", metavar="N", min=1, max=1000, help="Papers at most.")] = 10,
    filter_: Filters = None,
    batch: Batch = None,
    out: Out = None,
    library: LibraryFolder = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find papers by words and meaning; --batch writes a TREC run."""
    from assistant.answers import Ranked, hit_json
    from assistant.batches import search_batch
    from assistant.evidence import score_sentences, weigh_terms
    from store.errors import UsageError
    from store.filters import filtered_rows
    from store.search import Search

    if (batch is None) == (query is None) or (batch is None) != (out is None):
        raise UsageError("Give one query, or --batch FILE with --out FILE. A query that begins with a dash stands after --.")
    terminal = terminal_of(ctx, quiet)
    opened = open_library(ctx, library)
    searching = Search(opened, long_lived=batch is not None)
    rows = filtered_rows(opened.catalogue, filter_ or [])
    if batch and out:
        for _ in search_batch(searching, batch, out, limit=limit, rows=rows):
            pass
        return
    text = query or ""
    if not text.strip():
        raise UsageError("The query is empty. Search for some words, such as: abstracts search 'video diffusion'")
    hits = searching.find(text, limit=limit, rows=rows)
    papers = searching.papers(hits)
    asked = weigh_terms(text, searching.embed(text), opened.catalogue)
    best: dict[int, str] = {}
    for sentence in score_sentences(asked, hits, papers, opened.catalogue):
        best.setdefault(sentence.row, papers[sentence.row].abstract[sentence.span.start : sentence.span.end])
    found = [(Ranked(rank, papers[hit.row], hit.score), best.get(hit.row, "")) for rank, hit in enumerate(hits, 1)]
    if given(ctx, "json", json):
        terminal.data({"query": text, "hits": [{**hit_json(ranked), "sentence": sentence} for ranked, sentence in found]})
    elif found:
        terminal.hits(found)
    else:
        terminal.line("Nothing found.")
