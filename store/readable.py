"""Text as a person reads it: LaTeX, Markdown emphasis and odd characters made plain, for display and search only.

What is stored and quoted stays exactly as it was read; nothing here is ever written back.
"""

from __future__ import annotations

import re
import unicodedata

_GREEK = {
    name: chr(0x3B1 + i)
    for i, name in enumerate(
        (
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho _ sigma tau upsilon "
            "phi chi psi omega"
        ).split()
    )
    if name != "_"
}
_GREEK |= {name.capitalize(): letter.upper() for name, letter in _GREEK.items()}
_GREEK |= {"varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varrho": "ρ", "varsigma": "ς"}
_COMMANDS = _GREEK | {
    "times": "×", "cdot": "·", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠",
    "approx": "≈", "sim": "∼", "simeq": "≃", "equiv": "≡", "propto": "∝", "ll": "≪", "gg": "≫", "infty": "∞", "to": "→",
    "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒", "mapsto": "↦", "in": "∈", "notin": "∉", "subset": "⊂",
    "subseteq": "⊆",
    "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "partial": "∂", "nabla": "∇", "sum": "∑", "prod": "∏", "int": "∫",
    "sqrt": "√", "ldots": "…", "dots": "…", "cdots": "⋯", "degree": "°", "circ": "°", "ast": "*", "star": "⋆", "dagger": "†",
    "ell": "ℓ", "hbar": "ℏ", "langle": "⟨", "rangle": "⟩", "lVert": "‖", "rVert": "‖", "Vert": "‖", "vert": "|", "mid": "|",
    "quad": " ", "qquad": " ", "L": "Ł", "l": "ł", "O": "Ø", "o": "ø", "ss": "ß", "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å",
    "textendash": "–", "textemdash": "—", "textasciitilde": "~", "textbackslash": "\\", "textdegree": "°", "S": "§",
    "log": "log", "exp": "exp", "min": "min", "max": "max", "arg": "arg", "argmin": "argmin", "argmax": "argmax", "inf": "inf",
    "sup": "sup", "lim": "lim", "det": "det", "tr": "tr", "Pr": "Pr", "sin": "sin", "cos": "cos", "tan": "tan", "tanh": "tanh",
}  # fmt: skip
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307", "c": "\u0327",
    "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")

_NEEDS_WORK = re.compile(r"[\\$*_{}^~`\ufb00-\ufb06]|--|\s\s|[\n\r\t]")
_ACCENT = re.compile(r"\\(['`^\"~=.]|[cvuHkr](?![A-Za-z]))\s*(?:\{\s*\\?([A-Za-z])\s*\}|\\?([A-Za-z]))")
_WRAPPER = re.compile(
    r"\\(?:emph|text(?:bf|it|tt|sc|rm|sf|up|normal)?|math(?:bf|it|tt|rm|sf|cal|bb|frak|scr)|operatorname\*?|mbox|underline|boldsymbol|bm|hat|tilde|bar|vec|overline|widehat|widetilde|url|href|textsuperscript|textsubscript)\s*\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?[ ]?")
