"""Terms: folded and stemmed just as the full-text index does it."""

from __future__ import annotations

import gzip
import json
import math

import pytest
from test_store_catalogue import entry

from store.catalogue import Catalogue
from store.papers import Paper
from store.terms import document_frequencies, idf, query_terms, stem, terms


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    opened = Catalogue.open(tmp_path_factory.mktemp("terms") / "catalogue.sqlite3", create=True)
    yield opened
    opened.close()


def index(catalogue, *texts):
    with catalogue.writing():
        catalogue.remove(catalogue.rows())
        catalogue.put(
            entry(Paper(id=str(number), title="", abstract=text, title_inferred=True)) for number, text in enumerate(texts)
        )
    return {term for (term,) in catalogue.select("SELECT term FROM vocabulary")}


WORDS = (
    "graphs running relational conditional valenci digitizer technology biology ecology methodological methodology analogies "
    "apology logy trilogy geology incredibly possibly assembly assemblies humbly nobly ably bly probable happily agreed feed "
    "plastered motoring sing hopping s is as was ps 5s café NAÏVE Łódź Straße œuvre αβ 字 2.1 C++ snake_case GPT4 être Ünsal "
    "y by sky yes"
)


def test_every_word_has_the_term_of_the_full_text_index(catalogue):
    for word in WORDS.split():
        assert set(terms(word)) == index(catalogue, word), word


def test_terms_of_real_abstracts_are_those_of_the_index(shared, catalogue):
    with gzip.open(shared / "benchmarks/scifact/corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        texts = [json.loads(line)["text"] for line, _ in zip(corpus, range(700), strict=False)]

    ours, theirs = {term for text in texts for term in terms(text)}, index(catalogue, *texts)

    assert len(theirs) > 5000
    assert len(ours ^ theirs) <= 3


def test_a_question_gives_content_terms_with_the_words_typed():
    assert query_terms("What do GPT-4 and running graphs do?") == {"gpt": "gpt", "4": "4", "run": "running", "graph": "graphs"}
    assert query_terms("") == {}


def test_frequencies_count_papers(catalogue):
    index(catalogue, "A graph, a graph.", "Graphs of technology.", "Rain.")

    assert document_frequencies(catalogue, map(stem, ["graphs", "technology", "snow"])) == {"graph": 2, "technolog": 1, "snow": 0}
    assert document_frequencies(catalogue, []) == {}
    assert sum(document_frequencies(catalogue, ["graph", *map(str, range(40_000))]).values()) == 2


def test_idf_falls_with_frequency_and_is_never_negative():
    assert idf(1, 3) == pytest.approx(math.log(1 + 2.5 / 1.5))
    assert idf(0, 10) > idf(1, 10) > idf(9, 10) > idf(10, 10) > 0
