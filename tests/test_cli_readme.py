"""The README shows what the program prints: its console blocks are run, one after the other, and compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from test_cli_app import finished, spawn

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def comparable(text):
    """Without what differs from run to run: seconds, and white space at the ends."""
    lines = [re.sub(r"\d+\.\d s\b", "N s", line).rstrip() for line in text.strip().split("\n")]
    return "\n".join(lines)


def test_the_console_blocks_show_what_is_printed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    ran = []
    for language, name, content in BLOCK.findall(README.read_text("utf-8")):
        if name:
            (tmp_path / name).write_text(content, "utf-8")
        if language != "console":
            continue
        for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            program, *arguments = shlex.split(typed)
            assert program == "abstracts"
            done = finished(spawn(*arguments, cwd=tmp_path))
            assert (typed, done.code) == (typed, 0), done.err
            assert comparable(done.out + done.err) == comparable(shown)
            ran.append(arguments[0])

    assert ran == ["add", "ask", "ask", "ask"]
    assert len((tmp_path / "answers.jsonl").read_text("utf-8").splitlines()) == 2
