"""Loose values made records, whatever a source calls them and however it writes lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.papers import Record, Skipped
from store.sources.fields import MAX_ABSTRACT, fold_name, make_record, parse_year, split_keywords
from store.sources.people import split_authors

TEXT = "We weave graphs from threads of evidence and show that they hold."


def make(**values):
    return make_record({"abstract": TEXT, **values}, where="line 1")


@pytest.mark.parametrize(
    "name", ["Publication Year", "publication_year", "publicationYear", "PUBLICATION-YEAR", " Publication  year "]
)
def test_a_name_is_folded(name):
    assert fold_name(name) == "publicationyear"


@pytest.mark.parametrize(
    "name", ["abstract", "Abstract", "ABSTRACT", "summary", "text", "Abstract Note", "abstract_text", "Paper Abstract"]
)
def test_an_abstract_has_many_names(name):
    assert make_record({name: f"  {TEXT}\n"}, where="line 1") == Record(abstract=TEXT, where="line 1")


def test_the_best_name_wins_and_blank_values_do_not_count():
    assert make_record({"text": "The other text.", "abstract": TEXT}, where="").abstract == TEXT
    assert make_record({"text": TEXT, "abstract": " \n"}, where="").abstract == TEXT
    assert make_record({"text": TEXT, "abstract": None}, where="").abstract == TEXT


@pytest.mark.parametrize("value", [None, "", " \n", 7, 1.5, True, ["We show."], {"value": TEXT}])
def test_what_is_no_text_is_no_abstract(value):
    assert make_record({"abstract": value, "title": "A Title"}, where="row 2") == Skipped("row 2", "no abstract", "A Title")


def test_an_abstract_is_kept_exactly():
    text = "Let $x^2$ be \\emph{odd}.\r\n\tThen   it\u2028is\x0b so.\n\nAnd “quoted”."

    assert make_record({"abstract": f"\n {text} \n"}, where="").abstract == text


def test_an_abstract_may_be_long_but_not_without_end():
    assert isinstance(make(abstract="x" * MAX_ABSTRACT), Record)
    assert make(abstract="x" * (MAX_ABSTRACT + 1)) == Skipped("line 1", "too long", "x" * 200)


def test_a_cut_off_abstract_is_flagged():
    assert make(abstract="It comes at the expense of").flags == ("cut_off",)
    assert make().flags == ()


def test_all_fields_are_found():
    record = make(
        _id=17,
        Title=" Weaving ",
        Author="Ada Byron; Kurt Gödel",
        Journal="Acta",
        Published="2024-05-01",
        Link="https://example.org/7",
        DOI="10.1/x",
        Tags=["graphs", "threads"],
        Status="Oral",
        track="main",
    )

    assert record == Record(
        abstract=TEXT,
        where="line 1",
        id="17",
        title="Weaving",
        authors=("Ada Byron", "Kurt Gödel"),
        venue="Acta",
        year=2024,
        url="https://example.org/7",
        doi="10.1/x",
        keywords=("graphs", "threads"),
        decision="Oral",
        track="main",
    )


def test_metadata_fills_what_is_missing_beside_it():
    record = make(title="A", metadata={"title": "B", "authors": ["Ada Byron"], "venue": "NeurIPS", "year": 2026})

    assert (record.title, record.authors, record.venue, record.year) == ("A", ("Ada Byron",), "NeurIPS", 2026)
    assert make(metadata="none").abstract == TEXT


def test_an_address_has_no_spaces():
    assert make(url="see the site", link="example.org/7").url == "example.org/7"


def test_lone_surrogates_become_replacement_characters():
    record = make(abstract="We show \ud800 that\udfff it holds.", title="\ud83d", authors=["Ada \udc00"])

    assert record.abstract == "We show \ufffd that\ufffd it holds."
    assert (record.title, record.authors) == ("\ufffd", ("Ada \ufffd",))


@pytest.mark.parametrize(
    ("value", "year"),
    [(2024, 2024), (2024.0, 2024), ("2024", 2024), ("May 2024", 2024), ("2024-05-01T10:00", 2024), (1000, 1000), (2999, 2999)]
    + [(value, None) for value in (None, "", 999, 3000, "n.d.", 20245, True, [2024], 1715802154333)],
)
def test_a_year_has_four_digits(value, year):
    assert parse_year(value) == year


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("graphs; flows, cuts", ("graphs", "flows, cuts")),
        ("graphs, flows", ("graphs", "flows")),
        (["graphs", " flows ", "", "graphs"], ("graphs", "flows")),
        ([{"name": "graphs"}, {"keyword": "flows"}], ("graphs", "flows")),
        ("['graphs', 'flows']", ("graphs", "flows")),
        ("", ()),
        (None, ()),
        ({}, ()),
    ],
)
def test_keywords_are_split(value, words):
    assert split_keywords(value) == words


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["Ada Byron", " Kurt Gödel "], ("Ada Byron", "Kurt Gödel")),
        ([{"name": "Ada Byron"}, {"fullname": "Kurt Gödel", "id": 3}], ("Ada Byron", "Kurt Gödel")),
        ([{"given": "Ada", "family": "Byron"}, {"last": "Gödel"}, {}, None, 4], ("Ada Byron", "Gödel")),
        ("Ada Byron; Kurt Gödel;", ("Ada Byron", "Kurt Gödel")),
        ("Byron, Ada; Gödel, Kurt", ("Byron, Ada", "Gödel, Kurt")),
        ("Byron, Ada and Gödel, Kurt", ("Byron, Ada", "Gödel, Kurt")),
        ("Ada Byron and Kurt Gödel", ("Ada Byron", "Kurt Gödel")),
        ("Ada Byron, Kurt Gödel", ("Ada Byron", "Kurt Gödel")),
        ("Ada Byron, Kurt Gödel, and Emmy Noether", ("Ada Byron", "Kurt Gödel", "Emmy Noether")),
        ("Ada Byron,&nbsp;Kurt Gödel", ("Ada Byron", "Kurt Gödel")),
        ("['Ada Byron', \"Miles O'Brien\"]", ("Ada Byron", "Miles O'Brien")),
        ("[Ada Byron, Kurt Gödel]", ("Ada Byron", "Kurt Gödel")),
        ("van Dyk, David A.", ("van Dyk, David A.",)),
        ("Friedman, M. D.", ("Friedman, M. D.",)),
        ("Ferdinand Anderson", ("Ferdinand Anderson",)),
        ("", ()),
        (None, ()),
        (12, ()),
    ],
)
def test_authors_are_split(value, names):
    assert split_authors(value) == names


@given(st.text())
def test_no_author_list_fails_or_has_blank_names(text):
    assert all(name.strip() for name in split_authors(text))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
)


@given(
    st.dictionaries(st.sampled_from(["abstract", "text", "title", "authors", "year", "url", "keywords", "id", "metadata"]), JSON)
)
def test_any_values_give_a_record_or_a_reason(values):
    entry = make_record(values, where="line 1")

    if isinstance(entry, Record):
        assert entry.abstract == entry.abstract.strip() != ""
        entry.abstract.encode()
    else:
        assert entry.reason in ("no abstract", "too long")
