"""Questions with known papers, facts and abstentions: how the engine does on them.

python -m evals.golden --questions ../shared/golden/dev.jsonl --corpus ../shared/corpora/neurips-2026-sample.txt \
        --papers ../shared/golden/papers.json
python -m evals.golden   # the project's own questions on the demo corpus
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assistant.answers import Answer
from assistant.engine import Engine
from assistant.questions import Turn
from store.library import Library, Place, plan
from store.readable import readable
from store.search import Search

CORE_QUESTIONS = Path(str(files("evals").joinpath("data/core/questions.jsonl")))
CORE_CORPUS = Path(str(files("assistant").joinpath("data/demo.jsonl")))
_ABOUT_ALL = ("list", "count", "theme")


@dataclass(frozen=True, slots=True)
class Item:
    """One question and what is known of its answer; ``papers`` and ``also_ok`` are ids of the library."""

    id: str
    type: str
    question: str
    history: tuple[Turn, ...]
    expected: str
    reason: str | None
    papers: tuple[str, ...]
    also_ok: tuple[str, ...]
    must_have: tuple[tuple[str, ...], ...]
    must_not: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """Shares in [0, 1], each with the number it is a share of."""

    values: Mapping[str, tuple[float, int]]

    def lines(self) -> list[str]:
        """One line a figure."""
        return [f"{name:34}{value:7.3f}  of {count}" for name, (value, count) in self.values.items()]


def load_items(questions: Path, ids: Mapping[str, str]) -> list[Item]:
    """Read golden questions; ``ids`` gives the library's id of each paper key."""
    items = []
    for text in questions.read_text("utf-8").splitlines():
        line: dict[str, Any] = json.loads(text)
        items.append(
            Item(
                id=line["id"],
                type=line["type"],
                question=line["question"],
                history=tuple(Turn(turn["role"], turn["text"]) for turn in line["conversation"]),
                expected=line["expected"],
                reason=line["abstain_reason"],
                papers=tuple(ids[key] for key in line["papers"]),
                also_ok=tuple(ids[key] for key in line["also_ok"]),
                must_have=tuple(tuple(group) for group in line["must_have"]),
                must_not=tuple(line["must_not"]),
            )
        )
    return items


def build_library(corpus: Path, folder: Path) -> Library:
    """Add a corpus to a library in a folder (nothing is embedded twice) and open it."""
    place = Place(folder=folder)
    for _ in plan(place, [str(corpus)]).carry_out():
        pass
    return Library.open(place)


def ids_by_key(library: Library, papers: Path | None) -> dict[str, str]:
    """Library ids by the questions' paper keys: through the abstracts' hashes, or the ids themselves."""
    held = library.catalogue.papers(library.catalogue.rows()).values()
    if papers is None:
        return {paper.id: paper.id for paper in held}
    by_hash = {hashlib.sha256(paper.abstract.encode("utf-8")).hexdigest(): paper.id for paper in held}
    return {key: by_hash[value["sha256"]] for key, value in json.loads(papers.read_text("utf-8")).items()}


def shown_text(answer: Answer) -> str:
    """What a reader is shown of the abstracts, folded for matching: quotes as stored and as displayed."""
    quotes = " ".join(quote.text for citation in answer.citations for quote in citation.quotes)
    return f"{quotes} {readable(quotes)} {answer.text}".casefold()


def has_all_facts(item: Item, answer: Answer) -> bool:
    """Whether every required fact is in what is shown, by one of its wordings."""
    text = shown_text(answer)
    return all(any(alias.casefold() in text for alias in group) for group in item.must_have)


