"""The command line: `abstracts`. Each command reads from top to bottom in its module; nothing heavy is imported before it runs."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, and leave with the contract's exit code."""
    try:
        from assistant.cli.app import run

        code = run()
    except KeyboardInterrupt:  # while modules are imported; later ones are told by `run`
        code = 130
    sys.exit(code)
