"""Options that several commands share. Those of every command may stand before or after its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

LibraryFolder = Annotated[
    Path | None,
    typer.Option(
        "--library",
        "-L",
        metavar="FOLDER",
        help="The library's folder. [env: ABSTRACTS_LIBRARY]",
        show_default=False,
        readable=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no hints.")]
Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="EXPR", help="Only papers that match, as 'year>=2025'; several are joined by AND."),
]
Batch = Annotated[
    Path | None, typer.Option("--batch", metavar="FILE", help="Read many from JSON lines; needs --out.", show_default=False)
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where --batch writes.", show_default=False)]


def remember(ctx: typer.Context, **values: Any) -> None:
    """Keep what was given before the command's name."""
    ctx.obj = {name: value for name, value in values.items() if value}


def given(ctx: typer.Context, name: str, value: Any) -> Any:
    """A global option, wherever it was written."""
    return value or (ctx.obj or {}).get(name) or value


def settings_of(ctx: typer.Context, library: Path | None) -> Any:
    """Settings from the environment and the command line."""
    from assistant.settings import load_settings

    return load_settings(os.environ, library=given(ctx, "library", library))


def terminal_of(ctx: typer.Context, quiet: bool) -> Any:
    """The terminal of this run."""
    from assistant.terminal import Terminal

    return Terminal(quiet=given(ctx, "quiet", quiet))


def open_library(ctx: typer.Context, library: Path | None) -> Any:
    """The library that the command line and the environment name; it must exist."""
    from store.library import Library

    return Library.open(settings_of(ctx, library).place)
