"""Sources that are read twice: pipes are kept, and every name is shown as it was given."""

from __future__ import annotations

import gzip
import io
import os
import threading
from types import SimpleNamespace

import pytest

from store.errors import SourceError, UsageError
from store.papers import Record
from store.rereadable import RereadableSources

TEXT = "Striped attention reads long videos in one pass and halves the time that training takes.\n"


def sources(*names, **options):
    return RereadableSources(names, **{"format": None, "fields": {}} | options)


def read(opened):
    return [(source.name, [entry.abstract for entry in source.entries if isinstance(entry, Record)]) for source in opened.read()]


@pytest.fixture
def stdin(monkeypatch):
    def give(content):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return give


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_can_be_read_as_often_as_needed(stdin, pack):
    stdin(pack(TEXT.encode()))
    opened = sources("-", "-")

    assert [read(opened) for _ in range(3)] == [[("-", [TEXT.strip()])]] * 3


def test_a_named_pipe_can_be_read_as_often_as_needed(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TEXT,))
    writer.start()
    opened = sources(str(pipe))

    assert [read(opened) for _ in range(2)] == [[(str(pipe), [TEXT.strip()])]] * 2
    writer.join()


def test_files_are_read_where_they_are_and_fields_set(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)

    (source,) = sources(str(tmp_path), fields={"venue": "NeurIPS"}).read()
    assert source.name == str(tmp_path / "a.txt")
    assert next(source.entries).venue == "NeurIPS"


def test_what_is_wrong_with_standard_input_is_told_of_it_not_of_a_temporary_file(stdin):
    stdin(b"%PDF-1.7 binary\x00")

    with pytest.raises(SourceError, match="^standard input looks like a PDF"):
        read(sources("-"))


def test_empty_standard_input_has_no_papers(stdin):
    stdin(b"")

    assert read(sources("-")) == [("-", [])]


def test_standard_input_that_breaks_off_is_told(monkeypatch):
    def broken(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=SimpleNamespace(read=broken)))

    with pytest.raises(SourceError, match="standard input cannot be read: Input/output error"):
        read(sources("-"))


def test_a_file_that_goes_away_is_told_under_its_name(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    opened = sources(str(path))
    path.unlink()

    with pytest.raises(SourceError, match="a.txt cannot be read"):
        read(opened)


def test_unknown_formats_and_names_are_told():
    with pytest.raises(UsageError, match="no format"):
        read(sources(os.devnull, format="docx"))
    with pytest.raises(SourceError, match="does not exist"):
        sources("no-such-file")
