"""Pastes read: abstracts told apart, titles and headings told from them, every character kept."""

from __future__ import annotations

import hashlib
import json
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.papers import Record, Skipped
from store.sources import open_source

SHARED = Path(__file__).resolve().parents[1].parent / "shared"

STRIPES = (
    "Striped attention reads long videos in one pass. We show that stripes of keys are enough for most heads, and that the "
    "rest can be pruned. On three benchmarks, training takes half the time at the same accuracy."
)
COFFEE = (
    "*Endogenous* caffeine drives the productivity of doctoral students. This study measures its effect on 312 theses, using "
    "instruments of the 18th century, and finds none. We discuss what that means for the price of espresso."
)
WEAVING = (
    "Can graphs be woven? We answer with a loom whose warp is a spanning tree and whose weft is a matching. The fabric holds "
    "for every planar graph, in time $O(n \\log n)$, and the code is at https://example.org/loom"
)
ABSTRACTS = [STRIPES, COFFEE, WEAVING]
TITLES = ["Stripes Are Enough for Long Videos", "Does Coffee Help? A Study of 312 Theses", "Weaving Planar Graphs"]


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "papers.txt"
        path.write_bytes(text.encode())
        return list(open_source(str(path), format="text").entries)

    return read


def abstracts(entries):
    return [entry.abstract for entry in entries if isinstance(entry, Record)]


def titles(entries):
    return [entry.title for entry in entries if isinstance(entry, Record)]


def skipped(entries):
    return [(entry.where, entry.reason, entry.text) for entry in entries if isinstance(entry, Skipped)]


def wrap(text, width=72):
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


# Abstracts and blank lines


def test_blank_lines_separate_abstracts(read):
    assert read("\n\n".join(ABSTRACTS)) == [
        Record(abstract=STRIPES, where="line 1"),
        Record(abstract=COFFEE, where="line 3"),
        Record(abstract=WEAVING, where="line 5"),
    ]


@pytest.mark.parametrize(
    "blank", ["\n\n", "\n \t\n", "\n\n\n\n", "\n\u3000\n", "\r\n\r\n", "\n\n-----\n\n", "\n=====\n", "\n* * *\n"]
)
def test_a_line_of_white_space_or_a_rule_is_blank(read, blank):
    assert abstracts(read(blank + blank.join(ABSTRACTS) + blank)) == ABSTRACTS


def test_wrapped_lines_belong_together_and_are_kept(read):
    wrapped = [wrap(text) for text in ABSTRACTS]

    entries = read("\n\n".join(wrapped))

    assert abstracts(entries) == wrapped
    assert entries[1].where == f"line {wrapped[0].count(chr(10)) + 3}"


def test_inner_white_space_is_kept_and_outer_is_not(read):
    text = STRIPES.replace("one pass. ", "one  pass.\t\r\n   ").replace("heads", "heads\u2028\x0b\x85\u00a0")

    assert abstracts(read(f" \u00a0{text}\u3000 \r\n")) == [text]


def test_an_abstract_that_stops_inside_a_sentence_is_flagged(read):
    flags = [entry.flags for entry in read(f"{STRIPES}\n\n{COFFEE[:-30]}\n\n{WEAVING}")]

    assert flags == [(), ("cut_off",), ()]


def test_one_abstract_a_line_needs_no_blank_lines(read):
    long = [f"{text} {text}" for text in ABSTRACTS]

    assert abstracts(read("\n".join(long))) == long
    assert abstracts(read("NeurIPS 2026 Papers\n\n" + "\n".join(long))) == long


def test_the_lines_of_one_abstract_are_no_abstracts(read):
    text = STRIPES.replace("pass. ", "pass.\n").replace("pruned. ", "pruned.\n")

    assert abstracts(read(text)) == [text]


def test_pieces_too_short_are_skipped(read):
    assert skipped(read(f"{STRIPES}\n\nSee the appendix.\n\n{COFFEE}")) == [("line 3", "too short", "See the appendix.")]


def test_pieces_too_long_are_skipped_whole(read):
    line = "word and word " * 10_000 + "\n"

    assert skipped(read(line * 2 + "\n" + STRIPES)) == [("line 1", "too long", line[:200])]


