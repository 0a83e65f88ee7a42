"""Which encoding a text is in: its byte order mark decides, else UTF-8, else Windows-1252."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from dataclasses import dataclass

# UTF-32 first: its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KEEP_C1 = "abstracts-keep-c1"


@dataclass(frozen=True, slots=True)
class Encoding:
    """How bytes become text.

    Attributes:
        codec: A codec of Python; it takes off a byte order mark.
        errors: What becomes of bytes that are wrong in it.
        warnings: What to tell people, if anything.
    """

    codec: str
    errors: str = "strict"
    warnings: tuple[str, ...] = ()

    def decode_head(self, head: bytes) -> str:
        """Decode the first bytes of a text, which may end inside a character."""
        return codecs.getincrementaldecoder(self.codec)(self.errors).decode(head)


def detect_encoding(head: bytes, pieces: Callable[[], Iterable[bytes]]) -> Encoding:
    """Choose the encoding of a text, looking at all of it.

    Bytes that are not UTF-8 are damage when the text has characters of several bytes elsewhere: they become U+FFFD. Without
    any, the text is Windows-1252, in which the five bytes without a meaning stay control characters.

    Args:
        head: Its first bytes.
        pieces: Gives all of its bytes, piece by piece, as often as called.
    """
    codec = next((codec for mark, codec in _MARKS if head.startswith(mark)), "utf-8-sig")
    if _is_valid(pieces(), codec):
        return Encoding(codec)
    if codec != "utf-8-sig":
        return Encoding(codec, "replace", (f"not valid {codec.upper()}: what cannot be read became U+FFFD",))
    wrong, valid = _count_non_ascii(pieces())
    if valid:
        return Encoding(codec, "replace", (f"{wrong} bytes are not UTF-8: they became U+FFFD",))
    return Encoding("windows-1252", _KEEP_C1, ("not UTF-8: read as Windows-1252",))


def has_wide_mark(head: bytes) -> bool:
    """Whether a text begins with the byte order mark of UTF-16 or UTF-32."""
    return any(head.startswith(mark) for mark, _ in _MARKS)


def _is_valid(pieces: Iterable[bytes], codec: str) -> bool:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for piece in pieces:
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _count_non_ascii(pieces: Iterable[bytes]) -> tuple[int, int]:
    """Count the bytes that are not UTF-8, and the characters that are, ASCII aside."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    wrong = valid = 0
    for piece in (*pieces, b""):
        text = decoder.decode(piece, final=not piece)
        if not text.isascii():
            escaped = sum("\udc80" <= c <= "\udcff" for c in text)
            wrong += escaped
            valid += sum(c > "\x7f" for c in text) - escaped
    return wrong, valid


def _keep_c1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_KEEP_C1, _keep_c1)
