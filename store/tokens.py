"""Token counts with tiktoken, offline: the encodings come from the files that llama-index ships."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_SHIPPED = ("cl100k_base", "o200k_base")  # llama-index-core's wheel has exactly these two files


@cache
def encoder(name: str = "o200k_base") -> Any:
    """A tiktoken encoding by name, one of ``cl100k_base`` and ``o200k_base``, without a download."""
    if name not in _SHIPPED:
        raise ValueError(f"{name} is not shipped; there are {', '.join(_SHIPPED)}")
    spec = find_spec("llama_index")  # a namespace package: looked for, not run
    folders = [Path(p) / "core/_static/tiktoken_cache" for p in (spec.submodule_search_locations if spec else None) or ()]
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(next((f for f in folders if f.is_dir()), before or ""))
    try:
        import tiktoken

        return tiktoken.get_encoding(name)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def count_tokens(text: str) -> int:
    """Tokens of a text under o200k_base; text that looks like a special token ("<|endoftext|>") is just text."""
    return len(encoder().encode_ordinary(text))