def test_letters_of_chinese_count_as_words(read):
    text = "我们提出一种新的注意力机制,在三个基准上把训练时间减半,同时保持精度不变."

    assert abstracts(read(f"{text}\n\n{text}")) == [text, text]
    assert skipped(read(f"{text}\n\n见附录。")) == [("line 3", "too short", "见附录。")]


# Headings


@pytest.mark.parametrize(
    "heading",
    [
        "NeurIPS 2026 Papers",
        "# Accepted papers",
        "Accepted Papers (ICML 2025)",
        "List of abstracts:",
        "Session 3: Vision",
        "Oral Session 2B",
        "Abstract 12",
        "**Proceedings of ALT 2025**",
    ],
)
def test_a_heading_is_never_a_title(read, heading):
    for gap in ("\n\n", "\n"):
        entries = read(f"{heading}{gap}{STRIPES}")

        assert entries == [Skipped("line 1", "heading", heading), Record(abstract=STRIPES, where=f"line {1 + len(gap)}")]


def test_a_line_above_the_first_of_many_abstracts_is_a_heading(read):
    entries = read("Things I want to read\n\n" + "\n\n".join(ABSTRACTS))

    assert skipped(entries) == [("line 1", "heading", "Things I want to read")]
    assert titles(entries) == [None] * 3


def test_lines_between_groups_are_headings(read):
    text = f"1. Introduction to attention\n\n{STRIPES}\n\n{COFFEE}\n\n2. Graphs\n\n{WEAVING}\n\n{STRIPES}"

    entries = read(text)

    assert [entry[1:] for entry in skipped(entries)] == [("heading", "1. Introduction to attention"), ("heading", "2. Graphs")]
    assert titles(entries) == [None] * 4


def test_a_heading_alone_is_one_skipped_piece(read):
    assert read("NeurIPS 2026 Papers\n") == [Skipped("line 1", "heading", "NeurIPS 2026 Papers")]


def test_a_line_after_the_last_abstract_is_a_heading(read):
    assert skipped(read(f"{STRIPES}\n\nThe end")) == [("line 3", "heading", "The end")]


# Titles


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("mark", ["{}", "## {}", "**{}**", "### {} ###"])
def test_a_line_above_every_abstract_is_its_title(read, gap, mark):
    entries = read("\n\n".join(mark.format(title) + gap + text for title, text in zip(TITLES, ABSTRACTS, strict=True)))

    assert (titles(entries), abstracts(entries), skipped(entries)) == (TITLES, ABSTRACTS, [])


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_titles_are_found_above_wrapped_abstracts_and_below_a_heading(read, gap):
    wrapped = [wrap(text) for text in ABSTRACTS]

    entries = read("# Accepted papers\n\n" + "\n\n".join(title + gap + text for title, text in zip(TITLES, wrapped, strict=True)))

    assert (titles(entries), abstracts(entries)) == (TITLES, wrapped)
    assert skipped(entries) == [("line 1", "heading", "# Accepted papers")]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_the_only_abstract_may_have_a_title(read, gap):
    assert titles(read(f"Stripes are enough for long videos{gap}{STRIPES}")) == ["Stripes are enough for long videos"]


def test_most_abstracts_with_titles_are_enough(read):
    text = f"{TITLES[0]}\n\n{STRIPES}\n\n{COFFEE}\n\n{TITLES[2]}\n\n{WEAVING}"

    assert titles(read(text)) == [TITLES[0], None, TITLES[2]]


def test_a_title_may_take_two_lines(read):
    assert titles(read(f"Stripes Are Enough\nfor Long Videos\n\n{STRIPES}")) == ["Stripes Are Enough for Long Videos"]


def test_numbers_are_no_part_of_titles(read):
    entries = read(
        "\n\n".join(f"{i}. {title}\n\n{text}" for i, (title, text) in enumerate(zip(TITLES, ABSTRACTS, strict=True), 1))
    )

    assert (titles(entries), abstracts(entries)) == (TITLES, ABSTRACTS)


def test_titles_that_all_end_in_a_full_stop_are_titles_too(read):
    entries = read("\n\n".join(f"{title}.\n\n{text}" for title, text in zip(TITLES, ABSTRACTS, strict=True)))

    assert (titles(entries), abstracts(entries)) == ([f"{title}." for title in TITLES], ABSTRACTS)


