"""What a file is that is no text, told by its first bytes, so that the refusal can say what to do."""

from __future__ import annotations

from store.errors import SourceError
from store.sources.encoding import has_wide_mark

_EXPORT_TEXT = "Copy the abstracts into a text file, one blank line between them, and add that."
_EXPORT = "Export the abstracts as text, JSON lines or CSV, and add that."
_UNPACK = "Unpack it, and add what is inside."
_MAGIC = (
    (b"%PDF", "a PDF file", _EXPORT_TEXT),
    (b"PK\x03\x04", "a zip archive, or an Office document", "Unpack it, or save the document as text, and add that."),
    (b"\xd0\xcf\x11\xe0", "an Office document", "Save it as text or CSV, and add that."),
    (b"{\\rtf", "an RTF document", "Save it as plain text, and add that."),
    (b"\x89PNG", "a PNG image", _EXPORT_TEXT),
    (b"\xff\xd8\xff", "a JPEG image", _EXPORT_TEXT),
    (b"GIF8", "a GIF image", _EXPORT_TEXT),
    (b"SQLite format 3\0", "an SQLite database", "Export its table as CSV, and add that."),
    (b"PAR1", "a Parquet file", "Export it as JSON lines or CSV, and add that."),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an xz archive", _UNPACK),
    (b"(\xb5/\xfd", "a Zstandard archive", _UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
)
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b") + b"\x7f"
_MANY = 0.3  # of the bytes; a text has none, and even a damaged one far fewer


def refuse_if_not_text(shown: str, head: bytes) -> None:
    """Refuse a source whose first bytes are no text; zero bytes are fine after the mark of UTF-16 or UTF-32.

    Args:
        shown: What to call the source.
        head: Its first bytes, unpacked.

    Raises:
        SourceError: Says what the file looks like and what to do.
    """
    for magic, kind, advice in _MAGIC:
        if head.startswith(magic):
            raise SourceError(f"{shown} looks like {kind}, not like text. {advice}")
    if has_wide_mark(head):
        return
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if b"\0" in head or controls > _MANY * len(head):
        raise SourceError(f"{shown} looks like a binary file, not like text. {_EXPORT}")
