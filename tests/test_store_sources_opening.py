"""Sources opened: formats by content, encodings, packed files, pipes, defaults, and refusals that say what to do."""

from __future__ import annotations

import gzip
import io
import os
from types import SimpleNamespace

import pytest

from store.errors import SourceError, UsageError
from store.papers import Record
from store.sources import Source, find_sources, open_source
from store.sources.content import MAX_LINE, open_content

FIRST = "Striped attention reads long videos in one pass and halves the time that training takes."
SECOND = "Café owners in Łódź and 東京 agree that espresso machines learn nothing from their mistakes."


def write(tmp_path, data, name="papers.txt"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def abstracts(source):
    return [entry.abstract for entry in source.entries if isinstance(entry, Record)]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (f"{FIRST}\n\n{SECOND}\n", "text"),
        (f'{{"abstract": "{FIRST}"}}\n{{"abstract": "{SECOND}"}}\n', "jsonl"),
        (f'{{"abstract": "{FIRST}"}}\n', "jsonl"),
        (f'[{{"abstract": "{FIRST}"}}]', "json"),
        (f'{{"papers": [{{"abstract": "{FIRST}"}}]}}', "json"),
        (f'{{\n  "title": "A",\n  "abstract": "{FIRST}"\n}}', "json"),
        (f"title,abstract\nA,{FIRST}\n", "csv"),
        (f"title\tabstract\nA\t{FIRST}\n", "csv"),
        (f"[1] {FIRST}\n[2] {SECOND}\n", "text"),
        (f"{{\\em Striped}} attention. {FIRST}", "text"),
        (f"Abstract\n{FIRST}\n", "text"),
    ],
)
@pytest.mark.parametrize("name", ["papers.txt", "papers.json", "papers.csv", "papers"])
def test_the_content_decides_on_the_format_not_the_name(tmp_path, text, format, name):
    if name == "papers.csv" and text.startswith("Abstract"):
        pytest.skip("one column: here the name does decide")

    assert open_source(write(tmp_path, text, name)).format == format


def test_one_column_is_a_table_when_the_name_says_so(tmp_path):
    source = open_source(write(tmp_path, f"abstract\n{FIRST}\n", "papers.csv"))

    assert (source.format, abstracts(source)) == ("csv", [FIRST])


def test_a_format_can_be_given(tmp_path):
    assert open_source(write(tmp_path, f"title,abstract\nA,{FIRST}\n"), format="text").format == "text"


def test_an_unknown_format_is_an_error_that_lists_the_choices(tmp_path):
    with pytest.raises(UsageError, match="no format 'docx'. Choose one of csv, json, jsonl, text"):
        open_source(write(tmp_path, FIRST), format="docx")


def test_a_source_keeps_the_name_it_was_given(tmp_path):
    name = write(tmp_path, FIRST)

    source = open_source(name)

    assert isinstance(source, Source)
    assert (source.name, source.declared, source.warnings) == (name, None, ())


@pytest.mark.parametrize("data", [b"", b"\n \n\t\n", b"\xef\xbb\xbf", gzip.compress(b"")])
@pytest.mark.parametrize("format", [None, "text", "jsonl", "csv"])
def test_a_source_without_text_has_no_entries(tmp_path, data, format):
    assert list(open_source(write(tmp_path, data), format=format).entries) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_with_and_without_a_mark(tmp_path, encoding):
    source = open_source(write(tmp_path, f"{FIRST}\n\n{SECOND}".encode(encoding)))

    assert abstracts(source) == [FIRST, SECOND]
    assert source.warnings == ()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-be"])
def test_a_mark_tells_the_order_of_bytes(tmp_path, codec):
    assert abstracts(open_source(write(tmp_path, f"\ufeff{SECOND}".encode(codec)))) == [SECOND]


def test_damaged_utf_16_is_read_with_a_warning(tmp_path):
    source = open_source(write(tmp_path, f"\ufeff{SECOND}".replace("agree", "\ud800gree").encode("utf-16-le", "surrogatepass")))

    assert source.warnings == ("not valid UTF-16: what cannot be read became U+FFFD",)
    assert [text.partition("\ufffd")[0] for text in abstracts(source)] == ["Café owners in Łódź and 東京 "]