# As pandoc reads dollars: no space inside, no digit after the closing one ("$5 and $6" is money); but "256$\\times$256" is met.
_FORMULA = re.compile(
    r"(?<!\\)\$\$?(?=\S)((?:[^$\\]|\\.){1,400}?)(?<=\S)\$(?:\$|(?!\d)|(?<=[A-Za-z}]\$))|\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]",
    re.DOTALL,
)
_EMPHASIS = re.compile(r"(?:(?<![\\*])(\*{2,3})|(?<![\\*\w])(\*))(?=[^\s*])(.{1,300}?)(?<=[^\s*])(?:\1|\2)(?!\*)", re.DOTALL)
_UNDERLINED = re.compile(r"(?<![\w\\])(_{1,2})(?=[^\s_])([^_\n]{1,300}?)(?<=[^\s_])\1(?!\w)")
# Soft hyphens, zero widths, marks of direction, byte order marks, tags: nobody sees them, some hide instructions to a model.
_INVISIBLE = re.compile(r"[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def readable(text: str) -> str:
    r"""One line of plain Unicode: formulas and accents resolved, emphasis and control characters dropped, white space folded.

    ``360$^\circ$`` becomes ``360°``, ``{\L}ojasiewicz`` ``Łojasiewicz``, ``**Para**llel`` ``Parallel``, ``$1.25\times$``
    ``1.25×``. A text that is already plain comes back as it is.
    """
    text = text if text.isascii() else _INVISIBLE.sub("", text)
    if _NEEDS_WORK.search(text):
        if "\\" in text:
            text = _without_markup(text)
        if "$" in text or "\\(" in text or "\\[" in text:
            text = _FORMULA.sub(lambda m: _formula(next(g for g in m.groups() if g is not None)), text)
        text = _loose_ends(text)
        text = _without_emphasis(text)
    text = _CONTROL.sub(" ", text)
    return " ".join(unicodedata.normalize("NFKC" if _has_ligature(text) else "NFC", text).split())


def search_text(text: str) -> str:
    """What is embedded and indexed: `readable`, with compatibility forms folded and Greek letters also by name."""
    plain = readable(text)
    if plain.isascii():
        return plain
    plain = "".join(_SEARCHED_AS.get(c, c) for c in unicodedata.normalize("NFKC", plain))
    return " ".join(plain.split())  # NFKC gives an accent that stands alone a space to stand on


# Letters that neither NFKC nor FTS5's remove_diacritics takes apart.
_SEARCHED_AS = {letter: name for name, letter in _GREEK.items() if not name.startswith("var")}
_SEARCHED_AS |= {"×": "x", "Ł": "L", "ł": "l", "Ø": "O", "ø": "o", "ı": "i", "đ": "d", "Đ": "D"}
_SEARCHED_AS |= {"ß": "ss", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe"}


def _without_markup(text: str) -> str:
    text = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", (m.group(2) or m.group(3)) + _ACCENTS[m.group(1)]), text)
    for _ in range(4):  # wrappers nest: \textbf{\emph{x}}; four levels were the most in 21,295 ML abstracts
        text, unwrapped = _WRAPPER.subn(r"\1", text)
        text, divided = _FRACTION.subn(r"\1/\2", text)
        if not unwrapped + divided:
            break
    return text


def _formula(body: str) -> str:
    body = _COMMAND.sub(lambda m: _COMMANDS.get(m.group(1), ""), body)
    body = re.sub(r"\\[,;:! ]", " ", body)
    body = re.sub(r"\\([%&#_$])", r"\1", body)
    body = re.sub(r"\^\{?°\}?", "°", body)
    body = re.sub(r"\^\{?([0-9+n-]+)\}?", lambda m: m.group(1).translate(_SUPERSCRIPTS), body)
    body = re.sub(r"_\{?([0-9+-]+)\}?", lambda m: m.group(1).translate(_SUBSCRIPTS), body)
    body = re.sub(r"[\^_]\{?\*\}?", "*", body)
    return body.replace("{", "").replace("}", "").strip()


def _loose_ends(text: str) -> str:
    """Commands and braces outside formulas, dashes typed as hyphens, ties."""
    text = _COMMAND.sub(lambda m: _COMMANDS.get(m.group(1), m.group(1)), text)
    text = re.sub(r"\\([%&#_${}])", r"\1", text)
    text = re.sub(r"\{([^{}]*)\}", r"\1", text)
    text = text.replace("---", " — ").replace("``", "“").replace("''", "”")
    text = re.sub(r"(?<=\w)~(?=\w)", " ", text)
    text = re.sub(r"(?<=\w)\^\{?([0-9+n-]+)\}?", lambda m: m.group(1).translate(_SUPERSCRIPTS), text)
    return re.sub(r"(?<=\w)--(?=\w)", "–", text)


def _without_emphasis(text: str) -> str:
    if "*" in text:
        text = _EMPHASIS.sub(r"\3", text)
    return _UNDERLINED.sub(r"\2", text) if "_" in text else text


def _has_ligature(text: str) -> bool:
    return any("\ufb00" <= c <= "\ufb06" for c in text) if not text.isascii() else False
