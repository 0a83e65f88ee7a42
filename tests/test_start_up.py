"""What a command loads, and where it reaches: nothing heavy for help, no network and no stray file for an answer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Not pydantic: typer 0.29 itself converts every option with it (70 ms, in the 0.3 s).
HEAVY = ("numpy", "onnxruntime", "chromadb", "openai", "llama_index", "rich", "pydantic_settings", "tiktoken", "sklearn")
NOT_FOR_QUOTES = ("chromadb", "openai", "llama_index", "pydantic_settings", "tiktoken", "sklearn")

PROBE = """
import os, sys
from assistant.cli import main
try:
    main()
finally:
    with open(os.environ["MODULES"], "w") as noted:
        noted.write("\\n".join(sys.modules))
"""

# Python runs a module of this name at its start: every way out that Python code has is watched.
WATCH = """
import os, socket
def watched(name, host_of):
    before = getattr(socket.socket, name, None) or getattr(socket, name)
    def guarded(*given, **named):
        host = host_of(given)
        if host not in ("127.0.0.1", "::1", "localhost", None):
            with open(os.environ["REACHED"], "a") as log:
                log.write(f"{name} {host}\\n")
            raise OSError("a test allows no network")
        return before(*given, **named)
    return guarded
def address(given):
    return given[1][0] if isinstance(given[1], tuple) else None  # a path: a socket of this machine
for name in ("connect", "connect_ex", "bind"):
    setattr(socket.socket, name, watched(name, address))
socket.getaddrinfo = watched("getaddrinfo", lambda given: given[0])
socket.gethostbyname = watched("gethostbyname", lambda given: given[0])
"""


def commands():
    """Names of all commands, so that a new one is held to the same."""
    from assistant.cli.app import app

    return [command.name for command in app.registered_commands]


@pytest.fixture
def environment(tmp_path):
    """A home of its own and no CI variable, which would hide telemetry (onnxruntime keeps quiet where it is set)."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "GITHUB_ACTIONS") and name[:4] != "XDG_"}
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def loaded(environment, tmp_path):
    """Run a command; returns the top-level names of the modules it loaded."""

    def run(*arguments):
        noted = tmp_path / "modules.txt"
        command = [sys.executable, "-P", "-c", PROBE, *map(str, arguments)]
        subprocess.run(command, env=environment | {"MODULES": str(noted)}, cwd=tmp_path, capture_output=True, check=True)
        return {name.split(".")[0] for name in noted.read_text().split("\n")}

    return run


@pytest.mark.parametrize("command", ["", *commands()])
def test_help_loads_nothing_heavy(command, loaded):
    assert loaded(*filter(None, (command, "--help"))) & set(HEAVY) == set()


def test_an_answer_of_quotes_loads_no_index_and_no_model_client(loaded, place):
    names = loaded("ask", "How fast is GraphZip?", "--library", place.folder)

    assert "onnxruntime" in names
    assert names & set(NOT_FOR_QUOTES) == set()


def test_nothing_is_asked_of_the_network_and_nothing_is_left_in_the_home(environment, tmp_path, paste):
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch/sitecustomize.py").write_text(WATCH)
    reached = tmp_path / "reached.txt"
    environment |= {"PYTHONPATH": f"{tmp_path / 'watch'}{os.pathsep}{ROOT}", "REACHED": str(reached)}
    proof = run_python("import socket; socket.create_connection(('example.org', 80))", environment=environment, cwd=tmp_path)
    assert proof.returncode == 1
    assert "example.org" in reached.read_text()  # the watch works
    reached.unlink()

    for arguments in (["add", str(paste)], ["ask", "How fast is GraphZip?"], ["search", "rain"], ["status"]):
        done = abstracts(*arguments, "--library", str(tmp_path / "library"), environment=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    assert not reached.exists(), reached.read_text()
    assert list((tmp_path / "home").rglob("*")) == []


@pytest.mark.parametrize("command", ["add", "ask"])
def test_no_library_in_native_code_opens_a_connection(command, environment, tmp_path, paste, place):
    strace = shutil.which("strace")
    if not strace or run([strace, "-o", os.devnull, "true"], environment=environment, cwd=tmp_path).returncode:
        pytest.skip("strace is not installed, or may not trace here")
    log = tmp_path / "trace.txt"
    given = ["add", paste, "-L", tmp_path / "library"] if command == "add" else ["ask", "GraphZip?", "-L", place.folder]
    main = [sys.executable, "-P", "-c", "from assistant.cli import main; main()", *map(str, given)]
    done = run([strace, "-f", "-q", "-e", "trace=network", "-o", str(log), *main], environment=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    reaching = re.compile(r"(?:connect|sendto|sendmsg|sendmmsg)\(.*sa_family=AF_INET6?\b")
    local = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"')
    assert [line for line in log.read_text().splitlines() if reaching.search(line) and not local.search(line)] == []


def test_the_store_of_a_new_library_goes_to_the_data_folder_of_the_platform(environment, tmp_path, paste):
    done = abstracts("add", str(paste), environment=environment | {"XDG_DATA_HOME": str(tmp_path / "data")}, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data/abstracts/library/catalogue.sqlite3").is_file()
    assert list((tmp_path / "home").rglob("*")) == []


def run(command, *, environment, cwd):
    return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=120)


def run_python(code, *arguments, environment, cwd):
    return run([sys.executable, "-P", "-c", code, *arguments], environment=environment, cwd=cwd)


def abstracts(*arguments, environment, cwd):
    return run_python("from assistant.cli import main; main()", *arguments, environment=environment, cwd=cwd)
