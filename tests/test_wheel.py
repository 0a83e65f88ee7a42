"""The wheel: it holds what the program reads, and works when installed by itself, from an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NEEDED = (
    "assistant/cli/app.py",
    "assistant/data/demo.jsonl",
    "assistant/data/abstention.json",
    "store/schema/0001_papers.sql",
    "prompts/__init__.py",
    "evals/data/core/questions.jsonl",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from this tree without asking a registry."""
    pytest.importorskip("build", reason="the development extra is not installed")
    pytest.importorskip("hatchling", reason="the development extra is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT])
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The command, in an environment that has the wheel and what it depends on, and nothing else. Made once: it takes a minute.

    The environment of whoever runs the tests is in force here, before any test has a home of its own: pip's cache is used.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/python", "-m", "pip", "--disable-pip-version-check"]
    given = [*pip, "install", "--quiet", "-c", ROOT / "constraints.txt", wheel]
    done = run(given, check=False)
    if done.returncode:
        asked = run([*pip, "download", "--quiet", "--no-deps", "--no-cache-dir", "--dest", folder, "typer"], check=False)
        if asked.returncode:
            pytest.skip(f"no package registry can be reached: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder / "bin/abstracts"


@pytest.fixture
def empty(tmp_path):
    """An empty folder to work from."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_the_wheel_holds_all_that_the_program_reads(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert set(NEEDED) <= set(names)
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"assistant", "store", "prompts", "evals"}
    assert [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".sqlite3"))] == []


def test_every_data_file_of_the_packages_is_in_the_wheel(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    listed = run(["git", "ls-files", "assistant", "store", "prompts", "evals"], cwd=ROOT, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")

    assert {name for name in listed.stdout.split("\n") if name and (ROOT / name).exists()} <= held


def test_the_wheel_says_what_it_is(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    said = Parser().parsestr(archive.read(metadata).decode("utf-8"))

    assert said["Name"] == "abstracts-assistant"
    assert said["Requires-Python"] == ">=3.11"
    assert said["License-Expression"] == "MIT"
    assert said["Description-Content-Type"] == "text/markdown"
    entry_points = archive.read(metadata.replace("METADATA", "entry_points.txt")).decode("utf-8")
    assert "abstracts = assistant.cli:main" in entry_points


def test_an_installed_wheel_answers_with_verbatim_quotes_from_an_empty_folder(installed, empty, paste):
    papers = empty / "papers.txt"
    papers.write_bytes(paste.read_bytes())
    added = json.loads(run([installed, "add", "papers.txt", "--library", "library", "--json"], cwd=empty).stdout)
    answer = json.loads(
        run([installed, "ask", "How much faster is GraphZip on Pond-2?", "-L", "library", "--json"], cwd=empty).stdout
    )

    assert added["added"] == 6
    assert answer["status"] == "answered"
    assert "3.4x" in answer["answer"]
    for citation in answer["citations"]:
        shown = run([installed, "show", citation["paper"]["id"], "--json", "-L", "library"], cwd=empty).stdout
        abstract = json.loads(shown)["abstract"]
        assert abstract in papers.read_text("utf-8")
        assert citation["quotes"]
        assert all(abstract[quote["start"] : quote["end"]] == quote["text"] for quote in citation["quotes"])


def test_an_installed_wheel_has_its_demo(installed, empty):
    done = run([installed, "demo", "-L", "library"], cwd=empty)

    assert "60 well-known" in done.stdout
    assert done.stdout.count("$ abstracts ask") == 4
    assert done.stderr == ""


def test_an_installed_wheel_copies_its_files(installed):
    stopwords = next(installed.parents[1].rglob("llama_index/core/_static/nltk_cache/corpora/stopwords/english"))

    assert stopwords.stat().st_nlink == 1  # nltk refuses hard links (run-llama/llama_index#22839)


def run(command, *, cwd=None, check=True):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CI")}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=900)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done