def test_the_first_line_of_a_wrapped_abstract_is_no_title(read):
    for width in (40, 60, 72, 80, 100):
        wrapped = wrap(STRIPES, width)
        assert read(wrapped) == [Record(abstract=wrapped, where="line 1")]


def test_a_question_that_begins_an_abstract_is_no_title(read):
    text = WEAVING.replace("woven? ", "woven?\n")

    assert abstracts(read(f"{STRIPES}\n\n{text}")) == [STRIPES, text]


@pytest.mark.parametrize("authors", ["Ada Byron, Kurt Gödel, and Emmy Noether", "Ada Byron*, Kurt Gödel†, Emmy Noether*†"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_line_of_names_below_a_title_are_its_authors(read, authors, gap):
    text = f"{TITLES[0]}{gap}{authors}{gap}{STRIPES}\n\n{TITLES[1]}{gap}{authors}{gap}{COFFEE}"

    first, second = read(text)

    assert (first.title, first.abstract, second.title, second.abstract) == (TITLES[0], STRIPES, TITLES[1], COFFEE)
    assert len(first.authors) == 3 == len(second.authors)


def test_title_and_names_may_stand_together_above_a_blank_line(read):
    (record,) = read(f"{TITLES[0]}\nAda Byron, Kurt Gödel\n\n{STRIPES}")

    assert (record.title, record.authors, record.abstract) == (TITLES[0], ("Ada Byron", "Kurt Gödel"), STRIPES)


def test_a_title_with_commas_is_no_list_of_names(read):
    (record,) = read(f"Vision, Language, and Action in one model\n\n{STRIPES}")

    assert (record.title, record.authors) == ("Vision, Language, and Action in one model", ())


# Labels


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("mark", ["{}: {}", "**{}:** {}", "**{}**: {}", "## {}: {}"])
def test_labels_say_what_lines_hold(read, gap, mark):
    labels = {"Title": "Stripes", "Authors": "Ada Byron; Kurt Gödel", "Year": "2026", "Venue": "NeurIPS", "Abstract": STRIPES}
    labels |= {"Keywords": "video, stripes", "URL": "https://example.org/7", "DOI": "10.1/x", "arXiv": "2601.00001"}
    paper = gap.join(mark.format(label, value) for label, value in labels.items())

    first, second = read(f"{paper}\n\n{paper}")

    assert first == Record(
        abstract=STRIPES,
        where="line 5" if gap == "\n" else "line 9",
        id="2601.00001",
        title="Stripes",
        authors=("Ada Byron", "Kurt Gödel"),
        venue="NeurIPS",
        year=2026,
        url="https://example.org/7",
        doi="10.1/x",
        keywords=("video", "stripes"),
    )
    assert second.title == "Stripes"


@pytest.mark.parametrize("label", ["Abstract\n", "ABSTRACT\n\n", "## Abstract\n", "Abstract:\n", "Abstract—", "**Abstract**\n"])
def test_the_label_of_an_abstract_may_stand_alone(read, label):
    entries = read(f"{TITLES[0]}\n\n{label}{STRIPES}\n\n{TITLES[1]}\n\n{label}{COFFEE}")

    assert (titles(entries), abstracts(entries)) == (TITLES[:2], [STRIPES, COFFEE])


def test_where_records_are_labelled_a_loose_paragraph_belongs_to_the_one_above(read):
    entries = read(f"Title: A\nAbstract: {STRIPES}\n\n{COFFEE}\n\nTitle: B\nAbstract: {WEAVING}")

    assert abstracts(entries) == [f"{STRIPES}\n\n{COFFEE}", WEAVING]


def test_a_label_that_is_there_already_begins_the_next_record(read):
    entries = read(f"Year: 2024\nAbstract: {STRIPES}\nYear: 2025\nAbstract: {COFFEE}")

    assert [(entry.year, entry.abstract) for entry in entries] == [(2024, STRIPES), (2025, COFFEE)]


def test_labels_without_an_abstract_are_skipped_with_their_title(read):
    assert skipped(read(f"Title: A\nYear: 2026\n\nTitle: B\nAbstract: {STRIPES}")) == [("line 1", "no abstract", "A")]


def test_keywords_below_an_unlabelled_abstract_belong_to_it(read):
    first, second = read(f"{STRIPES}\nKeywords: video\n\n{COFFEE}\n\nKeywords: coffee; theses\n\nhttps://example.org/9")

    assert (first.abstract, first.keywords) == (STRIPES, ("video",))
    assert (second.abstract, second.keywords, second.url) == (COFFEE, ("coffee", "theses"), "https://example.org/9")


def test_words_that_look_like_labels_inside_a_sentence_are_text(read):
    text = "We survey every\nlink: short ones, and long ones.\nAbstract interpretation helps, and so does the title of a paper."

    assert abstracts(read(f"{text}\n\n{STRIPES}")) == [text, STRIPES]


def test_an_abstract_without_a_label_below_labels_is_text(read):
    wrapped = wrap(STRIPES)

    first, second = read(f"Title: A\nAuthors: Ada Byron,\n  Kurt Gödel\n{wrapped}\n\nTitle: B\n\n{COFFEE}")

    assert (first.title, first.authors, first.abstract, first.where) == ("A", ("Ada Byron", "Kurt Gödel"), wrapped, "line 4")
    assert (second.title, second.abstract) == ("B", COFFEE)


# Lists


@pytest.mark.parametrize("mark", ["{}. ", "{}) ", "({}) ", "[{}] ", "- ", "* ", "• ", "•", "– ", "  - ", " {}. "])
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n"])
@pytest.mark.parametrize("width", [72, 10_000])
def test_the_items_of_a_list_are_abstracts(read, mark, gap, width):
    texts = [wrap(text, width) for text in (STRIPES, COFFEE, WEAVING, *ABSTRACTS * 3)]

    entries = read(gap.join(mark.format(i) + text for i, text in enumerate(texts, 1)))

    assert abstracts(entries) == texts
    assert entries[0].where == "line 1"


def test_a_list_may_have_a_heading_right_above_it(read):
    entries = read("NeurIPS 2026 Papers\n" + "\n".join(f"{i}. {text}" for i, text in enumerate(ABSTRACTS, 1)))

    assert abstracts(entries) == ABSTRACTS
    assert skipped(entries) == [("line 1", "heading", "NeurIPS 2026 Papers")]


def test_the_items_of_a_list_may_have_titles(read):
    entries = read("\n".join(f"{i}. {title}\n{text}" for i, (title, text) in enumerate(zip(TITLES, ABSTRACTS, strict=True), 1)))

    assert (titles(entries), abstracts(entries)) == (TITLES, ABSTRACTS)


def test_an_indented_paragraph_belongs_to_its_item(read):
    entries = read(f"1. {STRIPES}\n\n   {COFFEE}\n\n2. {WEAVING}")

    assert abstracts(entries) == [f"{STRIPES}\n\n   {COFFEE}", WEAVING]


def test_a_list_inside_an_abstract_is_part_of_it(read):
    inner = (
        STRIPES
        + "\nWe make two contributions:\n- a proof that it is so, as far as we can see, and\n- its program.\n  1. x\n  2. y"
    )

    assert abstracts(read(f"{inner}\n\n{COFFEE}")) == [inner, COFFEE]
    assert abstracts(read(f"1. {inner}\n2. {COFFEE}")) == [inner, COFFEE]


def test_a_wrapped_line_that_begins_with_a_dash_or_a_number_is_no_item(read):
    text = "- Stripes are enough, as we show for the\n- frankly few - videos of the year\n2016. That holds\n2. for all of them."

    assert abstracts(read(text)) == [text]


def test_bold_and_emphasis_at_the_beginning_are_no_bullets(read):
    texts = ["**Stripes** " + STRIPES, COFFEE, "*Weaving* " + WEAVING]

    assert abstracts(read("\n\n".join(texts))) == texts
    assert abstracts(read("\n".join(f"* {text}" for text in texts))) == texts


# Structured abstracts


STRUCTURED = [
    "Background: " + STRIPES,
    "Methods: " + COFFEE,
    "Results: None.",
    "CONCLUSIONS We found that weaving holds for all of them.",
]


def test_the_parts_of_a_structured_abstract_are_joined(read):
    text = "\n \n".join(STRUCTURED)

    assert abstracts(read(f"{text}\n\n{text}\n\n{WEAVING}")) == [text, text, WEAVING]


def test_markdown_and_titles_do_not_keep_parts_apart(read):
    text = f"**Objective:** {STRIPES}\n\n**Methods:** {COFFEE}\n\n**Results.** {WEAVING}"

    entries = read(f"{TITLES[0]}\n\n{text}\n\n{TITLES[1]}\n\n{text}")

    assert (titles(entries), abstracts(entries)) == (TITLES[:2], [text, text])


def test_a_whole_structured_abstract_is_no_part_of_the_one_above(read):
    texts = [" ".join(STRUCTURED), "OBJECTIVE To weave. METHODS We wove. RESULTS It held. CONCLUSIONS Weave."]

    assert abstracts(read("\n\n".join(texts))) == texts
    assert abstracts(read("\n\n".join([WEAVING, texts[1]]))) == [WEAVING, texts[1]]


# Anything


SENTENCE = st.lists(st.from_regex(r"[a-z]{2,9}", fullmatch=True), min_size=8, max_size=30).map(
    lambda words: " ".join(words).capitalize() + "."
)
ABSTRACT = st.lists(SENTENCE, min_size=2, max_size=5).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(ABSTRACT, min_size=1, max_size=6),
    st.sampled_from([50, 72, 80, 10_000]),
    st.sampled_from(["\n\n", "\n \n", "\n\n\n"]),
)
def test_abstracts_joined_by_blank_lines_come_back_exactly(read, texts, width, gap):
    wrapped = [wrap(text, width) for text in texts]

    assert abstracts(read(gap.join(wrapped))) == wrapped


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(
    st.text(
        st.sampled_from("ab A.,:\n\n\r\t-*#1)[•é我\u2028") | st.characters(exclude_categories=["Cs", "Cc"]),
        max_size=200,
    )
)
def test_any_text_is_read_and_no_abstract_is_invented(tmp_path, text):
    path = tmp_path / "any.txt"
    path.write_bytes(b"We:\n" + text.encode())

    for entry in open_source(str(path), format="text").entries:
        assert entry.where.startswith("line ")
        assert (entry.abstract if isinstance(entry, Record) else entry.text) in "We:\n" + text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [STRIPES, COFFEE, WEAVING, TITLES[0], "Title: A", "Abstract:", "Methods: We wove.", "- x", "1. y", "", " "]
        )
    )
)
def test_no_line_of_any_mixture_is_lost_or_doubled(read, lines):
    entries = read("\n".join(lines))

    for text in ABSTRACTS:
        assert sum(
            (entry.abstract if isinstance(entry, Record) else entry.text).count(text[:60]) for entry in entries
        ) <= lines.count(text)
        if text in lines:
            assert any(text in abstract for abstract in abstracts(entries))