def test_a_few_bad_bytes_in_utf_8_become_replacement_characters_and_are_counted(tmp_path):
    source = open_source(write(tmp_path, SECOND.encode().replace(b"owners", b"own\xffers \xfe")))

    assert source.warnings == ("2 bytes are not UTF-8: they became U+FFFD",)
    assert abstracts(source) == [SECOND.replace("owners", "own\ufffders \ufffd")]


def test_text_without_any_utf_8_is_windows_1252(tmp_path):
    text = "A café’s naïve “oracle” costs 5 € per query, and nobody ever asked it for more."

    source = open_source(write(tmp_path, text.encode("windows-1252")))

    assert source.warnings == ("not UTF-8: read as Windows-1252",)
    assert abstracts(source) == [text]


def test_bytes_without_a_meaning_in_windows_1252_stay_control_characters(tmp_path):
    source = open_source(write(tmp_path, b"Caf\xe9 owners\x81 agree that machines learn nothing from mistakes."))

    assert abstracts(source) == ["Café owners\x81 agree that machines learn nothing from mistakes."]


def test_a_character_across_the_end_of_the_head_is_read_whole(tmp_path):
    text = "a" * 65_535 + "é" + " and more words follow here, as many as are needed."

    source = open_source(write(tmp_path, text))

    assert (abstracts(source), source.warnings) == ([text], ())


def test_line_endings_are_kept_as_read(tmp_path):
    text = "Striped attention reads long videos in\r\none pass and halves the time.\r\n\r\n" + FIRST + "\r\n"

    assert abstracts(open_source(write(tmp_path, text))) == text.strip().split("\r\n\r\n")


def test_a_file_of_an_old_mac_has_lines_too(tmp_path):
    assert abstracts(open_source(write(tmp_path, f"{FIRST}\r\r{SECOND}\r"))) == [FIRST, SECOND]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_line_feeds_separate_lines(tmp_path, separator):
    text = f"{FIRST}{separator}{separator}{FIRST}"

    assert abstracts(open_source(write(tmp_path, text))) == [text]


def test_a_packed_file_is_unpacked_whatever_its_name(tmp_path):
    source = open_source(write(tmp_path, gzip.compress(f"{FIRST}\n\n{SECOND}".encode()), "papers"))

    assert (source.format, abstracts(source)) == ("text", [FIRST, SECOND])


def test_a_damaged_packed_file_is_refused(tmp_path):
    packed = gzip.compress(os.urandom(5000))

    for damaged in (packed[:-200], packed[:100] + b"xxxx" + packed[104:]):
        with pytest.raises(SourceError, match="damaged gzip file .* Fetch or pack it again"):
            open_source(write(tmp_path, damaged))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_read(monkeypatch, pack):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(pack(f"{FIRST}\n\n{SECOND}".encode()))))

    source = open_source("-")

    assert (source.name, abstracts(source)) == ("-", [FIRST, SECOND])


