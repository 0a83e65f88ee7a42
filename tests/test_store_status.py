"""Status and receipts: what a library holds and what an addition did, in figures that add up."""

from __future__ import annotations

import json

from store.library import sync_index
from store.papers import Skipped
from store.receipts import EmbeddingReceipt, Receipt, SourceReceipt
from store.status import library_status


def test_the_status_of_the_six_papers(library):
    status = library_status(library)

    assert (status["papers"], status["chunks"], status["flags"]) == (6, 6, {"title_inferred": 6, "cut_off": 1})
    assert status["fields"] == ["id", "title", "source", "flag"]
    assert status["embedding"] == {"name": "local-minilm", "dimensions": 384}
    assert [(a["added"], a["embedding"]["embedded"]) for a in status["additions"]] == [(6, 6)]
    assert status["generation"] >= 1
    assert status["bytes"] > 50_000
    json.dumps(status)


def test_the_status_says_which_search_answers(paste, tmp_path):
    from store.library import Library, Place, plan

    place = Place(folder=tmp_path)
    list(plan(place, [str(paste)]).carry_out())
    library = Library.open(place)
    assert library_status(library)["search"] == {"one_shot": "exact", "long_lived": "exact"}
    assert library_status(library)["index"] == {"kind": "chroma", "current": False}

    assert sync_index(place) is None

    assert library_status(library)["search"] == {"one_shot": "exact", "long_lived": "chroma"}
    assert library_status(library)["index"] == {"kind": "chroma", "current": True}
    library.close()


def test_an_empty_library_has_a_status(tmp_path):
    from store.library import Library, Place

    library = Library.open(Place(folder=tmp_path), create=True)
    status = library_status(library)

    assert (status["papers"], status["chunks"], status["flags"], status["fields"], status["additions"]) == (0, 0, {}, [], [])
    assert status["embedding"] == {"name": "local-minilm", "dimensions": None}
    library.close()


def test_a_receipt_counts_usable_records_over_its_sources():
    receipt = Receipt("library", False, EmbeddingReceipt("local-minilm"))
    receipt.sources += [SourceReceipt("a", "text", None, records=3, usable=2), SourceReceipt("b", "csv", 9, records=9, usable=9)]
    receipt.sources[0].skipped.append(Skipped("line 1", "heading", "Papers"))

    assert receipt.usable == 11
    assert receipt.to_json()["sources"][0] == {
        "name": "a", "format": "text", "declared": None, "records": 3, "usable": 2,
        "skipped": [{"where": "line 1", "reason": "heading", "text": "Papers"}],
    }  # fmt: skip
