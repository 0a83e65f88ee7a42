"""The measuring stick: collections as they are read, nDCG@10 with ties, means with their errors, tables."""

from __future__ import annotations

import gzip
import json
import math

import pytest

from evals.benchmarks import Collection, load_collection, markdown, mean, ndcg_at_10, open_library
from store.errors import SourceError


def collection(judgements, tmp_path):
    return Collection("toy", tmp_path, {query: query for query in judgements}, judgements)


@pytest.fixture
def folder(tmp_path):
    """A collection of two papers, two sets of queries and one query that nothing is known of."""
    made = tmp_path / "ponds"
    made.mkdir()
    papers = [
        {"_id": "a", "title": "Ponds", "text": "Ponds freeze late."},
        {"_id": "b", "title": "", "text": "Owls hunt at night."},
    ]
    with gzip.open(made / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(paper) + "\n" for paper in papers)
    (made / "queries_dev.jsonl").write_text('{"_id": "1", "text": "ice"}\n{"_id": "3", "text": "ghosts"}\n')
    (made / "queries_train.jsonl").write_text('{"_id": "2", "text": "owls"}\n')
    (made / "qrels_dev.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t3\n")
    (made / "qrels_train.tsv").write_text("query-id\tcorpus-id\tscore\n2\tb\t1\n2\tgone\t1\n")
    return made


def test_a_collection_keeps_every_query_and_every_judgement(folder):
    read = load_collection(folder)

    assert read.name == "ponds"
    assert read.queries == {"1": "ice", "3": "ghosts", "2": "owls"}
    assert read.judgements == {"1": {"a": 3}, "2": {"b": 1, "gone": 1}, "3": {}}


def test_a_collection_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SourceError, match="no collection at .*ponds.*--benchmarks"):
        load_collection(tmp_path / "ponds")


def test_a_missing_library_is_made_and_an_existing_one_is_opened(folder, tmp_path, capsys):
    made = open_library(folder / "corpus.jsonl.gz", tmp_path / "library")
    generation = made.catalogue.generation
    made.close()
    opened = open_library(folder / "corpus.jsonl.gz", tmp_path / "library")

    assert sorted(opened.catalogue.contents()) == ["a", "b"]
    assert opened.catalogue.generation == generation
    assert "2 of 2 papers embedded" in capsys.readouterr().err


def test_ndcg_by_hand(tmp_path):
    pytest.importorskip("ir_measures", reason="the evals extra is not installed")
    toy = collection({"q": {"best": 3, "good": 1, "never found": 2, "harmful": -1}}, tmp_path)

    found = ndcg_at_10(toy, {"q": ["good", "harmful", "best"]})

    ideal = 3 + 2 / math.log2(3) + 1 / math.log2(4)
    assert found == {"q": pytest.approx((1 + 3 / math.log2(4)) / ideal)}


def test_only_ten_papers_count(tmp_path):
    pytest.importorskip("ir_measures", reason="the evals extra is not installed")
    toy = collection({"tenth": {"right": 1}, "eleventh": {"right": 1}}, tmp_path)
    wrong = [f"wrong {number}" for number in range(10)]

    found = ndcg_at_10(toy, {"tenth": [*wrong[:9], "right"], "eleventh": [*wrong, "right"]})

    assert found == {"tenth": pytest.approx(1 / math.log2(11)), "eleventh": 0.0}


def test_the_order_given_is_the_order_measured(tmp_path):
    """trec_eval breaks ties of scores by id, backwards: with equal scores "z" would stand first whatever we show."""
    pytest.importorskip("ir_measures", reason="the evals extra is not installed")
    toy = collection({"q": {"a": 1}}, tmp_path)

    assert ndcg_at_10(toy, {"q": ["a", "z"]}) == {"q": 1.0}
    assert ndcg_at_10(toy, {"q": ["z", "a"]}) == {"q": pytest.approx(1 / math.log2(3))}


def test_a_query_without_a_ranking_or_without_judgements_counts_as_nothing_found(tmp_path):
    pytest.importorskip("ir_measures", reason="the evals extra is not installed")
    toy = collection({"found": {"a": 1}, "missing": {"a": 1}, "empty": {"a": 1}, "unjudged": {}}, tmp_path)

    found = ndcg_at_10(toy, {"found": ["a"], "empty": [], "unjudged": ["a"]})

    assert found == {"found": 1.0, "missing": 0.0, "empty": 0.0, "unjudged": 0.0}


def test_a_mean_and_its_error():
    found = mean([0.0, 1.0, 1.0, 0.0])

    assert found.value == 0.5
    assert found.error == pytest.approx(math.sqrt(1 / 3 / 4))
    assert mean([0.7]).error == 0.0


def test_a_table():
    assert markdown(["what", "figure"], [["speed", "3"]]) == "| what | figure |\n| --- | ---: |\n| speed | 3 |\n"