def test_standard_input_is_called_so_in_errors(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"%PDF-1.7")))

    with pytest.raises(SourceError, match="^standard input looks like a PDF file"):
        open_source("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_once_and_in_full(tmp_path):
    read_end, write_end = os.pipe()
    os.write(write_end, f"{FIRST}\n\n{SECOND}".encode())
    os.close(write_end)

    try:
        assert abstracts(open_source(f"/dev/fd/{read_end}")) == [FIRST, SECOND]
    finally:
        os.close(read_end)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF file"),
        (b"PK\x03\x04\x14\x00", "a zip archive, or an Office document"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"{\\rtf1\\ansi We show", "an RTF document"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"PAR1\x15", "a Parquet file"),
        (b"We show\x00 that", "a binary file"),
        (bytes(range(1, 9)) * 100, "a binary file"),
        (gzip.compress(b"%PDF-1.7"), "a PDF file"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_what_it_is(tmp_path, data, kind):
    with pytest.raises(SourceError, match=rf"papers\.txt looks like {kind}, not like text\. \w+"):
        open_source(write(tmp_path, data))


def test_a_stray_control_character_is_no_reason_to_refuse(tmp_path):
    assert abstracts(open_source(write(tmp_path, FIRST.replace("long", "lo\x07ng")))) == [FIRST.replace("long", "lo\x07ng")]


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(SourceError, match=r"none\.txt cannot be read: No such file or directory"):
        open_source(str(tmp_path / "none.txt"))
    with pytest.raises(SourceError, match="cannot be read: Is a directory"):
        open_source(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    name = write(tmp_path, FIRST)
    os.chmod(name, 0)

    with pytest.raises(SourceError, match="cannot be read: Permission denied. Check the path and its permissions"):
        open_source(name)


def test_a_file_that_the_system_does_not_give_is_refused_with_its_reason(tmp_path):
    os.symlink("loop", tmp_path / "loop")

    with pytest.raises(SourceError, match="cannot be read: Too many levels of symbolic links"):
        open_source(str(tmp_path / "loop"))


def test_a_line_without_end_is_cut_and_the_next_is_read(tmp_path):
    lines = list(open_content(write(tmp_path, "x" * (2 * MAX_LINE + 5) + "\nnext\n")).lines())

    assert [len(line) for line in lines] == [MAX_LINE, 5]
    assert lines[1] == "next\n"


def test_a_line_of_just_the_most_characters_is_whole(tmp_path):
    assert [len(line) for line in open_content(write(tmp_path, "x" * (MAX_LINE - 1) + "\ny\n")).lines()] == [MAX_LINE, 2]


def test_defaults_fill_what_records_lack_and_nothing_else(tmp_path):
    lines = f'{{"abstract": "{FIRST}", "year": 2020, "authors": ["Ada Byron"]}}\n{{"abstract": "{SECOND}"}}\n'

    fields = {"venue": "NeurIPS", "year": "2026", "authors": "Kurt Gödel; Emmy Noether", "keywords": "a; b", "track": "main"}
    first, second = open_source(write(tmp_path, lines), fields=fields).entries

    assert (first.year, first.authors, first.venue) == (2020, ("Ada Byron",), "NeurIPS")
    assert (second.year, second.authors, second.keywords) == (2026, ("Kurt Gödel", "Emmy Noether"), ("a", "b"))
    assert second.track == "main"


def test_defaults_leave_skipped_pieces_alone(tmp_path):
    (skipped,) = open_source(write(tmp_path, "{}\n"), format="jsonl", fields={"venue": "NeurIPS"}).entries

    assert skipped.reason == "no abstract"


def test_an_unknown_default_is_an_error_that_lists_the_choices(tmp_path):
    with pytest.raises(
        UsageError, match="no field 'colour' to set. Choose one of authors, decision, keywords, track, url, venue, year"
    ):
        open_source(write(tmp_path, FIRST), fields={"colour": "red"})


@pytest.mark.parametrize(("key", "value"), [("year", "soon"), ("year", "20266"), ("venue", " "), ("url", "no address")])
def test_a_default_that_cannot_be_is_an_error(tmp_path, key, value):
    with pytest.raises(UsageError, match=f"cannot be the {key} of a paper. Write it like {key}="):
        open_source(write(tmp_path, FIRST), fields={key: value})


def test_folders_are_expanded_sorted_and_to_the_bottom(tmp_path):
    for name in ("b.txt", "a.jsonl", "c.csv.gz", "deep/er/D.TXT", "notes.md", "picture.png", ".hidden.txt", ".git/e.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FIRST)

    found = find_sources([str(tmp_path)])

    assert [os.path.relpath(name, tmp_path) for name in found] == [
        "a.jsonl",
        "b.txt",
        "c.csv.gz",
        os.path.join("deep", "er", "D.TXT"),
    ]


def test_files_and_standard_input_keep_their_names_and_order(tmp_path):
    names = [write(tmp_path, FIRST, "z.md"), "-", write(tmp_path, FIRST, "a.txt")]

    assert find_sources([*names, names[0]]) == names


def test_a_missing_name_is_an_error(tmp_path):
    with pytest.raises(SourceError, match=r"papers\.txt does not exist\. Check the path"):
        find_sources([str(tmp_path / "papers.txt")])


def test_a_folder_with_nothing_to_read_says_what_is_read(tmp_path):
    write(tmp_path, FIRST, "notes.md")

    with pytest.raises(
        SourceError, match=r"without a file to read\. .* end in \.csv, \.json, \.jsonl, \.ndjson, \.text, \.tsv, \.txt"
    ):
        find_sources([str(tmp_path)])
