"""abstracts add: its receipt, what it refuses, and that adding again changes nothing."""

from __future__ import annotations

import gzip
import json
import os

import pytest
from test_cli_app import finished, is_told_in_a_line_or_two, run, spawn

ABSTRACT = "We study {} under load. It halves the delay of every request, and it needs no training at all."


def added(*arguments, stdin=""):
    """The receipt of an addition that must work."""
    shown = run("add", *arguments, "--json", stdin=stdin)
    assert shown.code == 0, shown.err
    return json.loads(shown.out)


def stored(library):
    """Abstracts by id, as `show --json` gives them."""
    found = json.loads(run("search", "delay request training", "-k", "100", "-L", library, "--json").out)["hits"]
    return {hit["id"]: json.loads(run("show", hit["id"], "-L", library, "--json").out)["abstract"] for hit in found}


def test_the_receipt_has_the_shape_of_the_contract(paste, tmp_path):
    receipt = added(paste, "-L", tmp_path / "library")

    counts = ["added", "changed", "unchanged", "removed"]
    assert list(receipt) == ["library", "dry_run", "sources", *counts, "duplicates", "warnings", "embedding", "seconds"]
    assert receipt["library"] == str(tmp_path / "library")
    assert (receipt["added"], receipt["changed"], receipt["unchanged"], receipt["removed"]) == (6, 0, 0, 0)
    (source,) = receipt["sources"]
    assert list(source) == ["name", "format", "declared", "records", "usable", "skipped"]
    assert (source["name"], source["format"], source["declared"], source["records"], source["usable"]) == (
        str(paste),
        "text",
        None,
        7,
        6,
    )
    assert source["skipped"] == [{"where": "line 1", "reason": "heading", "text": "Our reading list, spring"}]
    assert {tuple(warning) for warning in receipt["warnings"]} == {("paper", "kind", "detail")}
    assert [warning["kind"] for warning in receipt["warnings"]].count("title_inferred") == 6
    assert [warning["kind"] for warning in receipt["warnings"]].count("cut_off") == 1
    embedding = receipt["embedding"]
    assert list(embedding) == ["name", "dimensions", "embedded", "reused", "tokens", "cost_usd"]
    assert (embedding["name"], embedding["dimensions"], embedding["embedded"], embedding["reused"]) == ("local-minilm", 384, 6, 0)
    assert embedding["tokens"] > 100
    assert embedding["cost_usd"] == 0
    assert 0 < receipt["seconds"] < 60


def test_adding_again_embeds_nothing_and_changes_nothing(paste, tmp_path):
    first = added(paste, "-L", tmp_path)
    ids = [hit["id"] for hit in json.loads(run("search", "graphs rain", "-L", tmp_path, "--json").out)["hits"]]
    again = added(paste, "-L", tmp_path)

    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, first["added"])
    assert (again["embedding"]["embedded"], again["embedding"]["reused"]) == (0, 6)
    assert ids == [hit["id"] for hit in json.loads(run("search", "graphs rain", "-L", tmp_path, "--json").out)["hits"]]


def test_a_dry_run_says_the_same_and_touches_nothing(paste, tmp_path):
    receipt = added(paste, "-L", tmp_path / "library", "--dry-run")

    assert receipt["dry_run"] is True
    assert receipt["added"] == 6
    assert receipt["embedding"]["embedded"] == 0
    assert not (tmp_path / "library").exists()
    assert "6 would be added" in run("add", paste, "-L", tmp_path / "library", "--dry-run").out


def test_people_are_told_what_became_of_every_record(paste, tmp_path):
    shown = run("add", paste, "-L", tmp_path)

    assert f"{paste}: 7 records read as text, 6 with an abstract" in shown.out
    assert "skipped line 1 (heading): Our reading list, spring" in shown.out
    assert "6 without a title" in shown.out
    assert "6 added, 0 changed, 0 unchanged; 6 embedded with local-minilm" in shown.out
    assert "abstracts ask" in shown.err
    assert run("add", paste, "-L", tmp_path, "--quiet").err == ""


def test_several_sources_make_one_library(paste, tmp_path):
    lines = [{"_id": f"doc{n}", "title": f"Title {n}", "text": ABSTRACT.format(f"system {n}"), "metadata": {}} for n in range(3)]
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    receipt = added(paste, tmp_path / "corpus.jsonl.gz", "-L", tmp_path / "library")

    assert [source["format"] for source in receipt["sources"]] == ["text", "jsonl"]
    assert receipt["added"] == 9
    shown = json.loads(run("show", "doc1", "-L", tmp_path / "library", "--json").out)
    assert (shown["title"], shown["title_inferred"]) == ("Title 1", False)


def test_standard_input_is_read_and_stored(tmp_path):
    receipt = added("-", "-L", tmp_path, stdin=ABSTRACT.format("queues"))

    assert receipt["sources"][0]["name"] == "-"
    assert (receipt["added"], receipt["embedding"]["embedded"]) == (1, 1)
    assert list(stored(tmp_path).values()) == [ABSTRACT.format("queues")]


