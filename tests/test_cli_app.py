"""The command line as a whole: how tests run it, its global options, exit codes, signals and streams."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from assistant.cli.app import app
from assistant.cli.app import run as run_command

ROOT = Path(__file__).resolve().parents[1]
MAIN = [sys.executable, "-P", "-c", "from assistant.cli import main; main()"]


@dataclass(frozen=True)
class Run:
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


def run(*arguments, stdin=""):
    """Run a command within this process; a fault that nobody foresaw is raised."""
    given, out, err = (io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), "utf-8", newline="\n") for text in (stdin, "", ""))
    at_the_end = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", given)
        patch.setattr(sys, "argv", ["abstracts", *map(str, arguments)])
        try:
            code = run_command()
        except SystemExit as end:
            code = end.code or 0
        finally:
            signal.signal(signal.SIGTERM, at_the_end)
    printed = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err) if not stream.flush()]
    return Run(*printed, code)


def spawn(*arguments, **options):
    """Start a command as a process of its own, with pipes for its output; `options` as of `subprocess.Popen`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([*MAIN, *map(os.fsencode, map(str, arguments))], env=environment, **pipes)


def finished(process, *, stdin=None):
    """Wait for a process; its output is decoded."""
    out, err = process.communicate(stdin, timeout=120)
    return Run((out or b"").decode("utf-8"), (err or b"").decode("utf-8"), process.returncode)


def is_told_in_a_line_or_two(error):
    """Whether an error says what happened and what to do, as the contract wants it."""
    return 1 <= len(error.splitlines()) <= 2 and "Traceback" not in error and error.endswith("\n")


def test_help_lists_the_commands():
    shown = run("--help")

    assert shown.code == 0
    assert all(f"\n  {command} " in shown.out for command in ("add", "ask", "search", "show", "status", "remove", "demo"))


@pytest.mark.parametrize("command", [command.name for command in app.registered_commands])
def test_every_command_has_help_that_names_its_options(command):
    shown = run(command, "--help")

    assert shown.code == 0
    assert "--library" in shown.out
    assert "\x1b" not in shown.out


def test_without_arguments_help_is_shown():
    shown = run()

    assert shown.code == 2
    assert "Usage: abstracts" in shown.out + shown.err


@pytest.mark.parametrize("before", [True, False])
def test_the_library_may_be_named_before_or_after_the_command(before, place):
    option = ("--library", place.folder)
    shown = run(*option, "status", "--json") if before else run("status", "--json", *option)

    assert shown.code == 0
    assert f'"library": "{place.folder}"' in shown.out


def test_the_library_named_after_the_command_wins(place):
    assert run("-L", "/nowhere", "status", "-L", place.folder).code == 0


def test_the_library_may_be_named_by_the_environment(place, monkeypatch):
    monkeypatch.setenv("ABSTRACTS_LIBRARY", str(place.folder))

    assert run("status").code == 0
    assert run("status", "-L", "/nowhere").code == 4  # the command line is nearer


@pytest.mark.parametrize("before", [True, False])
def test_json_may_be_asked_for_before_or_after_the_command(before, place):
    arguments = ("--json", "status") if before else ("status", "--json")

    assert run(*arguments, "-L", place.folder).out.startswith("{")


def test_an_empty_variable_is_as_good_as_none(place, monkeypatch):
    for name in ("EMBEDDING", "TIMEOUT", "LIBRARY"):
        monkeypatch.setenv(f"ABSTRACTS_{name}", "")

    assert run("status", "-L", place.folder).code == 0


def test_an_unknown_variable_is_refused_with_those_there_are(place, monkeypatch):
    monkeypatch.setenv("ABSTRACTS_EMBEDING", "local-minilm")
    shown = run("status", "-L", place.folder)

    assert shown.code == 2
    assert "Did you mean ABSTRACTS_EMBEDDING?" in shown.err
    assert "ABSTRACTS_LIBRARY" in shown.err
    assert is_told_in_a_line_or_two(shown.err)


def test_a_variable_of_the_wrong_kind_is_refused(place, monkeypatch):
    monkeypatch.setenv("ABSTRACTS_TIMEOUT", "soon")
    shown = run("status", "-L", place.folder)

    assert shown.code == 2
    assert "ABSTRACTS_TIMEOUT is 'soon'" in shown.err


@pytest.mark.parametrize("command", [["ask", "x"], ["search", "x"], ["status"], ["show", "x"], ["remove", "x"]])
def test_without_a_library_it_says_how_to_make_one(command, tmp_path):
    shown = run(*command, "-L", tmp_path / "none")

    assert shown.code == 4
    assert f"There is no library at {tmp_path / 'none'}" in shown.err
    assert "abstracts add" in shown.err
    assert is_told_in_a_line_or_two(shown.err)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("content", [b"not a database, and more of it\n" * 50, b"SQLite format 3\0" + b"\xff" * 5000])
@pytest.mark.parametrize("command", [["ask", "x"], ["status"]])
def test_a_damaged_catalogue_is_told(command, content, tmp_path):
    (tmp_path / "catalogue.sqlite3").write_bytes(content)
    shown = run(*command, "-L", tmp_path)

    assert shown.code == 4
    assert is_told_in_a_line_or_two(shown.err)
    assert (tmp_path / "catalogue.sqlite3").read_bytes() == content


