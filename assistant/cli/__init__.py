"""The command line, `abstracts`: each command in a module of its own, and nothing heavy imported before it runs."""

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
