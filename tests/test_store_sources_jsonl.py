"""JSON read: line by line, as a document, and what becomes of what is wrong in it."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.errors import SourceError
from store.papers import Record, Skipped
from store.sources import document, open_source

TEXT = "We weave graphs from threads of evidence and show that they hold."


def open_text(tmp_path, text, *, format=None, name="papers.data"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_source(str(path), format=format)


def lines_of(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def test_beir_lines_are_records(tmp_path):
    paper = {"_id": "p1", "title": "Weaving", "text": TEXT, "metadata": {"authors": ["Ada Byron"], "venue": "X", "year": 2026}}

    source = open_text(tmp_path, gzip.compress(lines_of(paper, {**paper, "_id": "p2"}).encode()), name="corpus.jsonl.gz")

    assert (source.format, source.declared) == ("jsonl", None)
    first, second = source.entries
    assert first == Record(abstract=TEXT, where="line 1", id="p1", title="Weaving", authors=("Ada Byron",), venue="X", year=2026)
    assert (second.id, second.where) == ("p2", "line 2")


def test_a_bad_line_is_skipped_and_reading_goes_on(tmp_path):
    bad = ['{"abstract": "cut', "[1, 2]", '"text"', "7", "no JSON at all", '{"a":1}{"b":2}']
    text = lines_of({"abstract": TEXT}) + "".join(f"{line}\n" for line in bad) + "\n \n" + lines_of({"abstract": TEXT})

    entries = list(open_text(tmp_path, text).entries)

    assert entries[1:-1] == [Skipped(f"line {i}", "not a record", line) for i, line in enumerate(bad, start=2)]
    assert entries[-1] == Record(abstract=TEXT, where="line 10")


def test_a_bad_first_line_does_not_change_the_format(tmp_path):
    source = open_text(tmp_path, '{"abstract": "cut\n' + lines_of({"abstract": TEXT}))

    assert source.format == "jsonl"
    assert [type(entry) for entry in source.entries] == [Skipped, Record]


def test_a_line_nested_too_deeply_is_skipped(tmp_path):
    deep = '{"abstract": ' + "[" * 200_000 + "]" * 200_000 + "}\n"

    entries = list(open_text(tmp_path, lines_of({"abstract": TEXT}) + deep + lines_of({"abstract": TEXT})).entries)

    assert [getattr(entry, "reason", None) for entry in entries] == [None, "not a record", None]


def test_a_number_too_long_to_be_read_is_skipped(tmp_path):
    entries = list(open_text(tmp_path, lines_of({"abstract": TEXT}) + '{"id": ' + "9" * 5000 + "}\n").entries)

    assert [getattr(entry, "reason", None) for entry in entries] == [None, "not a record"]


def test_a_line_too_long_is_skipped_and_the_next_is_read(tmp_path):
    text = '{"abstract": "' + "x " * 3_000_000 + '"}\n' + lines_of({"abstract": TEXT})

    source = open_text(tmp_path, text)

    assert source.format == "jsonl"
    assert [getattr(entry, "reason", None) for entry in source.entries] == ["too long", None]


def test_records_without_an_abstract_are_skipped_with_their_title(tmp_path):
    entries = list(open_text(tmp_path, lines_of({"title": "A"}, {"abstract": 5, "title": "B"}, {"id": "c"}, {})).entries)

    assert entries == [Skipped(f"line {i}", "no abstract", text) for i, text in enumerate(("A", "B", "c", ""), start=1)]


def test_not_a_number_is_read(tmp_path):
    (record,) = open_text(tmp_path, f'{{"abstract": "{TEXT}", "score": NaN, "year": Infinity}}\n').entries

    assert (record.abstract, record.year) == (TEXT, None)


def test_escaped_surrogates_are_joined_or_replaced(tmp_path):
    (record,) = open_text(tmp_path, '{"abstract": "We show \\ud83d\\ude00 and \\ud800 in one line."}\n').entries

    assert record.abstract == "We show 😀 and \ufffd in one line."


def test_a_list_is_a_document(tmp_path):
    source = open_text(tmp_path, json.dumps([{"abstract": TEXT}, 7, {"title": "A"}], indent=2))

    assert (source.format, source.declared) == ("json", None)
    assert list(source.entries) == [
        Record(abstract=TEXT, where="record 1"),
        Skipped("record 2", "not a record", "7"),
        Skipped("record 3", "no abstract", "A"),
    ]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("key", ["papers", "results", "notes", "anything"])
def test_an_object_may_wrap_the_list_and_declare_its_length(tmp_path, indent, key):
    source = open_text(tmp_path, json.dumps({"count": 5, "next": None, key: [{"abstract": TEXT, "name": "A"}]}, indent=indent))

    assert (source.format, source.declared) == ("json", 5)
    assert list(source.entries) == [Record(abstract=TEXT, where="record 1", title="A")]


def test_a_list_of_records_is_preferred_to_other_lists(tmp_path):
    source = open_text(tmp_path, json.dumps({"columns": ["a", "b"], "rows": [{"abstract": TEXT}]}))

    assert [entry.abstract for entry in source.entries] == [TEXT]


def test_one_object_is_one_record(tmp_path):
    authors = [{"fullname": "Ada Byron"}]
    for indent in (None, 1):
        (record,) = open_text(tmp_path, json.dumps({"authors": authors, "abstract": TEXT}, indent=indent)).entries
        assert (record.abstract, record.authors) == (TEXT, ("Ada Byron",))


def test_records_by_their_ids_are_read(tmp_path):
    (record,) = open_text(tmp_path, json.dumps({"p7": {"abstract": TEXT}}, indent=1)).entries

    assert (record.id, record.where) == ("p7", "record 1")


@pytest.mark.parametrize("shape", ["lines", "wrapped"])
def test_a_first_line_longer_than_the_head_is_told_apart_by_its_depth(tmp_path, shape):
    paper = {"id": "a", "authors": [{"name": "Ada Byron"}], "abstract": TEXT, "references": ["x" * 70_000]}
    text = lines_of(paper, paper) if shape == "lines" else json.dumps({"papers": [paper, paper]})

    source = open_text(tmp_path, text)

    assert source.format == ("jsonl" if shape == "lines" else "json")
    assert [entry.abstract for entry in source.entries] == [TEXT, TEXT]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"abstract": "We show"', "is not valid JSON .* --format jsonl"),
        ('{"papers": 3,\n "more": {}}', "without a list of records"),
        ("[" + "[" * 200_000, "is not valid JSON|nested too deeply"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused(tmp_path, text, message):
    with pytest.raises(SourceError, match=message):
        open_text(tmp_path, text, format="json")


def test_a_document_too_large_is_refused_with_advice(tmp_path, monkeypatch):
    monkeypatch.setattr(document, "MAX_SIZE", 10)

    with pytest.raises(SourceError, match="Write it as JSON lines"):
        open_text(tmp_path, json.dumps([{"abstract": TEXT}]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_any_abstracts_come_back_exactly(tmp_path, texts):
    for dump in (lambda values: lines_of(*values), json.dumps):
        source = open_text(tmp_path, dump([{"abstract": text} for text in texts]))

        assert [entry.abstract for entry in source.entries] == [text.strip() for text in texts]