@pytest.mark.parametrize("command", [["ask", "x"], ["search", "x"], ["status"], ["add", "-"]])
def test_another_embedding_than_the_library_was_made_with_is_refused(command, place, monkeypatch):
    monkeypatch.setenv("ABSTRACTS_EMBEDDING", "openai:text-embedding-3-small")
    shown = run(*command, "-L", place.folder, stdin="We study something that is long enough to be an abstract of a paper.")

    assert shown.code == 4
    assert "made with the embedding local-minilm, not openai:text-embedding-3-small" in shown.err
    assert is_told_in_a_line_or_two(shown.err)


@pytest.mark.parametrize("command", [["ask", "How fast is GraphZip?"], ["search", "rain"], ["status"]])
def test_piped_output_has_no_colour_and_no_progress(command, place):
    done = finished(spawn(*command, "-L", place.folder))

    assert done.code == 0
    assert done.out.strip()
    assert "\x1b" not in done.out + done.err
    assert "\r" not in done.out + done.err
    assert done.err == ""


@pytest.mark.parametrize("command", ["ask", "search", "show", "remove"])
def test_an_argument_that_is_not_utf8_is_no_fault(command, place):
    done = finished(spawn(command, "caf\udce9 rain", "-L", place.folder))

    assert done.code == (0 if command in ("ask", "search") else 2), done.err
    assert "Traceback" not in done.err


def test_version_is_shown():
    shown = run("--version")

    assert (shown.code, shown.out) == (0, f"abstracts {version('abstracts-assistant')}\n")


@pytest.mark.parametrize(
    "arguments", [["aks", "x"], ["ask", "--strcit", "x"], ["show"], ["search", "x", "-k", "0"], ["ask", "-fast?"]]
)
def test_wrong_usage_is_told_in_a_line_or_two(arguments):
    shown = run(*arguments)

    assert shown.code == 2
    assert is_told_in_a_line_or_two(shown.err)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("command", [["ask", "How fast is GraphZip?"], ["ask", "x", "--json"], ["status"], ["search", "rain"]])
def test_output_that_cannot_be_written_is_told(command, place):
    with open("/dev/full", "w") as full:
        done = finished(spawn(*command, "-L", place.folder, stdout=full))

    assert done.code not in (0, 120)
    assert is_told_in_a_line_or_two(done.err)


@pytest.mark.parametrize(
    ("command", "encoding"),
    [
        (["ask", "How fast is GraphZip?"], "ascii"),
        (["ask", "κ", "--json"], "latin-1"),
        (["search", "rain"], "cp1252"),
        (["show", "κ"], "ascii"),
    ],
)
def test_a_terminal_without_unicode_is_no_fault(command, encoding, place):
    process = spawn(*command, "-L", place.folder, env={"PYTHONIOENCODING": encoding})
    _, err = process.communicate()

    assert b"Traceback" not in err
    assert process.returncode == (2 if command[0] == "show" else 0)


@pytest.mark.parametrize("after", [0.02, 0.05, 0.08, 0.12, 0.2])
def test_ctrl_c_while_it_starts_is_no_traceback(after, place):
    process = spawn("ask", "x", "-L", place.folder)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    done = finished(process)

    assert "Traceback" not in done.err
    assert done.code in (130, -signal.SIGINT)  # the latter before Python has come to our first line


def test_a_terminal_of_no_width_still_shows_the_answer(place):
    done = finished(spawn("ask", "How fast is GraphZip?", "-L", place.folder, env={"COLUMNS": "0"}))

    assert "GraphZip" in done.out


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_has_seen_enough_is_no_fault(reader, place, tmp_path):
    command = " ".join(f"'{part}'" for part in (*MAIN, "search", "graphs", "--json", "-L", place.folder))
    pipeline = f"{command} 2> errors | {reader} > /dev/null"
    subprocess.run(["bash", "-c", pipeline], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)

    assert (tmp_path / "errors").read_text() == ""


def test_ctrl_c_stops_with_130_and_keeps_what_is_finished(tmp_path):
    papers = "\n\n".join(
        f"We study method {n} on {n} graphs. It is {n} times faster than before, and needs no training." for n in range(3000)
    )
    (tmp_path / "papers.txt").write_text(papers)
    process = spawn("add", tmp_path / "papers.txt", "-L", tmp_path / "library")
    wait_for_papers(tmp_path / "library", 64)
    process.send_signal(signal.SIGINT)
    done = finished(process)

    assert done.code == 130
    assert "Traceback" not in done.err
    held = papers_in(tmp_path / "library")
    assert 64 <= held < 3000
    dry = run("add", tmp_path / "papers.txt", "-L", tmp_path / "library", "--dry-run", "--json")
    assert f'"unchanged": {held}' in dry.out


def wait_for_papers(library, count):
    for _ in range(600):
        if papers_in(library) >= count:
            return
        time.sleep(0.1)
    raise AssertionError("nothing was written within a minute")


def papers_in(library):
    import sqlite3

    try:
        with sqlite3.connect(f"file:{library}/catalogue.sqlite3?mode=ro", uri=True) as db:
            return db.execute("SELECT count(*) FROM papers").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        if "db" in locals():
            db.close()
