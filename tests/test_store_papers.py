"""Papers and records: ids that are the same wherever the same text is pasted."""

from __future__ import annotations

import re

from store.papers import paper_id


def test_an_id_is_ten_hex_digits():
    assert re.fullmatch("[0-9a-f]{10}", paper_id("Any text."))


def test_wrapped_and_unwrapped_copies_have_one_id():
    assert paper_id("One two\nthree.\r\n") == paper_id("  One  two three.")


def test_another_letter_is_another_id():
    assert paper_id("One two three.") != paper_id("One two Three.")


def test_any_text_has_an_id():
    assert len({paper_id(text) for text in ("", "\ud800", "\x00", "字", "😀")}) == 5
