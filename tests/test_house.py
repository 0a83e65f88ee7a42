"""The rules of the house that a program can check: size, words, who may write, read the environment or name a vendor."""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("assistant", "store", "prompts", "evals")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MODULES = [path.relative_to(ROOT).as_posix() for path in SOURCES]

WRITERS = {"assistant/terminal.py": "the printer", "assistant/cli/app.py": "--version is printed before there is a terminal"}
READS_ENVIRONMENT = {
    "assistant/cli/options.py": "hands it to load_settings",
    "assistant/cli/app.py": "hands it to load_settings",
    "assistant/settings.py": "the settings",
    "store/embeddings/minilm.py": "sets ORT_DISABLE_TELEMETRY before onnxruntime is imported",
    "store/index.py": "sets ORT_DISABLE_TELEMETRY, since chromadb imports onnxruntime",
    "store/tokens.py": "sets TIKTOKEN_CACHE_DIR while tiktoken looks for its files",
}
ADAPTERS = {
    "chromadb": {"store/index.py"},
    "onnxruntime": {"store/embeddings/minilm.py"},
    "tokenizers": {"store/embeddings/minilm.py"},
    "openai": {"store/embeddings/openai.py"},
    "llama_index": {"store/embeddings/llama_index.py", "store/tokens.py"},
}


@pytest.fixture(scope="module")
def tracked():
    """Files that git tracks, with their content."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths if path.is_file()}


def parsed(module):
    return ast.parse((ROOT / module).read_text("utf-8"))


def dotted(node):
    """`sys.stdout.write` as text; blank for anything that is no chain of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def imported(tree):
    """Top-level names of every import, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_no_source_file_is_long():
    lengths = {module: len((ROOT / module).read_text("utf-8").splitlines()) for module in MODULES}

    assert {module: length for module, length in lengths.items() if length > 400} == {}
    assert statistics.median(lengths.values()) <= 130


@pytest.mark.parametrize("module", MODULES)
def test_a_module_begins_with_a_sentence_that_says_what_it_holds(module):
    first = (ast.get_docstring(parsed(module)) or "").split("\n")[0]

    assert (ROOT / module).read_text("utf-8").lstrip("r").startswith(f'"""{first}')
    assert len(first) > 10
    assert first.endswith((".", "?"))


@pytest.mark.parametrize("module", MODULES)
def test_names_say_what_a_thing_is(module):
    vague = re.compile(r"(?:^|_)(?:utils?|helpers?|common|managers?)(?:_|$)|^process_|Manager$|Helper$", re.IGNORECASE)
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name for node in ast.walk(parsed(module)) if isinstance(node, defined)]

    assert [name for name in (*Path(module).with_suffix("").parts, *names) if vague.search(name)] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m not in WRITERS and not m.startswith("evals/")])
def test_only_the_terminal_writes(module):
    calls = [dotted(node.func) for node in ast.walk(parsed(module)) if isinstance(node, ast.Call)]
    writing = re.compile(r"print|input|typer\.(?:echo|secho|prompt)|sys\.(?:__)?std(?:out|err)(?:__)?\..*|(?:rich\..*)?Console")

    assert [call for call in calls if writing.fullmatch(call)] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m not in READS_ENVIRONMENT])
def test_only_settings_read_the_environment(module):
    names = [dotted(node) for node in ast.walk(parsed(module)) if isinstance(node, ast.Attribute)]

    assert [name for name in names if name in ("os.environ", "os.environb", "os.getenv", "os.putenv", "os.unsetenv")] == []


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("assistant/cli/")])
def test_only_the_command_line_exits(module):
    calls = [dotted(node.func) for node in ast.walk(parsed(module)) if isinstance(node, ast.Call)]

    assert [call for call in calls if call in ("sys.exit", "exit", "quit", "os._exit", "os.abort", "typer.Exit")] == []


@pytest.mark.parametrize("module", MODULES)
def test_vendors_are_named_in_their_adapters_only(module):
    named = {name for name in imported(parsed(module)) if name in ADAPTERS}

    assert {name for name in named if module not in ADAPTERS[name]} == set()


@pytest.mark.parametrize(
    ("vendor", "module"), [(vendor, module) for vendor, modules in ADAPTERS.items() for module in sorted(modules)]
)
def test_an_adapter_imports_its_vendor_inside_functions(vendor, module):
    tree = parsed(module)
    outside = ast.Module([node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)], [])

    assert vendor not in set(imported(outside))


def test_imports_go_one_way():
    pytest.importorskip("importlinter", reason="the development extra is not installed")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert run.returncode == 0, run.stdout + run.stderr


def test_no_tracked_file_names_a_package_registry(tracked):
    hosts = [b"pypi" + b".org", b"python" + b"hosted.org", b"registry.npm" + b"js.org", b"deb." + b"debian.org"]

    assert {name for name, content in tracked.items() if any(host in content for host in hosts)} == set()


def test_no_tracked_file_holds_a_path_of_one_machine(tracked):
    places = [b"/" + place for place in (b"work/main", b"work/shared", b"work/steering", b"farm/", b"tmp/bash_jobs", b"root/")]

    assert {name for name, content in tracked.items() if any(place in content for place in places)} == set()


def test_constraints_are_exact_versions_only():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    wanted = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][A-Za-z0-9.!+]*")

    assert [line for line in lines if line and not line.startswith("#") and not wanted.fullmatch(line)] == []


def test_nothing_shared_is_copied_into_the_project(tracked, shared):
    theirs = {path: path.stat().st_size for path in shared.rglob("*") if path.is_file()}
    sizes = {len(content) for content in tracked.values() if content}
    hashes = {hashlib.sha256(path.read_bytes()).digest() for path, size in theirs.items() if size in sizes}

    assert {name for name, content in tracked.items() if hashlib.sha256(content).digest() in hashes} == set()
