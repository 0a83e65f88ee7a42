"""When a sentence of ours counts as a rationale, and at what rank the first one stands."""

from __future__ import annotations

import gzip
import json

import pytest

from evals.scifact_evidence import Claim, is_rationale, load_claims, measure, report, settings
from store.sentences import Span


@pytest.mark.parametrize(
    ("ours", "counts"),
    [
        (Span(10, 20), True),  # the same
        (Span(12, 18), True),  # within
        (Span(0, 21), False),  # ten of twenty-one characters
        (Span(0, 20), False),  # just half
        (Span(1, 20), True),  # just more
        (Span(20, 30), False),  # beside
    ],
)
def test_more_than_half_of_our_sentence_must_lie_in_a_rationale(ours, counts):
    assert is_rationale(ours, [Span(40, 50), Span(10, 20)]) is counts


def test_two_rationales_do_not_add_up():
    assert not is_rationale(Span(0, 20), [Span(0, 8), Span(12, 20)])
    assert not is_rationale(Span(0, 20), [])


def test_claims_without_evidence_are_left_out(tmp_path):
    paper = {"_id": "p", "text": "Ice melts. Owls hunt.", "metadata": {"sentence_offsets": [[0, 10], [11, 21]]}}
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(paper) + "\n")
    evidence = {"p": [{"label": "SUPPORT", "sentences": [1]}, {"label": "SUPPORT", "sentences": [1, 0]}]}
    claims = [{"claim": "Owls hunt at night.", "evidence": evidence}, {"claim": "Moss is red.", "evidence": {}}]
    (tmp_path / "claims_train.jsonl").write_text("".join(json.dumps(claim) + "\n" for claim in claims))

    assert load_claims(tmp_path) == [Claim("Owls hunt at night.", {"p": [Span(0, 10), Span(11, 21)]})]


def test_the_rank_of_the_first_rationale(library):
    paper = next(p for p in library.catalogue.papers(library.catalogue.rows()).values() if "RainNet" in p.abstract)
    start = paper.abstract.index("RainNet halves")
    known = Claim("RainNet halves the error of linear interpolation.", {paper.id: [Span(start, start + 50)]})
    unknown = Claim(known.text, {"another paper": [Span(0, 10)]})

    ranks = measure(library, [known, unknown])

    assert set(ranks) == set(settings())
    assert ranks["all (the product's)"] == [1, None]


def test_each_weight_is_left_out_once():
    every = settings()

    assert every["cosine alone"] != every["all (the product's)"]
    assert sum(name.startswith("all but ") for name in every) == len(every["cosine alone"].__slots__)


def test_the_table_counts_a_rank_within_each_limit():
    lines = report({"mine": [1, 3, 5, None]}).splitlines()

    assert lines[2].startswith("| mine | 0.250 | 0.500 | 0.750 | 0.289 |")
