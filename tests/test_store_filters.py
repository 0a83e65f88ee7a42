"""Filters: every operator over every kind of field, in any script, and nothing a value can do to the catalogue."""

from __future__ import annotations

import pytest
from test_store_catalogue import entry

from store.catalogue import Catalogue
from store.errors import UsageError
from store.filters import fields, filtered_rows
from store.papers import Paper

PAPERS = [
    {"authors": ("Ada Smith", "Bo Müller"), "venue": "NeurIPS", "year": 2025, "keywords": ("diffusion", "100% recall")},
    {"authors": ("Smithson, C.",), "venue": "neurips", "year": 2024, "keywords": ("graphs", "a_b")},
    {"authors": ("Ольга Ким",), "venue": "ICLR", "flags": ("cut_off",)},
    {"year": 2026, "url": "https://x.org/a?b=c", "title": "Cafe\u0301 = good"},
]


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    opened = Catalogue.open(tmp_path_factory.mktemp("filters") / "catalogue.sqlite3", create=True)
    with opened.writing():
        opened.put(
            entry(Paper(**{"id": f"p{n}", "title": f"T{n}", "abstract": "Text."} | values)) for n, values in enumerate(PAPERS, 1)
        )
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        (["year>=2025"], [1, 4]),
        (["year>2025"], [4]),
        (["year<=2024"], [2]),
        (["year<2024"], []),
        (["year=2025"], [1]),
        (["year!=2025"], [2, 3, 4]),
        (["  year  >=  2025  "], [1, 4]),
        (["YEAR>=2025"], [1, 4]),
        (["venue=NeurIPS"], [1, 2]),
        (["venue!=NeurIPS"], [3, 4]),
        (["venue=Neur"], []),
        (["venue~Neur"], [1, 2]),
        (["author~smith"], [1, 2]),
        (["authors=ada smith"], [1]),
        (["author=smith"], []),
        (["author!=Ada Smith"], [2, 3, 4]),
        (["author~MÜLLER"], [1]),
        (["author~Mu\u0308ller"], [1]),
        (["author~КИМ"], [3]),
        (["title~CAFÉ"], [4]),
        (["title=café = good"], [4]),
        (["keyword=diffusion"], [1]),
        (["keyword~%"], [1]),
        (["keyword~0%"], [1]),
        (["keyword~_"], [2]),
        (["keyword=a_b"], [2]),
        (["keyword=a%"], []),
        (["venue~%"], []),
        (["flag=cut_off"], [3]),
        (["id=P2"], [2]),
        (["url~?b="], [4]),
        (["venue="], [4]),
        (["venue=neurips", "year>=2025"], [1]),
        (["venue=neurips", "venue=ICLR"], []),
        (["venue='; DROP TABLE papers; --"], []),
        (["venue=x' OR '1'='1"], []),
        (['venue~" OR 1=1'], []),
        (["venue~\\"], []),
        (["venue~\ud800"], []),
        (["venue~\x00"], []),
    ],
)
def test_a_filter_finds_just_the_papers_that_meet_it(catalogue, filters, rows):
    assert filtered_rows(catalogue, filters) == rows
    assert len(catalogue) == 4


def test_no_filter_is_no_restriction(catalogue):
    assert filtered_rows(catalogue, []) is None


def test_the_fields_are_those_that_a_paper_has(catalogue):
    assert fields(catalogue) == ["id", "title", "author", "venue", "year", "url", "keyword", "flag"]


@pytest.mark.parametrize("text", ["doi=10.1/x", "decision=oral", "row>=1", "abstract~x", "papers=1", "content=x"])
def test_a_field_that_no_paper_has_is_an_error_that_lists_the_fields(catalogue, text):
    with pytest.raises(UsageError, match="Fields to filter by: id, title, author, venue, year, url, keyword, flag") as raised:
        filtered_rows(catalogue, [text])
    assert raised.value.exit_code == 2


def test_a_library_without_papers_has_no_fields(tmp_path):
    catalogue = Catalogue.open(tmp_path / "catalogue.sqlite3", create=True)

    with pytest.raises(UsageError, match="Fields to filter by: none, there are no papers"):
        filtered_rows(catalogue, ["year>=2025"])
    catalogue.close()


@pytest.mark.parametrize("text", ["", "year", "=2025", "year;DROP>=1", "ye ar>=1", "1=1", "venue"])
def test_what_is_no_filter_is_told_with_examples(catalogue, text):
    with pytest.raises(UsageError, match="cannot be read. Write it like 'year>=2025'"):
        filtered_rows(catalogue, [text])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("year>=soon", "needs a year"),
        ("year=", "needs a year"),
        ("year>=20255", "needs a year"),
        ("year=2025 OR 1=1", "needs a year"),
        ("year~20", "Only the year can be compared"),
        ("venue>=A", "Only the year can be compared"),
        ("author<B", "Only the year can be compared"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_told(catalogue, text, says):
    with pytest.raises(UsageError, match=says):
        filtered_rows(catalogue, [text])
