"""What we say to a model: Markdown files with front matter, checked when they are loaded and when they are filled in."""

from __future__ import annotations

from prompts.loader import Prompt, PromptError, load_prompt, prompt_names

__all__ = ["Prompt", "PromptError", "load_prompt", "prompt_names"]
