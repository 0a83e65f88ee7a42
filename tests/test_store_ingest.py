"""Adding papers: once each, nothing embedded twice, and whatever stops it, the next run goes on from there."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_store_embeddings import FakeEmbedding

from store.embeddings import Endpoint
from store.errors import LibraryError, ProviderError, SourceError, UsageError
from store.ingest import content_hash
from store.library import Library, Place, plan, sync_index
from store.papers import Record, paper_id
from store.search import Search


@pytest.fixture
def embedding(monkeypatch):
    """Stands in for every embedding; tests look at what it was given."""
    fake = FakeEmbedding()
    monkeypatch.setattr("store.library.open_embedding", lambda name, endpoint: fake)
    return fake


@pytest.fixture
def place(tmp_path):
    return Place(folder=tmp_path / "library")


def write(tmp_path, records, name="papers.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return str(path)


def records(count, **more):
    return [
        {"id": f"p{n}", "abstract": f"Paper number {n} weighs stones of kind k{n}. It is short."} | more for n in range(count)
    ]


def add(place, *names, **options):
    addition = plan(place, list(names), **options)
    steps = list(addition.carry_out())
    return SimpleNamespace(receipt=addition.receipt, steps=steps, total=addition.total)


def stored(place):
    library = Library.open(place)
    try:
        assert library.catalogue.select("PRAGMA integrity_check") == [("ok",)]
        return {paper.id: paper for paper in library.catalogue.papers(library.catalogue.rows()).values()}
    finally:
        library.close()


def counts(receipt):
    return receipt.added, receipt.changed, receipt.unchanged, receipt.embedding.embedded, receipt.embedding.reused


# -- once and again ----------------------------------------------------------------------------------------------------------


def test_papers_are_added_once_and_adding_them_again_embeds_nothing(tmp_path, place, embedding):
    source = write(tmp_path, records(150))

    first = add(place, source)
    generation = Library.open(place).catalogue.generation
    again = add(place, source)

    assert counts(first.receipt) == (150, 0, 0, 150, 0)
    assert first.steps == [64, 128, 150]
    assert counts(again.receipt) == (0, 0, 150, 0, 150)
    assert (again.steps, again.total) == ([], 0)
    assert len(embedding.seen) == 150
    assert Library.open(place).catalogue.generation == generation
    assert first.receipt.embedding.dimensions == again.receipt.embedding.dimensions == 64
    assert first.receipt.embedding.tokens == 150 * 11


def test_a_change_of_fields_uses_the_vectors_again(tmp_path, place, embedding):
    add(place, write(tmp_path, records(5)))
    before = Library.open(place).catalogue.chunk_vectors()[1]
    sentences = Library.open(place).catalogue.sentence_vectors([1], 64)[1]

    changed = add(place, write(tmp_path, records(5, venue="NeurIPS")))

    assert counts(changed.receipt) == (0, 5, 0, 0, 5)
    assert len(embedding.seen) == 5
    assert {paper.venue for paper in stored(place).values()} == {"NeurIPS"}
    assert np.array_equal(Library.open(place).catalogue.chunk_vectors()[1], before)
    assert np.array_equal(Library.open(place).catalogue.sentence_vectors([1], 64)[1], sentences)


def test_a_change_of_text_embeds_that_paper_alone_and_replaces_it(tmp_path, place, embedding):
    add(place, write(tmp_path, records(5)))
    edited = records(5)
    edited[2]["abstract"] = "Stones were wrong. It is about feathers now."

    changed = add(place, write(tmp_path, edited))

    assert counts(changed.receipt) == (0, 1, 4, 1, 4)
    assert embedding.seen[5:] == ["Stones were wrong. It is about feathers now."]
    library = Library.open(place)
    assert Search(library).find("feathers", limit=1)[0].row == library.catalogue.row_of("p2")
    assert [len(library.catalogue), library.catalogue.chunk_count()] == [5, 5]


def test_new_changed_and_unchanged_papers_come_in_one_addition(tmp_path, place, embedding):
    add(place, write(tmp_path, records(90)))
    mixed = [record | ({"venue": "V"} if n % 3 == 0 else {}) for n, record in enumerate(records(120))]

    assert counts(add(place, write(tmp_path, mixed)).receipt) == (30, 30, 60, 30, 90)
    assert sum(paper.venue == "V" for paper in stored(place).values()) == 40


def test_an_inferred_title_stays_when_the_venue_changes(tmp_path, place, embedding):
    add(place, write(tmp_path, records(2)))
    before = {paper.id: paper.title for paper in stored(place).values()}

    add(place, write(tmp_path, records(2)), fields={"venue": "NeurIPS"})

    assert {paper.id: paper.title for paper in stored(place).values()} == before


def test_inferred_titles_differ_from_those_in_the_library(tmp_path, place, embedding):
    for number in range(3):
        text = f"We present MossNet, a network for slow images. It has {number + 2} layers of moss{number}."
        add(place, write(tmp_path, [{"id": f"m{number}", "abstract": text}]))

    assert len({paper.title for paper in stored(place).values()}) == 3
    assert all(paper.title_inferred for paper in stored(place).values())


def test_a_paper_without_an_id_has_the_same_one_everywhere(tmp_path, embedding):
    text = records(1)[0]["abstract"]
    for folder in "ab":
        add(Place(folder=tmp_path / folder), write(tmp_path, [{"abstract": text}], f"{folder}.jsonl"))

    assert stored(Place(folder=tmp_path / "a")).keys() == stored(Place(folder=tmp_path / "b")).keys() == {paper_id(text)}


def test_a_content_hash_counts_every_field_but_the_place():
    record = Record(abstract="A.", where="line 1")

    assert content_hash(record) == content_hash(Record(abstract="A.", where="line 9"))
    for field, value in {"abstract": "B.", "id": "x", "year": 2025, "authors": ("A",), "flags": ("cut_off",)}.items():
        assert content_hash(Record(**{"abstract": "A.", "where": "line 1", field: value})) != content_hash(record)


# -- duplicates --------------------------------------------------------------------------------------------------------------


def test_a_record_met_twice_is_stored_once_and_told(tmp_path, place, embedding):
    one, two = records(2)

    receipt = add(place, write(tmp_path, [one, two, one, two | {"abstract": "Another text altogether, of feathers."}])).receipt

    assert [(d.kept, d.dropped.rpartition(":")[2], d.why) for d in receipt.duplicates] == [
        ("p0", "line 3", "same abstract"),
        ("p1", "line 4", "same id, another abstract"),
    ]
    assert counts(receipt) == (2, 0, 0, 2, 0)
    assert stored(place)["p1"].abstract == two["abstract"]


def test_one_abstract_under_two_ids_is_kept_twice_flagged_and_removed_once(tmp_path, place, embedding):
    text = records(1)[0]["abstract"]

    receipt = add(place, write(tmp_path, [{"id": "a", "abstract": text}, {"id": "b", "abstract": text}])).receipt
    assert [(w.paper, w.detail) for w in receipt.warnings if w.kind == "same_abstract"] == [("b", "word for word that of a")]
    library = Library.open(place)
    assert library.remove(["a"]) == ["a"]

    assert stored(place).keys() == {"b"}
    assert [hit.row for hit in Search(library).find("stones", limit=5)] == [library.catalogue.row_of("b")]


# -- interruptions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [ProviderError("endpoint down"), KeyboardInterrupt(), SystemExit(143), MemoryError(), LibraryError("disk full")]
)
def test_whatever_stops_it_what_was_done_is_kept_and_the_next_run_does_the_rest(tmp_path, place, embedding, error):
    source = write(tmp_path, records(200))
    embedding.fails_after, embedding.error = 150, error

    addition = plan(place, [source])
    done = []
    with pytest.raises(type(error)):
        done.extend(addition.carry_out())
    assert len(stored(place)) == 150
    embedding.fails_after = None
    rest = add(place, source)

    assert counts(rest.receipt) == (50, 0, 150, 50, 150)
    assert len(stored(place)) == 200
    assert len(embedding.seen) == len(set(embedding.seen)) == 200


def test_whoever_stops_listening_keeps_what_was_written(tmp_path, place, embedding):
    source = write(tmp_path, records(200))
    running = plan(place, [source]).carry_out()
    assert next(running) == 64
    running.close()

    assert len(stored(place)) == 64
    assert counts(add(place, source).receipt)[:3] == (136, 0, 64)


def test_a_failure_at_the_first_paper_binds_the_library_to_no_embedding(tmp_path, place, embedding):
    embedding.fails_after = 0
    source = write(tmp_path, records(3))
    with pytest.raises(ProviderError):
        add(Place(folder=place.folder, embedding="openai:typo", endpoint=Endpoint()), source)

    embedding.fails_after, embedding.identity = None, "fake/2"
    assert counts(add(Place(folder=place.folder, embedding="openai:right"), source).receipt)[0] == 3
    assert Library.open(place).embedding_name == "openai:right"


def test_a_source_that_changes_meanwhile_is_told(tmp_path, place, embedding):
    source = write(tmp_path, records(100))
    addition = plan(place, [source])
    write(tmp_path, records(100)[::-1])

    with pytest.raises(SourceError, match="papers.jsonl changed while it was being added. What was written is kept"):
        list(addition.carry_out())


def test_an_endpoint_that_changes_its_dimensions_is_refused(tmp_path, place, embedding):
    add(place, write(tmp_path, records(3)))
    embedding.dimensions = 32

    with pytest.raises(ProviderError, match="a vector of 32 dimensions, and 64 before"):
        add(place, write(tmp_path, records(6)))
    assert len(stored(place)) == 3


def test_standard_input_is_added_whole_under_its_name(tmp_path, place, embedding, monkeypatch):
    lines = "".join(json.dumps(record) + "\n" for record in records(100))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(lines.encode())))

    receipt = add(place, "-").receipt

    assert [(source.name, source.usable) for source in receipt.sources] == [("-", 100)]
    assert counts(receipt) == (100, 0, 0, 100, 0)
    assert {paper.source for paper in stored(place).values()} == {"-"}
    assert len(stored(place)) == 100


# -- embeddings that do not fit ----------------------------------------------------------------------------------------------


def test_a_library_made_with_another_embedding_is_refused(tmp_path, place, embedding):
    source = write(tmp_path, records(3))
    add(place, source)

    for attempt in (lambda p: plan(p, [source]), Library.open):
        with pytest.raises(LibraryError, match="made with the embedding local-minilm, not openai:m. Ask for local") as raised:
            attempt(Place(folder=place.folder, embedding="openai:m"))
        assert raised.value.exit_code == 4
    assert Library.open(Place(folder=place.folder, embedding="local-minilm")).embedding_name == "local-minilm"


def test_another_version_of_the_same_embedding_is_refused(tmp_path, place, embedding):
    add(place, write(tmp_path, records(3)))
    embedding.identity = "fake/2"

    with pytest.raises(LibraryError, match="made with fake/1, but this version has fake/2"):
        add(place, write(tmp_path, records(4)))
    with pytest.raises(LibraryError, match="made with fake/1"):
        Search(Library.open(place)).find("stones", limit=1)


# -- nothing, dry runs, folders ----------------------------------------------------------------------------------------------


def test_a_dry_run_touches_nothing_not_even_the_folder(tmp_path, place, embedding):
    addition = plan(place, [write(tmp_path, records(3))], dry_run=True)

    assert (addition.receipt.added, addition.receipt.dry_run, addition.total) == (3, True, 3)
    assert not place.folder.exists()
    assert embedding.seen == []


def test_a_dry_run_over_a_library_says_what_would_change(tmp_path, place, embedding):
    add(place, write(tmp_path, records(3)))
    before = {path: path.read_bytes() for path in place.folder.rglob("*") if path.is_file() and "-shm" not in path.name}

    receipt = plan(place, [write(tmp_path, records(5, venue="V"))], dry_run=True).receipt

    assert (receipt.added, receipt.changed) == (2, 3)
    assert {path: path.read_bytes() for path in before} == before


def test_nothing_usable_is_an_error_with_reasons_and_makes_no_library(tmp_path, place, embedding):
    source = write(tmp_path, [{"title": "No text"}, {"title": "None here"}, {"abstract": "x " * 150_000}])

    with pytest.raises(SourceError, match=r"No abstract found in .*papers.jsonl \(2 × no abstract, 1 × too long\)") as raised:
        plan(place, [source])
    assert raised.value.exit_code == 3
    assert not place.folder.exists()


def test_an_empty_source_is_told(tmp_path, place):
    with pytest.raises(SourceError, match="no records at all"):
        plan(place, [write(tmp_path, [])])


def test_unknown_fields_are_told_before_anything_is_made(tmp_path, place):
    with pytest.raises(UsageError, match="no field 'colour'"):
        plan(place, [write(tmp_path, records(1))], fields={"colour": "red"})
    assert not place.folder.exists()


@pytest.mark.parametrize("in_the_way", ["file", "parent"])
def test_a_folder_that_cannot_be_made_is_told(tmp_path, embedding, in_the_way):
    (tmp_path / "file").write_text("x")
    folder = tmp_path / "file" if in_the_way == "file" else tmp_path / "file" / "library"

    with pytest.raises(LibraryError, match="Choose another folder with --library"):
        add(Place(folder=folder), write(tmp_path, records(1)))


def test_the_receipt_accounts_for_every_record(tmp_path, place, embedding):
    texts = write(tmp_path, [*records(3), {"title": "No text"}])
    more = write(tmp_path, records(5)[2:], "more.jsonl")

    receipt = add(place, texts, more).receipt.to_json()

    assert [(s["records"], s["usable"], len(s["skipped"])) for s in receipt["sources"]] == [(4, 3, 1), (3, 3, 0)]
    assert receipt["added"] + receipt["unchanged"] + receipt["changed"] + len(receipt["duplicates"]) == 6
    assert list(receipt) == [
        "library", "dry_run", "sources", "added", "changed", "unchanged", "removed", "duplicates", "warnings", "embedding",
        "seconds",
    ]  # fmt: skip
    assert receipt["sources"][0]["skipped"] == [{"where": "line 4", "reason": "no abstract", "text": "No text"}]
    ((_, kept),) = Library.open(place).catalogue.receipts()
    assert kept | {"seconds": 0} == receipt | {"seconds": 0}


# -- long, odd and many ------------------------------------------------------------------------------------------------------


def test_a_long_abstract_is_chunked_and_every_sentence_has_its_vector(tmp_path, place, embedding):
    sentences = [f"Sentence number{n} speaks of topic{n} and of nothing else at all in ten words." for n in range(250)]
    add(place, write(tmp_path, [{"id": "long", "title": "Long", "abstract": " ".join(sentences)}, *records(2)]))
    library = Library.open(place)
    catalogue = library.catalogue

    spans = catalogue.spans(1)
    vectors = catalogue.sentence_vectors([1], 64)[1]
    assert [stored(place)["long"].abstract[a:b] for a, b in spans] == sentences
    assert len(vectors) == 250
    assert all(np.abs(vectors).max(axis=1) == 127)
    chunks = [text.removeprefix("Long\n") for text in embedding.seen if text.startswith("Long\n")]
    assert len(chunks) == len(catalogue.chunk_vectors([1])[0]) > 30
    assert " ".join(chunks).split() == " ".join(sentences).split()
    assert all(embedding.count_tokens(text) <= embedding.room for text in embedding.seen)


def test_sentence_vectors_are_the_means_of_their_states(tmp_path, place, embedding):
    add(place, write(tmp_path, [{"id": "a", "abstract": "Birds sing loudly today. Rain falls on the roof."}]))

    vectors = Library.open(place).catalogue.sentence_vectors([1], 64)[1].astype(np.float32)
    for vector, sentence in zip(vectors, ("Birds sing loudly today.", "Rain falls on the roof."), strict=True):
        assert vector @ embedding.embed_query(sentence) / np.linalg.norm(vector) > 0.999


def test_an_embedding_without_token_states_gives_no_sentence_vectors(tmp_path, place, embedding):
    embedding.states = False
    add(place, write(tmp_path, records(2)))

    assert Library.open(place).catalogue.sentence_vectors([1, 2], 64) == {}
    assert counts(add(place, write(tmp_path, records(2, venue="V"))).receipt) == (0, 2, 0, 0, 2)


@pytest.mark.parametrize("text", ["\u200b\u200b", "$$", "。", "<|endoftext|>", "\x00", "😀", r"\alpha", "H$^\\ast$"])
def test_the_oddest_abstract_is_stored_exactly(tmp_path, place, embedding, text):
    add(place, write(tmp_path, [{"id": "odd", "abstract": text}]))

    assert stored(place)["odd"].abstract == text


def test_a_file_whose_name_is_no_utf_8_is_added(tmp_path, place, embedding):
    source = write(tmp_path, records(1), "caf\udce9.jsonl")

    assert add(place, source).receipt.added == 1
    assert stored(place)["p0"].source.endswith("caf\ufffd.jsonl")


def test_hard_abstracts_come_back_as_they_are(shared, tmp_path, place, embedding):
    names = sorted(str(path) for path in (shared / "hard").glob("*.jsonl"))

    add(place, *names)

    papers, wanted = stored(place), {}
    for line in (line for name in names for line in Path(name).read_bytes().split(b"\n")):
        if line.startswith(b"{") and line.endswith(b"}"):  # the others are broken on purpose
            record = json.loads(line, strict=False)
            wanted.setdefault(record.get("_id"), record.get("text", "").strip())
    assert len(papers) > 300
    assert [name for name, text in wanted.items() if name and text and papers[name].abstract != text] == []


def test_six_thousand_papers_go_in_and_each_finds_itself(tmp_path, place, embedding):
    # Chroma takes 5,461 records a call at most (run-llama/llama_index#20142)
    add(
        place, write(tmp_path, [{"id": f"p{n}", "title": f"Kind k{n}", "abstract": f"Stones of kind k{n}."} for n in range(6000)])
    )
    assert sync_index(place) is None
    library = Library.open(place)

    for search in (Search(library), Search(library, long_lived=True)):
        for number in range(0, 6000, 300):
            (hit,) = search.find(f"Stones of kind k{number}.", limit=1)
            assert search.papers([hit])[hit.row].id == f"p{number}"
    assert search.vectors.leg() == "chroma"
    assert search.vectors.failure is None
