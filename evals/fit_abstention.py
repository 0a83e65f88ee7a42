"""Fit the weights that decide whether to answer, and say how well they do on questions they were not fitted on.

    python -m evals.fit_abstention            # the project's own questions, and the shared ones where they are
    python -m evals.fit_abstention --write    # and write assistant/data/abstention.json

Beside written questions, PubMedQA's are asked twice: of the whole collection, and with the paper that answers left out. They
weigh 0.3 each: that doubles the refusals of the second kind (0.11 to 0.27) and changes nothing on the golden questions.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from assistant.abstention import Signals
from assistant.engine import Engine
from evals.benchmarks import add_arguments, load_collection, open_library
from evals.golden import CORE_CORPUS, CORE_QUESTIONS, build_library, ids_by_key, load_items
from store.search import Search

Array = npt.NDArray[np.float64]
TARGET = Path(__file__).parents[1] / "assistant" / "data" / "abstention.json"
SHARED = Path("../shared")
_REFUSALS = 0.08  # of the answerable questions, at most, in cross-validation: a tool that refuses is not asked again
_TWINS, _TWIN_WEIGHT = 150, 0.3
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
    """A scaler and a logistic regression; C = 0.3 measured as well as 0.1 and 1."""

    scaler: StandardScaler
    regression: LogisticRegression

    def probability(self, signals: Array) -> Array:
        """That an answer is right, shape (questions,)."""
        return np.asarray(self.regression.predict_proba(self.scaler.transform(signals))[:, 1])


def written_parts() -> Iterator[Part]:
    """The project's questions on the demo corpus, and the golden ones where they are; ambiguous questions are left out."""
    sets: list[tuple[str, Path, Path, Path | None]] = [("core", CORE_QUESTIONS, CORE_CORPUS, None)]
    if (SHARED / "golden/dev.jsonl").is_file():
        sets.append(
            ("golden dev", SHARED / "golden/dev.jsonl", SHARED / "corpora/neurips-2026-sample.txt", SHARED / "golden/papers.json")
        )
    for name, questions, corpus, papers in sets:
        with tempfile.TemporaryDirectory() as folder:
            library = build_library(corpus, Path(folder) / "library")
            items = [item for item in load_items(questions, ids_by_key(library, papers)) if item.expected != "disambiguate"]
            engine = Engine(Search(library))
            found = [(item, engine.signals(item.question, history=item.history)) for item in items]
        kept = [(item, signals) for item, signals in found if signals]
        yield _part(name, [(signals, item.expected != "abstain", item.reason or "") for item, signals in kept])


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
    yield _part("PubMedQA twins", rows, weight=_TWIN_WEIGHT)


def _part(name: str, rows: Sequence[tuple[Signals, bool, str]], weight: float = 1.0) -> Part:
    signals = np.array([astuple(signals) for signals, _, _ in rows])
    return Part(
        name, signals, np.array([float(answerable) for _, answerable, _ in rows]), [reason for _, _, reason in rows], weight
    )


def fit(parts: Sequence[Part]) -> Fitted:
    """Fit on all questions of the parts, each by its part's weight."""
    signals, answerable = np.concatenate([p.signals for p in parts]), np.concatenate([p.answerable for p in parts])
    weights = np.concatenate([np.full(len(p.answerable), p.weight) for p in parts])
    scaler = StandardScaler().fit(signals, sample_weight=weights)
    return Fitted(
        scaler, LogisticRegression(C=0.3, max_iter=1000).fit(scaler.transform(signals), answerable, sample_weight=weights)
    )


def out_of_fold(part: Part, others: Sequence[Part]) -> Array:
    """Probability of each question of a part from models that never saw it: ten folds, mean over five shuffles."""
    total = np.zeros(len(part.answerable))
    for seed in range(5):
        for known, held in StratifiedKFold(10, shuffle=True, random_state=seed).split(part.signals, part.answerable):
            reasons = [part.reasons[at] for at in known]
            seen = Part(part.name, part.signals[known], part.answerable[known], reasons, part.weight)
            total[held] += fit([seen, *others]).probability(part.signals[held])
    return total / 5


def subject_threshold(parts: Sequence[Part]) -> float:
    """The cosine that best tells questions on no subject of the library from those on one (balanced accuracy)."""
    paper = np.concatenate([p.signals[:, _NAMES.index("paper")] for p in parts])
    reasons = np.array([reason for p in parts for reason in p.reasons])
    away, on = np.isin(reasons, ["not_in_corpus", "out_of_scope"]), reasons == "not_in_abstract"
    return float(max(np.unique(paper.round(2)), key=lambda cut: (paper[away] < cut).mean() + (paper[on] >= cut).mean()))


def report(name: str, probabilities: Array, answerable: Array, threshold: float) -> str:
    """One line: discrimination, and what the threshold does."""
    refused, should = probabilities < threshold, answerable == 0
    precision = (refused & should).sum() / max(1, refused.sum())
    return (
        f"{name:28} AUROC {roc_auc_score(answerable, probabilities):.3f}  precision {precision:.3f}  "
        f"recall {refused[should].mean():.3f}  false refusals {refused[~should].mean():.3f}  "
        f"({should.sum()} of {len(answerable)} to refuse)"
    )


def as_json(model: Fitted, threshold: float, subject: float) -> str:
    """The data file that `assistant.abstention.load_model` reads."""
    columns = {"weights": model.regression.coef_[0], "means": model.scaler.mean_, "scales": model.scaler.scale_}
    data = {key: dict(zip(_NAMES, values.round(4).tolist(), strict=True)) for key, values in columns.items()}
    numbers = {"bias": float(model.regression.intercept_[0]), "threshold": threshold, "subject": subject}
    return json.dumps({**data, **{key: round(value, 4) for key, value in numbers.items()}}, indent=2) + "\n"


def main() -> None:
    """Fit, report, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    add_arguments(parser)
    arguments = parser.parse_args()
    written = list(written_parts())
    parts = [*written, *twins(arguments.benchmarks, arguments.libraries)]
    probabilities = {part.name: out_of_fold(part, [p for p in parts if p is not part]) for part in written}
    answerable = np.concatenate([part.answerable for part in written])
    pooled = np.concatenate(list(probabilities.values()))
    threshold = float(np.quantile(pooled[answerable == 1], _REFUSALS, method="lower"))
    lines = [report("all, cross-validated", pooled, answerable, threshold)]
    for part in parts:
        if part.name in probabilities:
            lines.append(report(f"{part.name}, cross-validated", probabilities[part.name], part.answerable, threshold))
        others = [p for p in parts if p is not part]
        if others:
            lines.append(
                report(f"{part.name}, fitted without", fit(others).probability(part.signals), part.answerable, threshold)
            )
    fitted = as_json(fit(parts), threshold, subject_threshold(written))
    sys.stdout.write("\n".join(lines) + "\n" + fitted)
    if arguments.write:
        TARGET.write_text(fitted, "utf-8")


if __name__ == "__main__":
    main()
