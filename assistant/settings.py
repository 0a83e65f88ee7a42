"""Settings: the one place that reads the environment.

A frozen dataclass and not pydantic-settings, whose import alone takes 0.3 s of the 0.3 s that `--help` may take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path

from store.embeddings.base import Endpoint
from store.errors import UsageError
from store.library import Place

_PREFIX = "ABSTRACTS_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set, as environment variables ``ABSTRACTS_<NAME>``.

    Attributes:
        library: Folder of the library.
        embedding: Name for `store.embeddings.open_embedding`; None means the library's own, or the local one.
        api_key: ``OPENAI_API_KEY``; never printed.
        base_url: ``OPENAI_BASE_URL``.
        timeout: Seconds that one request may take.
    """

    library: Path
    embedding: str | None = None
    timeout: float = 60.0
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None

    @property
    def place(self) -> Place:
        """Where the library lies and how it is embedded."""
        return Place(folder=self.library, embedding=self.embedding, endpoint=Endpoint(self.base_url, self.api_key, self.timeout))


def load_settings(environment: Mapping[str, str], *, library: Path | None = None) -> Settings:
    """Settings from the environment; an empty variable is as good as none.

    Args:
        library: From the command line, before the environment.

    Raises:
        UsageError: An unknown ``ABSTRACTS_`` variable (the text lists those there are), or a value of the wrong kind.
    """
    given = {
        name.removeprefix(_PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(_PREFIX) and value.strip()
    }
    known = [f.name for f in fields(Settings) if f.name not in ("api_key", "base_url")]
    for name in given.keys() - known:
        close = get_close_matches(name, known, 1)
        hint = f" Did you mean {_PREFIX}{close[0].upper()}?" if close else ""
        raise UsageError(
            f"There is no setting {_PREFIX}{name.upper()}.{hint} There are: {', '.join(_PREFIX + k.upper() for k in known)}."
        )
    folder = library or (Path(given["library"]) if "library" in given else default_library())
    return Settings(
        library=folder.expanduser().absolute(),
        embedding=given.get("embedding"),
        timeout=_seconds(given.get("timeout")),
        api_key=environment.get("OPENAI_API_KEY", "").strip() or None,
        base_url=environment.get("OPENAI_BASE_URL", "").strip() or None,
    )


def default_library() -> Path:
    """The library used when none is named, in the platform's data folder."""
    from platformdirs import user_data_path

    return user_data_path("abstracts") / "library"


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text) if text else 60.0
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"{_PREFIX}TIMEOUT is {text!r}; it must be a number of seconds above 0.")
    return seconds
