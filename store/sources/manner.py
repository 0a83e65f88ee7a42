"""How a paste is written, judged by its beginning: with titles, as a list, one abstract a line, with labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from store.sources.blocks import MARKERS, Block, cut_into_blocks, is_blank
from store.sources.cut_off import ends_inside_a_sentence
from store.sources.labels import split_labels
from store.sources.looks import continues, count_words, is_heading, is_short, is_title_case, section_label, section_labels

_FLOWS_ON = re.compile(r"[a-zà-ÿ(,;]")  # a line that goes on from the one above
_RAGGED = 4  # characters by which the lines of a wrapped paragraph may fall short of its width
_ITEM_WORDS = 20  # of most items of a list of abstracts; a list of headings or of steps has fewer
_TITLES_WITH_STOPS = 3  # at least
_LINE_WORDS = 50  # of every line of a paste with one abstract a line; a wrapped line has 20


@dataclass(frozen=True, slots=True)
class Manner:
    """How a paste is written.

    Attributes:
        marker: What the items of its list begin with, or None where it is no list.
        by_line: Every line is an abstract, with no blank lines between.
        titled: Most abstracts have a title above them; else short lines are headings.
        inline: Titles are the first lines of their abstracts' blocks; else they stand above a blank line.
        stops: Titles above a blank line may end in a full stop.
        first_label: The field whose label comes first ("Title: …"), or None where neither titles nor abstracts are labelled.
        labelled: Two abstracts at least are labelled, so that a paragraph without a label is no abstract of its own.
    """

    marker: re.Pattern[str] | None = None
    by_line: bool = False
    titled: bool = False
    inline: bool = False
    stops: bool = False
    first_label: str | None = None
    labelled: bool = False

    def is_short(self, lines: Sequence[str]) -> bool:
        """Whether a piece may be a title or a heading."""
        return is_short(lines, stops=self.stops)

    def has_title_line(self, lines: Sequence[str]) -> bool:
        """Whether the first line of a block is the title of the abstract in the other lines, not a line of it.

        It is short, was broken on purpose, since the next word had room on it, or has the capitals of a title. Unless titles
        stand there in this paste, it must be both.
        """
        if len(lines) < 2 or not is_short(lines[:1]) or _FLOWS_ON.match(lines[1].lstrip()) or section_label(lines[0]):
            return False
        title, rest = lines[0].strip(), [line.strip() for line in lines[1:]]
        if title.startswith("#"):
            return True
        has_room = max(map(len, rest)) > len(title) + len(rest[0].split()[0]) + _RAGGED
        if self.inline:
            return is_title_case(title) or (has_room and title[-1] not in "?!:")
        return is_title_case(title) and has_room


def judge_manner(lines: Sequence[str]) -> Manner:
    """Judge a paste by its first lines, or by all of them when it is short."""
    marker = _find_marker(lines)
    by_line = marker is None and _is_one_a_line(lines)
    blocks = list(cut_into_blocks(lines, marker=marker, by_line=by_line))
    titles = _find_titles(blocks)
    labels = [part.field for block in blocks for part in split_labels(block.lines, block.first) if part.field]
    counts = Counter(labels)
    first = labels[0] if counts["title"] or counts["abstract"] else None
    return replace(titles, marker=marker, by_line=by_line, first_label=first, labelled=counts["abstract"] > 1)


def _find_marker(lines: Sequence[str]) -> re.Pattern[str] | None:
    """Find the mark that stands before every abstract. Lists inside of abstracts are indented more, or do not come first."""
    start = next((i for i, line in enumerate(lines) if not is_blank(line) and not is_short([line])), len(lines))
    for mark in MARKERS:
        first = next((found for line in lines[: start + 1] if (found := re.match(rf"([ \t]*){mark}", line))), None)
        if first:
            marker = re.compile(rf"[ \t]{{0,{len(first.group(1))}}}{mark}")
            if _marks_items(lines, marker):
                return marker
    return None


def _marks_items(lines: Sequence[str], marker: re.Pattern[str]) -> bool:
    """Whether a marker is used consistently, with enough text behind it, and hardly any without it."""
    hits = [(i, found) for i, line in enumerate(lines) if (found := marker.match(line))]
    numbers = [int(found.group(1)) for _, found in hits if found.groups()]
    if numbers and (numbers[0] > 1 or numbers[0] + 1 not in numbers):
        return False
    if not numbers and not all(_may_begin_an_item(lines, i) for i, _ in hits):
        return False
    items = list(cut_into_blocks(lines, marker=marker))
    long = [block for block in items if count_words(block.text) >= _ITEM_WORDS]
    marked = sum(block.marked for block in long)
    loose = [block for block in long if not block.marked and not block.lines[0][0].isspace() and not section_label(block.text)]
    return marked > 1 and marked * 2 > sum(block.marked for block in items) and len(loose) * 4 <= marked


def _may_begin_an_item(lines: Sequence[str], i: int) -> bool:
    return i == 0 or is_blank(lines[i - 1]) or is_short([lines[i - 1]]) or not ends_inside_a_sentence(lines[i - 1])


def _is_one_a_line(lines: Sequence[str]) -> bool:
    blocks = [block for block in cut_into_blocks(lines) if not is_short(block.lines)]
    if len(blocks) != 1:
        return False
    held = [line for line in blocks[0].lines if not is_short([line])]
    return len(held) > 2 and all(count_words(line) >= _LINE_WORDS and not section_label(line) for line in held)


def _find_titles(blocks: Sequence[Block]) -> Manner:
    """Judge whether most abstracts have a title, where it stands, and whether it ends in a full stop, as in PubMed.

    The only abstract of a paste may have a title. Titles with full stops look like short abstracts: they are believed only
    when there are several and nearly every abstract has one.
    """
    above, inline, abstracts = _count_titles(blocks, Manner())
    above_with_stops, _, abstracts_with_stops = _count_titles(blocks, Manner(stops=True))
    stops = above_with_stops >= max(_TITLES_WITH_STOPS, 0.8 * abstracts_with_stops, above + 1)
    return Manner(titled=stops or (above + inline) * 2 > abstracts, inline=inline > above, stops=stops)


def _count_titles(blocks: Sequence[Block], manner: Manner) -> tuple[int, int, int]:
    """Count the abstracts with a title above them, those with a title in their own block, and all abstracts."""
    titles_above = titles_inline = abstracts = 0
    above: Block | None = None
    sections: list[str] = []
    for block in blocks:
        if manner.is_short(block.lines):
            above = block
        elif above or not (abstracts and continues(block.text, sections)):
            abstracts += 1
            if above and not is_heading(above.text):
                titles_above += 1
            else:
                titles_inline += replace(manner, inline=True).has_title_line(block.lines)
            above, sections = None, section_labels(block.text)
    return titles_above, titles_inline, abstracts
