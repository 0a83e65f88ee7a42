"""Many questions from a file: conversations and batches as JSON lines, and results that can be resumed."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, get_args

from assistant.answers import Status
from assistant.engine import Engine
from assistant.questions import Turn
from store.errors import SourceError, UsageError
from store.search import Search

_TAG = "abstracts"
_SPACE = re.compile(r"\s")  # a run has six columns, whatever is in an id
_BEGINNING = b'{"id": '  # of every line that we write


def read_history(path: Path) -> list[Turn]:
    """Earlier turns from JSON lines of ``{"role": "user" | "assistant", "text": ...}``.

    Raises:
        SourceError: The file cannot be read, or a line is no turn.
    """
    return [_turn(line, f"{path}, line {number}") for number, line in _json_lines(path)]


def answer_batch(engine: Engine, batch: Path, out: Path, *, filters: Sequence[str] = ()) -> Iterator[int]:
    """Answer ``{"id", "question", "history"}`` lines, one JSON line each, in order; goes on after the last whole line of `out`.

    Yields the number answered so far.

    Raises:
        SourceError: A line of the batch is no question; what came before is answered.
        UsageError: `out` holds answers to other questions.
    """
    done = _finished(out, batch)
    results: IO[str] | None = None
    try:
        for at, (number, line) in enumerate(_json_lines(batch)):
            place = f"{batch}, line {number}"
            name, question = _question(line, place)
            if at < len(done):
                if done[at] != (name, question):
                    raise UsageError(
                        f"{out} already holds answers to other questions ({done[at][0]!r}, not {name!r}). Choose another --out."
                    )
                continue
            answer = engine.ask(question, history=_history(line.get("history"), place), filters=filters)
            results = results or _opened(out, "a")  # a batch that cannot be read leaves no empty file
            results.write(json.dumps({"id": line["id"], **answer.to_json()}, ensure_ascii=False) + "\n")
            results.flush()
            yield at + 1
    finally:
        if results:
            results.close()


def search_batch(search: Search, batch: Path, out: Path, *, limit: int, rows: Sequence[int] | None = None) -> Iterator[int]:
    """Run ``{"_id", "text"}`` lines and write a TREC run (query Q0 paper rank score tag); yields the number done so far.

    The run is written beside `out` and renamed when it is whole: half a run measures like a bad one.
    """
    part = out.with_name(out.name + ".part")
    try:
        with _opened(part, "w") as results:
            for done, (number, line) in enumerate(_json_lines(batch), 1):
                if "_id" not in line or not isinstance(line.get("text"), str):
                    raise SourceError(f'{batch}, line {number} is no query. Each line is {{"_id": …, "text": …}}.')
                hits = search.find(line["text"], limit=limit, rows=rows)
                papers = search.papers(hits)
                for rank, hit in enumerate(hits, 1):
                    columns = (line["_id"], "Q0", papers[hit.row].id, rank, f"{hit.score:.6f}", _TAG)
                    results.write(" ".join(_SPACE.sub("_", str(column)) for column in columns) + "\n")
                yield done
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _finished(out: Path, batch: Path) -> list[tuple[str, str]]:
    """Ids and questions of the whole lines of an earlier run; a last line that a kill cut off is taken away.

    Raises:
        UsageError: The file is the batch itself, or holds something else than answers; it is left as it is.
    """
    if not out.exists():
        return []
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    rest = content[len(whole) :]
    try:
        lines = [json.loads(line) for line in whole.decode("utf-8").split("\n") if line]
        done = [(str(line["id"]), str(line["question"])) for line in lines]
        whole_lines = all(line["status"] in get_args(Status) for line in lines)
        ours = (
            whole_lines
            and batch.resolve() != out.resolve()
            and (not rest or bool(done) or rest.startswith(_BEGINNING[: len(rest)]))
        )
    except (ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise UsageError(f"{out} exists and holds no answers of ours. Choose another --out.")
    if rest:
        out.write_bytes(whole)
    return done


def _json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    line = json.loads(text)
                    if not isinstance(line, dict):
                        raise ValueError("no object")
                    yield number, line
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({error.strerror or error}). Check its name.") from error
    except ValueError as error:
        raise SourceError(f"{path} is not JSON lines ({error}). Each line is one JSON object.") from error


def _opened(path: Path, mode: str) -> IO[str]:
    try:
        return path.open(mode, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}). Choose another --out.") from error


def _question(line: Mapping[str, Any], place: str) -> tuple[str, str]:
    name, question = line.get("id"), line.get("question")
    if name is None or not isinstance(question, str) or not question.strip():
        raise SourceError(f'{place} is no question. Each line is {{"id": …, "question": …, "history": […]}}.')
    return str(name), question


def _history(turns: Any, place: str) -> list[Turn]:
    if turns is not None and not isinstance(turns, list):
        raise SourceError(f"{place}: history is a list of turns.")
    return [_turn(turn, place) for turn in turns or []]


def _turn(line: Any, place: str) -> Turn:
    role, text = (line.get("role"), line.get("text")) if isinstance(line, dict) else (None, None)
    if role not in ("user", "assistant") or not isinstance(text, str):
        raise SourceError(f'{place}: a turn is {{"role": "user" or "assistant", "text": …}}.')
    return Turn(role, text)