# The real paste


def test_the_sample_of_neurips_2026_is_read_to_the_letter():
    corpus, golden = SHARED / "corpora" / "neurips-2026-sample.txt", SHARED / "golden" / "papers.json"
    if not corpus.exists() or not golden.exists():
        pytest.skip(f"{SHARED} is not here")

    heading, *records = open_source(str(corpus)).entries

    assert heading == Skipped("line 1", "heading", "NeurIPS 2026 Papers")
    assert abstracts(records) == corpus.read_text(encoding="utf-8").strip().split("\n\n")[1:]
    assert titles(records) == [None] * 19
    assert {entry["sha256"] for entry in json.loads(golden.read_text(encoding="utf-8")).values()} == {
        hashlib.sha256(record.abstract.encode()).hexdigest() for record in records
    }
    assert [record.abstract[-17:] for record in records if record.flags] == ["at the expense of"]


@pytest.mark.parametrize("name", ["latex", "markup", "whitespace", "non_english", "prompt_injection", "extremely_long"])
def test_hard_abstracts_are_read_to_the_letter(name):
    path = SHARED / "hard" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{SHARED} is not here")

    expected = [json.loads(line)["text"].strip() for line in path.read_text(encoding="utf-8").split("\n") if line]

    assert abstracts(open_source(str(path)).entries) == expected


def test_a_numbered_list_may_lack_items(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(
        "\n".join(f"{number}. {text}" for number, text in zip((1, 2, 4, 7), (STRIPES, COFFEE, WEAVING, STRIPES), strict=True))
    )

    found = list(open_source(str(path)).entries)

    assert [entry.abstract for entry in found] == [STRIPES, COFFEE, WEAVING, STRIPES]