def test_standard_input_may_stand_among_files(tmp_path):
    (tmp_path / "papers.txt").write_text(ABSTRACT.format("caches"))
    receipt = added("-", tmp_path / "papers.txt", "-L", tmp_path / "library", stdin=ABSTRACT.format("queues"))

    assert (receipt["added"], receipt["embedding"]["embedded"]) == (2, 2)
    assert sorted(stored(tmp_path / "library").values()) == [ABSTRACT.format("caches"), ABSTRACT.format("queues")]


def test_a_pipe_given_as_a_file_is_read_and_stored(tmp_path):
    read, write = os.pipe()
    os.write(write, ABSTRACT.format("queues").encode())
    os.close(write)
    done = finished(spawn("add", f"/dev/fd/{read}", "-L", tmp_path / "library", "--json", pass_fds=[read]))
    os.close(read)

    assert done.code == 0, done.err
    assert json.loads(done.out)["embedding"]["embedded"] == 1
    assert list(stored(tmp_path / "library").values()) == [ABSTRACT.format("queues")]


def test_standard_input_that_is_closed_is_told(tmp_path):
    done = finished(spawn("add", "-", "-L", tmp_path / "library", stdin=None, preexec_fn=lambda: os.close(0)))

    assert done.code == 3
    assert is_told_in_a_line_or_two(done.err)


def test_an_unknown_embedding_leaves_no_library_behind(paste, tmp_path, monkeypatch):
    monkeypatch.setenv("ABSTRACTS_EMBEDDING", "nonsense")
    shown = run("add", paste, "-L", tmp_path / "library")

    assert shown.code == 2
    assert "local-minilm" in shown.err
    assert not (tmp_path / "library/catalogue.sqlite3").exists()


def test_a_folder_gives_the_files_in_it(tmp_path):
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.txt").write_text(ABSTRACT.format("queues"))
    (folder / "deep/a.csv").write_text(f'title,abstract\nCaches,"{ABSTRACT.format("caches")}"\n')
    (folder / "photo.png").write_bytes(b"\x89PNG not looked at")
    (folder / ".hidden.txt").write_text(ABSTRACT.format("secrets"))
    receipt = added(folder, "-L", tmp_path / "library")

    assert sorted(source["name"] for source in receipt["sources"]) == [str(folder / "b.txt"), str(folder / "deep/a.csv")]
    assert receipt["added"] == 2


def test_fields_may_be_set_for_records_that_lack_them(tmp_path):
    lines = [{"id": "a", "abstract": ABSTRACT.format("queues")}, {"id": "b", "abstract": ABSTRACT.format("caches"), "year": 2020}]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    added(tmp_path / "papers.jsonl", "--set", "venue=NeurIPS", "--set", "year=2026", "-L", tmp_path / "library")
    shown = {name: json.loads(run("show", name, "-L", tmp_path / "library", "--json").out) for name in "ab"}

    assert {name: (paper["venue"], paper["year"]) for name, paper in shown.items()} == {
        "a": ("NeurIPS", 2026),
        "b": ("NeurIPS", 2020),
    }


def test_a_change_is_a_change_and_not_a_second_paper(tmp_path):
    file = tmp_path / "papers.jsonl"
    file.write_text(json.dumps({"id": "a", "abstract": ABSTRACT.format("queues")}))
    added(file, "-L", tmp_path / "library")
    file.write_text(json.dumps({"id": "a", "abstract": ABSTRACT.format("queues"), "venue": "ICML"}))
    receipt = added(file, "-L", tmp_path / "library")

    assert (receipt["added"], receipt["changed"], receipt["unchanged"]) == (0, 1, 0)
    assert (receipt["embedding"]["embedded"], receipt["embedding"]["reused"]) == (0, 1)  # the text is the same
    assert json.loads(run("show", "a", "-L", tmp_path / "library", "--json").out)["venue"] == "ICML"


def test_the_same_abstract_twice_is_one_paper_and_is_said(tmp_path):
    (tmp_path / "papers.txt").write_text(f"{ABSTRACT.format('queues')}\n\n{ABSTRACT.format('queues')}\n")
    receipt = added(tmp_path / "papers.txt", "-L", tmp_path / "library")

    assert receipt["added"] == 1
    (duplicate,) = receipt["duplicates"]
    assert list(duplicate) == ["kept", "dropped", "why"]
    assert duplicate["dropped"] == f"{tmp_path / 'papers.txt'}:line 3"
    assert duplicate["why"] == "same abstract"


def test_bytes_that_are_not_utf8_are_read_and_said(tmp_path):
    (tmp_path / "papers.txt").write_bytes(
        b"We study caf\xe9 noise. It is loud, and it halves the delay of every request we have seen so far.\n"
    )
    receipt = added(tmp_path / "papers.txt", "-L", tmp_path / "library")

    assert receipt["added"] == 1
    assert [warning["kind"] for warning in receipt["warnings"]].count("encoding") == 1
    assert next(iter(stored(tmp_path / "library").values())).startswith("We study café noise.")


