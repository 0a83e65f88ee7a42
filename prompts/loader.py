"""Prompts from files: front matter, a system part and a user part, both `string.Template`s (abstracts are full of braces)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

_FILE = re.compile(r"---\n(?P<head>.*?)\n---\n+# system\n+(?P<system>.*?)\n+# user\n+(?P<user>.*)", re.DOTALL)
_KEYS = {"name", "version", "purpose", "inputs"}


class PromptError(ValueError):
    """A prompt file is not well made, or is filled in with other values than it takes. The text says what to change."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt, checked: every placeholder is an input, and every input is used.

    Attributes:
        inputs: Names of the values that `render` takes.
        digest: First twelve hex digits of the file's hash; goes into every eval record.
    """

    name: str
    version: str
    purpose: str
    inputs: frozenset[str]
    system: str
    user: str
    digest: str

    def render(self, **values: str) -> list[dict[str, str]]:
        """The messages for a chat model, system first. A value's own ``$`` stays as it is.

        Raises:
            PromptError: A value is missing, or is none that this prompt takes.
        """
        if values.keys() != self.inputs:
            raise PromptError(f"The prompt {self.name!r} takes {_listed(self.inputs)}, not {_listed(values.keys())}.")
        return [
            {"role": role, "content": Template(text).substitute(values).strip()}
            for role, text in (("system", self.system), ("user", self.user))
        ]


def prompt_names() -> list[str]:
    """Names of the prompts that ship with the package."""
    return sorted(file.name.removesuffix(".md") for file in files("prompts").iterdir() if file.name.endswith(".md"))


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """Load a prompt by name.

    Args:
        folder: A user's own prompts; one of the same name goes before ours.

    Raises:
        PromptError: There is no such prompt, or its file is not well made.
    """
    if name not in prompt_names():
        raise PromptError(f"There is no prompt {name!r}. There are: {', '.join(prompt_names())}.")
    own = folder / f"{name}.md" if folder else None
    text = own.read_text("utf-8") if own and own.is_file() else files("prompts").joinpath(f"{name}.md").read_text("utf-8")
    return parse_prompt(text, name)


def parse_prompt(text: str, name: str) -> Prompt:
    """Read the text of a prompt file; `name` is what the front matter must say.

    Raises:
        PromptError: The parts, the keys or the placeholders are not as they must be.
    """
    import yaml

    parts = _FILE.fullmatch(text.replace("\r\n", "\n"))
    head = yaml.safe_load(parts["head"]) if parts else None
    if not parts or not isinstance(head, Mapping) or head.keys() != _KEYS or head["name"] != name:
        keys = ", ".join(sorted(_KEYS))
        raise PromptError(f"The prompt {name!r} must have front matter with {keys}, then '# system' and '# user'.")
    used = {found for part in ("system", "user") for found in _placeholders(parts[part], name)}
    inputs = frozenset(map(str, head["inputs"]))
    if used != inputs:
        raise PromptError(f"The prompt {name!r} uses {_listed(used)}, but its inputs are {_listed(inputs)}.")
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
    return Prompt(name, str(head["version"]), str(head["purpose"]), inputs, parts["system"], parts["user"], digest)


def _placeholders(text: str, name: str) -> set[str]:
    template = Template(text)
    if not template.is_valid():
        raise PromptError(f"The prompt {name!r} has a '$' that begins no placeholder. Write '$$' for a dollar.")
    return set(template.get_identifiers())


def _listed(names: object) -> str:
    return ", ".join(sorted(map(str, names))) or "nothing"  # type: ignore[call-overload]
