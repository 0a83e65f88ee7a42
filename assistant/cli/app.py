"""The application: its commands, its global options, and what becomes of an error."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from assistant.cli import add, ask, demo, papers, search
from assistant.cli.options import Json, LibraryFolder, Quiet, remember
from store.errors import AbstractsError


class _Guarded(TyperGroup):
    """Turns every foreseeable fault into a line on standard error and the contract's exit code, never a traceback."""

    def invoke(self, ctx: Any) -> Any:
        from assistant.terminal import Terminal

        try:
            return super().invoke(ctx)
        except AbstractsError as error:
            Terminal().error(str(error))
            code = error.exit_code
        except KeyboardInterrupt:
            Terminal().error("Stopped. What was finished is kept.")
            code = 130
        except BrokenPipeError:  # `abstracts ... | head` has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        raise typer.Exit(code)


app = typer.Typer(
    cls=_Guarded,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,  # rich's help takes 0.16 s of the 0.3 s that help may take
    pretty_exceptions_enable=False,
    help="Ask a library of paper abstracts; every claim leads to a verbatim sentence of a specific paper.",
    epilog="Start here: abstracts demo. Then: abstracts add papers.txt, and abstracts ask 'What speeds up video diffusion?'",
)
app.command("add")(add.add)
app.command("ask")(ask.ask)
app.command("search")(search.search)
app.command("show")(papers.show)
app.command("status")(papers.status)
app.command("remove")(papers.remove)
app.command("demo")(demo.demo)


@app.callback()
def _global(
    ctx: typer.Context,
    library: LibraryFolder = None,
    json: Json = False,
    quiet: Quiet = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.", is_eager=True)] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"abstracts {installed('abstracts-assistant')}")
        raise typer.Exit
    remember(ctx, library=library, json=json, quiet=quiet)


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _terminate)
    app(prog_name="abstracts")


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C would, so that what is finished is written (the default action kills in the middle of a write)."""
    raise SystemExit(143)
