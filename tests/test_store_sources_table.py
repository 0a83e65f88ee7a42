"""Tables read: delimiters, headers, quoted cells, rows that are wrong."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.errors import SourceError
from store.papers import Record, Skipped
from store.sources import open_source

TEXT = "We weave graphs from threads of evidence and show that they hold."


def open_text(tmp_path, text, *, format=None, name="papers.data"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_source(str(path), format=format)


def read(tmp_path, text, **options):
    return list(open_text(tmp_path, text, **options).entries)


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_delimiter_is_found_and_the_header_is_row_one(tmp_path, delimiter, ending):
    rows = [["Title", "Publication Year", "ABSTRACT"], ["A", "2024", TEXT], ["B", "", TEXT]]

    source = open_text(tmp_path, ending.join(delimiter.join(row) for row in rows) + ending)

    assert source.format == "csv"
    assert list(source.entries) == [
        Record(abstract=TEXT, where="row 2", title="A", year=2024),
        Record(abstract=TEXT, where="row 3", title="B"),
    ]


def test_headers_go_by_many_names(tmp_path):
    header = "Paper Title,Author Names,Source Title,Link,DOI,Author Keywords,Paper_ID,Decision,Track,Summary"
    row = f'Weaving,"Byron, A.; Gödel, K.",Acta,https://example.org/7,10.1/x,graphs; cuts,17,Oral,main,"{TEXT}"'

    assert read(tmp_path, f"{header}\n{row}\n") == [
        Record(
            abstract=TEXT,
            where="row 2",
            id="17",
            title="Weaving",
            authors=("Byron, A.", "Gödel, K."),
            venue="Acta",
            url="https://example.org/7",
            doi="10.1/x",
            keywords=("graphs", "cuts"),
            decision="Oral",
            track="main",
        )
    ]


def test_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path):
    entries = read(tmp_path, f"\n\ufefftitle,abstract\n\nA,{TEXT}\n,\n".replace("\n\ufeff", "\ufeff"))

    assert entries == [Record(abstract=TEXT, where="row 3", title="A")]


def test_a_quoted_cell_keeps_its_lines_quotes_and_delimiters(tmp_path):
    text = 'We "weave", at last:\r\n\tgraphs;\n\nand they hold.'
    quoted = text.replace('"', '""')

    (first, second) = read(tmp_path, f'title,abstract\nA,"{quoted}"\nB,{TEXT}\n')

    assert (first.abstract, second.where) == (text, "row 3")


def test_a_space_before_a_quote_is_no_part_of_the_cell(tmp_path):
    assert read(tmp_path, f'title, abstract\n"A", "{TEXT}"\n')[0].abstract == TEXT


def test_a_long_cell_is_read(tmp_path):
    text = ("word and " * 20_000).strip()

    assert [entry.abstract for entry in read(tmp_path, f'title,abstract\nA,"{text}"\n')] == [text]


def test_a_quote_that_is_never_closed_swallows_a_bounded_part(tmp_path):
    rows = "".join(f"T{i},{TEXT}\n" for i in range(40_000))

    entries = read(tmp_path, f'title,abstract\nA,"We show.\n{rows}', format="csv")

    assert entries[0].reason == "too long"
    assert isinstance(entries[-1], Record)


def test_an_unquoted_delimiter_in_a_last_abstract_is_healed(tmp_path):
    entries = read(tmp_path, "title,abstract\nA,We weave, and weave,, graphs from threads.\n", format="csv")

    assert [entry.abstract for entry in entries] == ["We weave, and weave,, graphs from threads."]


def test_a_row_that_is_too_wide_elsewhere_is_skipped(tmp_path):
    row = f"{TEXT},A,B"

    assert read(tmp_path, f"abstract,title\n{TEXT},A\n{row}\n")[1] == Skipped("row 3", "not a record", row)


def test_a_row_that_is_too_narrow_lacks_its_last_values(tmp_path):
    entries = read(tmp_path, f"abstract,title,venue\n{TEXT},A,X\n{TEXT}\nB;C\n,D\n")

    assert [getattr(entry, "title", entry) for entry in entries] == ["A", None, None, Skipped("row 5", "no abstract", "D")]


def test_empty_cells_at_the_end_of_a_row_do_not_make_it_wide(tmp_path):
    assert read(tmp_path, f"abstract,title\n{TEXT},A,,\n")[0].title == "A"


def test_of_two_columns_with_one_name_the_first_counts(tmp_path):
    assert read(tmp_path, f"title,Title,abstract\nA,B,{TEXT}\n")[0].title == "A"


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    source = open_text(tmp_path, "title,abstract\n")

    assert (source.format, list(source.entries)) == ("csv", [])


def test_quoted_cells_make_one_column_a_table(tmp_path):
    assert [entry.abstract for entry in read(tmp_path, f'Abstract\n"{TEXT}"\n"{TEXT}"\n')] == [TEXT, TEXT]


def test_prose_with_commas_is_no_table(tmp_path):
    text = f"Title, abstract and text are what we weave.\n{TEXT}\n"

    assert open_text(tmp_path, text).format == "text"


def test_a_table_without_abstracts_is_refused_with_the_names_that_are_known(tmp_path):
    with pytest.raises(SourceError, match="no column of abstracts. Name one of its columns abstract, "):
        open_text(tmp_path, "title,year\nA,2024\n", format="csv")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\r\n\t\x0b\x85"), min_size=1).filter(
            str.strip
        ),
        min_size=1,
        max_size=4,
    )
)
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_any_abstracts_that_python_writes_come_back_exactly(tmp_path, delimiter, texts):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(
        [["title", "abstract"], *(["A", text] for text in texts)]
    )

    entries = read(tmp_path, buffer.getvalue(), format="csv")

    assert [entry.abstract for entry in entries] == [text.strip() for text in texts]
