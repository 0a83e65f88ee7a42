"""Fit the weights that decide whether to answer, and say how well they do on questions they were not fitted on.

    python -m evals.fit_abstention            # the project's own questions, and the shared ones where they are
    python -m evals.fit_abstention --write    # and write assistant/data/abstention.json

Beside written questions three kinds are made, which weigh 0.3 each: PubMedQA's, asked of the whole collection and with the paper
that answers left out; each set's answerable questions asked of the other set's library, where nothing answers them; and
evals/data/off_topic.txt, asked of both.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from assistant.abstention import Signals
from assistant.engine import Engine
from evals.benchmarks import add_arguments, json_lines, load_collection, open_library
from evals.golden import CORE_CORPUS, CORE_QUESTIONS, build_library, ids_by_key, load_items
from store.search import Search

Array = npt.NDArray[np.float64]
TARGET = Path(__file__).parents[1] / "assistant" / "data" / "abstention.json"
SHARED = Path("../shared")
# Of the answerable questions, at most, in cross-validation: a tool that refuses is not asked again.
_OFF_SUBJECT, _NOT_SAID = 0.01, 0.09
SUBJECT = ("paper", "sentence", "lexical", "named", "unknown", "other_name")
SAID = ("sentence", "other_name", "amount_missing", "name_missing", "name_doubtful", "spelled_out", "person", "about_papers")
OFF_TOPIC = Path(__file__).parent / "data" / "off_topic.txt"
_TWINS, _MADE_WEIGHT = 150, 0.3
_ABOUT_ONE = ("single_fact", "method", "numeric", "comparison")
_NAMES = [f.name for f in fields(Signals)]


@dataclass(frozen=True, slots=True)
class Part:
    """Questions of one origin.

    Attributes:
        signals: Shape (questions, signals).
        answerable: 1 where an answer is right, else 0.
        reasons: Why an answer is not right, or blank.
        weight: Of each question in the fit; parts below 1 are not reported.
    """

    name: str
    signals: Array
    answerable: Array
    reasons: list[str]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A scaler and a logistic regression over some signals; C = 0.3 measured as well as 0.1 and 1."""

    columns: list[int]
    scaler: StandardScaler
    regression: LogisticRegression

    def probability(self, signals: Array) -> Array:
        """That the answer is yes, shape (questions,)."""
        return np.asarray(self.regression.predict_proba(self.scaler.transform(signals[:, self.columns]))[:, 1])


def question_sets() -> list[tuple[str, Path, Path, Path | None]]:
    """Name, questions, corpus and paper keys of each set of written questions that is there."""
    golden = SHARED / "golden"
    sets: list[tuple[str, Path, Path, Path | None]] = [("core", CORE_QUESTIONS, CORE_CORPUS, None)]
    if golden.is_dir():
        sets.append(("golden dev", golden / "dev.jsonl", SHARED / "corpora/neurips-2026-sample.txt", golden / "papers.json"))
    return sets


def written_parts() -> Iterator[Part]:
    """The project's questions on the demo corpus, and the golden ones where they are; ambiguous questions are left out."""
    for name, questions, corpus, papers in question_sets():
        with tempfile.TemporaryDirectory() as folder:
            library = build_library(corpus, Path(folder) / "library")
            items = [item for item in load_items(questions, ids_by_key(library, papers)) if item.expected != "disambiguate"]
            engine = Engine(Search(library))
            found = [(item, engine.signals(item.question, history=item.history)) for item in items]
        kept = [(item, signals) for item, signals in found if signals]
        yield _part(name, [(signals, item.expected != "abstain", item.reason or "") for item, signals in kept])


def strangers() -> Iterator[Part]:
    """Questions that nothing in a library answers: those of the other library, and some about anything but papers."""
    sets = question_sets()
    everyday = OFF_TOPIC.read_text("utf-8").splitlines()
    for name, _, corpus, _ in sets:
        others = [item for other, questions, _, _ in sets if other != name for item in json_lines(questions)]
        foreign = [item["question"] for item in others if item["expected"] == "answer" and item["type"] in _ABOUT_ONE]
        with tempfile.TemporaryDirectory() as folder:
            engine = Engine(Search(build_library(corpus, Path(folder) / "library")))
            found = [engine.signals(text) for text in (*foreign, *everyday)]
        yield _part(
            f"strangers to {name}", [(signals, False, "not_in_corpus") for signals in found if signals], weight=_MADE_WEIGHT
        )


def twins(benchmarks: Path, libraries: Path) -> Iterator[Part]:
    """PubMedQA's questions, each with and without the paper that answers it; nothing where the collection is not there."""
    if not (benchmarks / "pubmedqa").is_dir():
        return
    collection = load_collection(benchmarks / "pubmedqa")
    engine = Engine(Search(open_library(collection.corpus, libraries / "pubmedqa")))
    rows = []
    for name, text in list(collection.queries.items())[:_TWINS]:
        without = [f"id!={paper}" for paper in collection.judgements[name]]
        for filters, answerable in ((), True), (without, False):
            signals = engine.signals(text, filters=filters)
            if signals:
                rows.append((signals, answerable, "" if answerable else "paper removed"))
    yield _part("PubMedQA twins", rows, weight=_MADE_WEIGHT)


