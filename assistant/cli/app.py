"""The application: its commands, its global options, and what becomes of an error."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Annotated, Any

import typer
from typer import Abort

from assistant.cli import add, ask, demo, papers, search
from assistant.cli.options import Json, LibraryFolder, Quiet, remember
from store.errors import AbstractsError

_INTERRUPTED = 130
_STOPPED = "Stopped. What was finished is kept."

app = typer.Typer(
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


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"abstracts {version('abstracts-assistant')}")
        raise typer.Exit


@app.callback()
def _global(
    ctx: typer.Context,
    library: LibraryFolder = None,
    json: Json = False,
    quiet: Quiet = False,
    version: Annotated[  # noqa: ARG001 - its callback has done all there is to do
        bool, typer.Option("--version", help="Show the version and leave.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    remember(ctx, library=library, json=json, quiet=quiet)


def run() -> int:
    """Run one command; every foreseeable fault is a line or two on standard error and an exit code, never a traceback."""
    from assistant.terminal import Terminal, prepare_streams

    signal.signal(signal.SIGTERM, _terminate)
    prepare_streams()
    try:
        code = app(prog_name="abstracts", standalone_mode=False)
        sys.stdout.flush()
        if code == _INTERRUPTED:  # typer has turned Ctrl-C into this already
            Terminal().error(_STOPPED)
        return code if isinstance(code, int) else 0
    except AbstractsError as error:
        Terminal().error(str(error))
        return error.exit_code
    except (KeyboardInterrupt, Abort):
        Terminal().error(_STOPPED)
        return _INTERRUPTED
    except BrokenPipeError:  # `abstracts ... | head` has seen enough
        _close_output()
        return 0
    except OSError as error:
        _close_output()
        Terminal().error(f"The output could not be written ({error.strerror}). Free some space, or write it elsewhere.")
        return 1
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _usage_error(error)


def _usage_error(error: Any) -> int:
    """What the command line's parser says, in one line; its exceptions are private to typer (it carries its own click)."""
    from assistant.terminal import Terminal

    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        Terminal().error(f"{error.format_message()} See: {context.command_path if context else 'abstracts'} --help")
    return int(error.exit_code)


def _close_output() -> None:
    """Point standard output nowhere, so that Python's last flush does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C would, so that what is finished is written (the default action kills in the middle of a write)."""
    raise SystemExit(143)