UNUSABLE = {
    "empty.txt": b"",
    "blank.txt": b"\n \n\t\n",
    "heading.txt": b"NeurIPS 2026 Papers\n",
    "binary.txt": bytes(range(256)) * 20,
    "program": b"\x7fELF\x02\x01\x01\0\0\0\0",
    "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "archive.zip": b"PK\x03\x04rest",
    "damaged.txt.gz": b"\x1f\x8b\x08\0\0\0\0\0damaged",
    "titles.jsonl": b'{"title": "No abstract here"}\n{"title": "Nor here"}\n',
    "broken.json": b'[{"abstract": "We',
    "numbers.csv": b"a,b,c\n1,2,3\n",
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_holds_no_abstract_is_refused_by_name(name, tmp_path):
    (tmp_path / name).write_bytes(UNUSABLE[name])
    shown = run("add", tmp_path / name, "-L", tmp_path / "library")

    assert shown.code == 3
    assert name in shown.err
    assert shown.out == ""
    assert is_told_in_a_line_or_two(shown.err)
    assert not (tmp_path / "library").exists()


def test_a_file_that_is_not_there_is_told(tmp_path):
    shown = run("add", tmp_path / "nowhere.txt", "-L", tmp_path / "library")

    assert shown.code == 3
    assert shown.err == f"abstracts: {tmp_path / 'nowhere.txt'} does not exist. Check the path; use - to read standard input.\n"


def test_a_folder_without_papers_is_told(tmp_path):
    (tmp_path / "folder").mkdir()
    shown = run("add", tmp_path / "folder", "-L", tmp_path / "library")

    assert shown.code == 3
    assert ".jsonl" in shown.err
    assert is_told_in_a_line_or_two(shown.err)


def test_one_line_of_two_hundred_megabytes_is_refused_without_being_held_in_memory(tmp_path):
    resource = pytest.importorskip("resource")
    with (tmp_path / "line.txt").open("wb") as file:
        for _ in range(200):
            file.write(b"word " * 200_000)
    limit = 1_500_000_000  # bytes of address space: Python and the command take 0.6 of it
    process = spawn(
        "add", tmp_path / "line.txt", "-L", tmp_path / "library",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    done = finished(process)

    assert done.code == 3
    assert "too long" in done.err
    assert is_told_in_a_line_or_two(done.err)
    assert len(done.err) < 500


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "docx"], "Choose one of"),
        (["--set", "venue"], "not KEY=VALUE"),
        (["--set", "=x"], "not KEY=VALUE"),
        (["--set", "colour=red"], "Choose one of"),
        (["--set", "year=soon"], "year"),
    ],
)
def test_wrong_options_list_the_choices(arguments, said, paste, tmp_path):
    shown = run("add", paste, *arguments, "-L", tmp_path / "library")

    assert shown.code == 2
    assert said in shown.err
    assert is_told_in_a_line_or_two(shown.err)
    assert not (tmp_path / "library").exists()


def test_a_library_that_is_a_file_is_refused(paste, tmp_path):
    (tmp_path / "file").write_text("mine")
    shown = run("add", paste, "-L", tmp_path / "file")

    assert shown.code == 4
    assert is_told_in_a_line_or_two(shown.err)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_full_disk_is_told_and_what_was_written_stays(tmp_path):
    resource = pytest.importorskip("resource")
    papers = [ABSTRACT.format(f"system {number} of kind {number * 31}") for number in range(150)]
    (tmp_path / "papers.txt").write_text("\n\n".join(papers))
    limit = 400_000  # bytes a file may have; the first 64 papers take about 250,000
    process = spawn(
        "add", tmp_path / "papers.txt", "-L", tmp_path / "library",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    done = finished(process)

    assert done.code == 4
    assert is_told_in_a_line_or_two(done.err)
    kept = json.loads(run("status", "-L", tmp_path / "library", "--json").out)["papers"]
    receipt = added(tmp_path / "papers.txt", "-L", tmp_path / "library")
    assert receipt["unchanged"] == kept
    assert receipt["added"] == 150 - kept


def without_root_rights():
    """Root may write everywhere; a process that dropped CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH may not."""
    import ctypes

    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return lambda: [prctl(24, capability) for capability in (1, 2)]


@pytest.mark.parametrize("command", [["add"], ["remove"]])
def test_a_read_only_library_can_be_read_and_says_so_when_written(command, paste, tmp_path):
    library = tmp_path / "library"
    added(paste, "-L", library)
    paper = next(iter(json.loads(run("search", "rain", "-L", library, "--json").out)["hits"]))["id"]
    (tmp_path / "more.txt").write_text(ABSTRACT.format("more"))
    for path in (*library.rglob("*"), library):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        asked = finished(spawn("ask", "How fast is GraphZip?", "-L", library, preexec_fn=without_root_rights()))
        given = {"add": [tmp_path / "more.txt"], "remove": [paper]}[command[0]]
        written = finished(spawn(*command, *given, "-L", library, preexec_fn=without_root_rights()))
    finally:
        library.chmod(0o755)

    assert asked.code == 0, asked.err
    assert "3.4x" in asked.out
    assert written.code == 4
    assert f"{library} cannot be written" in written.err
    assert is_told_in_a_line_or_two(written.err)