def score(items: Sequence[Item], answers: Sequence[Answer], library: Library) -> Scores:
    """The figures of the closing notes; every answer counts as it came, abstentions included."""
    pairs = list(zip(items, answers, strict=True))
    answerable = [(i, a) for i, a in pairs if i.expected in ("answer", "correct_premise")]
    one_paper = [(i, a) for i, a in answerable if len(i.papers) == 1]
    homonyms = [(i, a) for i, a in pairs if i.type == "ambiguous_entity"]
    withheld = [(i, a) for i, a in pairs if _withholds(a)]
    should = [(i, a) for i, a in pairs if i.expected == "abstain"]
    right = [pair for pair in should if _withholds(pair[1])]
    refused = [(i, a) for i, a in answerable if _withholds(a)]
    quotes = [(c.paper.id, q) for _, a in pairs for c in a.citations for q in c.quotes]
    rows = {paper.id: paper for paper in library.catalogue.papers(library.catalogue.rows()).values()}
    return Scores(
        {
            "right paper first (one paper)": _share(a.hits and a.hits[0].paper.id == i.papers[0] for i, a in one_paper),
            "right paper cited first (answered)": _share(
                a.citations[0].paper.id == i.papers[0] for i, a in one_paper if not _withholds(a) and a.citations
            ),
            "all facts shown (one paper)": _share(has_all_facts(i, a) for i, a in one_paper),
            "all facts shown (all answerable)": _share(has_all_facts(i, a) for i, a in answerable),
            "abstention precision": _share(i.expected == "abstain" for i, _ in withheld),
            "abstention recall": (len(right) / max(1, len(should)), len(should)),
            "false refusals": (len(refused) / max(1, len(answerable)), len(answerable)),
            "homonym items right": _share(_homonym_right(i, a) for i, a in homonyms),
            "must-not facts shown": _share(
                any(m.casefold() in shown_text(a) for m in i.must_not) for i, a in pairs if i.must_not
            ),
            "quotes verbatim": _share(rows[paper].abstract[q.start : q.end] == q.text for paper, q in quotes),
            "sentences shown": (sum(len(a.claims) for _, a in answerable) / max(1, len(answerable)), len(answerable)),
        }
    )


def _withholds(answer: Answer) -> bool:
    return answer.status == "abstained" and answer.reason != "ambiguous"


def _homonym_right(item: Item, answer: Answer) -> bool:
    cited = {citation.paper.id for citation in answer.citations}
    if item.expected == "disambiguate":
        return answer.reason == "ambiguous" and set(item.papers) <= cited
    return answer.status != "abstained" and answer.citations[0].paper.id == item.papers[0]


def _share(values: Any) -> tuple[float, int]:
    found = [bool(value) for value in values]
    return (sum(found) / len(found) if found else 0.0), len(found)


def main() -> None:
    """Print the figures, and with --verbose what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, default=CORE_QUESTIONS)
    parser.add_argument("--corpus", type=Path, default=CORE_CORPUS)
    parser.add_argument("--papers", type=Path, default=None, help="paper keys with the sha256 of their abstracts")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = build_library(arguments.corpus, Path(folder) / "library")
        items = load_items(arguments.questions, ids_by_key(library, arguments.papers))
        engine = Engine(Search(library))
        answers = [engine.ask(item.question, history=item.history) for item in items]
        if arguments.verbose:
            for item, answer in zip(items, answers, strict=True):
                _complain(item, answer)
        sys.stdout.write("\n".join(score(items, answers, library).lines()) + "\n")


def _complain(item: Item, answer: Answer) -> None:
    wrong = []
    if item.expected in ("answer", "correct_premise"):
        wrong += ["refused"] if _withholds(answer) else []
        wrong += [] if has_all_facts(item, answer) else ["fact"]
        wrong += ["paper"] if len(item.papers) == 1 and answer.hits[0].paper.id != item.papers[0] else []
    elif item.expected == "abstain" and not _withholds(answer):
        wrong.append("answered")
    if item.type == "ambiguous_entity" and not _homonym_right(item, answer):
        wrong.append("homonym")
    if wrong:
        sys.stdout.write(f"{item.id} {item.type:16} {answer.confidence:.2f} {','.join(wrong):16} {item.question}\n")


if __name__ == "__main__":
    main()