def _part(name: str, rows: Sequence[tuple[Signals, bool, str]], weight: float = 1.0) -> Part:
    signals = np.array([astuple(signals) for signals, _, _ in rows])
    return Part(
        name, signals, np.array([float(answerable) for _, answerable, _ in rows]), [reason for _, _, reason in rows], weight
    )


def fit(parts: Sequence[Part], names: Sequence[str]) -> Fitted:
    """Fit on all questions of the parts, each by its part's weight, with the signals named."""
    columns = [_NAMES.index(name) for name in names]
    signals, yes = np.concatenate([p.signals for p in parts])[:, columns], np.concatenate([p.answerable for p in parts])
    weights = np.concatenate([np.full(len(p.answerable), p.weight) for p in parts])
    scaler = StandardScaler().fit(signals, sample_weight=weights)
    return Fitted(
        columns, scaler, LogisticRegression(C=0.3, max_iter=1000).fit(scaler.transform(signals), yes, sample_weight=weights)
    )


def on_subject(part: Part) -> Part:
    """The same questions, asked whether the library has papers on them: it has, for those that its abstracts leave open too."""
    away = np.isin(part.reasons, ["not_in_corpus", "out_of_scope"])
    return replace(part, answerable=(~away).astype(np.float64))


def about_it(part: Part) -> Part:
    """Those questions of a part that the library has papers on."""
    kept = np.flatnonzero(on_subject(part).answerable)
    return replace(part, signals=part.signals[kept], answerable=part.answerable[kept], reasons=[part.reasons[at] for at in kept])


def fit_both(parts: Sequence[Part]) -> tuple[Fitted, Fitted]:
    """The model of the subject, and that of what is said, fitted on the questions that are on it."""
    said = [p for p in (about_it(part) for part in parts) if len(p.answerable)]
    return fit([on_subject(part) for part in parts], SUBJECT), fit(said, SAID)


def out_of_fold(part: Part, others: Sequence[Part]) -> tuple[Array, Array]:
    """Both probabilities of each question of a part from models that never saw it: ten folds, mean over three shuffles."""
    subject, said = np.zeros(len(part.answerable)), np.zeros(len(part.answerable))
    for seed in range(3):
        for known, held in StratifiedKFold(10, shuffle=True, random_state=seed).split(part.signals, part.answerable):
            reasons = [part.reasons[at] for at in known]
            seen = replace(part, signals=part.signals[known], answerable=part.answerable[known], reasons=reasons)
            first, second = fit_both([seen, *others])
            subject[held] += first.probability(part.signals[held]) / 3
            said[held] += second.probability(part.signals[held]) / 3
    return subject, said


def report(name: str, subject: Array, said: Array, part: Part, thresholds: tuple[float, float]) -> str:
    """One line: what the thresholds do to a part, and how well the product of both probabilities orders it."""
    refused, should = (subject < thresholds[0]) | (said < thresholds[1]), part.answerable == 0
    if should.all():
        return f"{name:36} recall {refused.mean():.3f}  (all {len(should)} to refuse)"
    precision = (refused & should).sum() / max(1, refused.sum())
    return (
        f"{name:36} AUROC {roc_auc_score(part.answerable, subject * said):.3f}  precision {precision:.3f}  "
        f"recall {refused[should].mean():.3f}  false refusals {refused[~should].mean():.3f}  "
        f"({should.sum()} of {len(should)} to refuse)"
    )


def as_data(model: Fitted, threshold: float) -> dict[str, Any]:
    """What `assistant.abstention.load_model` reads."""
    names = [_NAMES[at] for at in model.columns]
    columns = {"weights": model.regression.coef_[0], "means": model.scaler.mean_, "scales": model.scaler.scale_}
    data: dict[str, Any] = {key: dict(zip(names, values.round(4).tolist(), strict=True)) for key, values in columns.items()}
    return {**data, "bias": round(float(model.regression.intercept_[0]), 4), "threshold": round(threshold, 4)}


def main() -> None:
    """Fit, report, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    add_arguments(parser)
    arguments = parser.parse_args()
    written = list(written_parts())
    parts = [*written, *strangers(), *twins(arguments.benchmarks, arguments.libraries)]
    unseen = {part.name: out_of_fold(part, [p for p in parts if p is not part]) for part in written}
    answerable = np.concatenate([part.answerable for part in written]) == 1
    subject, said = (np.concatenate([unseen[part.name][at] for part in written])[answerable] for at in (0, 1))
    first = float(np.quantile(subject, _OFF_SUBJECT, method="lower"))
    second = float(np.quantile(said[subject >= first], _NOT_SAID, method="lower"))
    lines = []
    for part in parts:
        if part.name in unseen:
            lines.append(report(f"{part.name}, cross-validated", *unseen[part.name], part, (first, second)))
        models = fit_both([p for p in parts if p is not part])
        without = [model.probability(part.signals) for model in models]
        lines.append(report(f"{part.name}, fitted without", without[0], without[1], part, (first, second)))
    models = fit_both(parts)
    fitted = json.dumps({"subject": as_data(models[0], first), "said": as_data(models[1], second)}, indent=2) + "\n"
    sys.stdout.write("\n".join(lines) + "\n" + fitted)
    if arguments.write:
        TARGET.write_text(fitted, "utf-8")


if __name__ == "__main__":
    main()
