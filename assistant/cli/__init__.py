"""The command line: `abstracts`. Commands read top to bottom in the module of their name; nothing heavy is imported before one runs."""

from __future__ import annotations

from assistant.cli.app import main

__all__ = ["main"]
