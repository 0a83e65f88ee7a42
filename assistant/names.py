"""Names in a question: without them, and whether they are clear."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.fulltext import words


def without_names(question: str, names: Sequence[str]) -> str:
    """The question's words without those names; blank if nothing else was asked."""
    text = f" {' '.join(question.split())} "
    for name in names:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?:['’]?s)?(?![\w-])", " ", text, flags=re.IGNORECASE)
    rest = " ".join(text.split())
    return rest if re.search(r"\w", rest) else ""


def tells_apart(question: str, name: str) -> bool:
    """Whether a question says which bearer of a name it means: "the video PanoWorld", "the PanoWorld that ...", "SAM for X"."""
    text = " ".join(words(question))
    quoted = re.escape(name)
    before = rf"\bthe (?:(?!{quoted}\b)[\w-]+ ){{1,4}}{quoted}\b(?! (?:papers?|works?|abstracts?)\b)"
    after = rf"\b{quoted}s? (?:that|which|who|for|from|about|of|with|where|whose|on|in the sense)\b"
    return bool(re.search(before, text) or re.search(after, text) or re.search(r"\bnot the \w+(?: \w+)? one\b|\bthe one\b", text))
