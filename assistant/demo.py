"""The demo: its corpus, its place, its questions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from assistant.settings import Settings, default_library
from store.library import Place

THREE_ANSWERED = (
    "How much does LoRA shrink the number of trainable parameters?",
    "Which methods learn image features without labels?",
    "How does FlashAttention save memory traffic?",
)
ONE_OPEN = "How many GPUs was Stable Diffusion trained on?"


def demo_place(settings: Settings, *, named: bool) -> Place:
    """Where the demo library lies: the folder that was named, else one of its own beside the default library."""
    folder = settings.library if named else default_library().with_name("demo")
    return replace(settings.place, folder=folder)


def demo_source() -> AbstractContextManager[Path]:
    """The bundled corpus as a file."""
    return as_file(files("assistant").joinpath("data/demo.jsonl"))
