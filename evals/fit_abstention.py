"""Fit the weights that decide whether to answer, and say how well they do on questions they were not fitted on.

python -m evals.fit_abstention            # the project's own questions, and the shared ones where they are
python -m evals.fit_abstention --write    # and write assistant/data/abstention.json
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from assistant.abstention import Signals
from assistant.engine import Engine
from evals.golden import CORE_CORPUS, CORE_QUESTIONS, Item, build_library, ids_by_key, load_items
from store.search import Search

Array = npt.NDArray[np.float64]
TARGET = Path(__file__).parents[1] / "assistant" / "data" / "abstention.json"
SHARED = Path("../shared")
_REFUSALS = 0.08  # of the answerable questions, at most, in cross-validation: a tool that refuses is not asked again
_NAMES = [f.name for f in fields(Signals)]


def question_sets() -> Iterator[tuple[str, Path, Path, Path | None]]:
    """Name, questions, corpus and paper keys of each set that is there."""
    yield "core", CORE_QUESTIONS, CORE_CORPUS, None
    if (SHARED / "golden/dev.jsonl").is_file():
        yield "golden dev", SHARED / "golden/dev.jsonl", SHARED / "corpora/neurips-2026-sample.txt", SHARED / "golden/papers.json"


def measured(items: Sequence[Item], engine: Engine) -> tuple[Array, Array, list[str]]:
    """Signals, shape (questions, signals); 1 where an answer is right; and why not. Ambiguous questions are left out."""
    kept = [(item, engine.signals(item.question, history=item.history)) for item in items if item.expected != "disambiguate"]
    signals = np.array([astuple(signals) for _, signals in kept if signals])
    answerable = np.array([float(item.expected != "abstain") for item, signals in kept if signals])
    return signals, answerable, [item.reason or "" for item, signals in kept if signals]


def classifier() -> Pipeline:
    """Standardised signals into a logistic regression; C = 0.3 measured as well as 0.1 and 1."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=1000))


def out_of_fold(signals: Array, answerable: Array) -> Array:
    """Probability of each question from models that never saw it: ten folds, mean over five shuffles."""
    shuffles = [
        cross_val_predict(
            classifier(), signals, answerable, cv=StratifiedKFold(10, shuffle=True, random_state=seed), method="predict_proba"
        )
        for seed in range(5)
    ]
    return np.asarray(np.mean(shuffles, axis=0)[:, 1])


def choose_threshold(probabilities: Array, answerable: Array) -> float:
    """The highest threshold that refuses at most `_REFUSALS` of the answerable questions."""
    return float(np.quantile(probabilities[answerable == 1], _REFUSALS, method="lower"))


def subject_threshold(paper: Array, reasons: Sequence[str]) -> float:
    """The cosine that best tells questions on no subject of the library from those whose papers do not say (balanced accuracy)."""
    away = np.array([reason in ("not_in_corpus", "out_of_scope") for reason in reasons])
    on = np.array([reason == "not_in_abstract" for reason in reasons])
    candidates = np.unique(paper.round(2))
    return float(max(candidates, key=lambda cut: (paper[away] < cut).mean() + (paper[on] >= cut).mean()))


def report(name: str, probabilities: Array, answerable: Array, threshold: float) -> str:
    """One line: discrimination, and what the threshold does."""
    refused = probabilities < threshold
    should = answerable == 0
    precision = (refused & should).sum() / max(1, refused.sum())
    return (
        f"{name:24} AUROC {roc_auc_score(answerable, probabilities):.3f}  precision {precision:.3f}  "
        f"recall {refused[should].mean():.3f}  false refusals {refused[~should].mean():.3f}  ({should.sum()} of {len(answerable)} to refuse)"
    )


def main() -> None:
    """Fit, report, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    parts: list[tuple[str, Array, Array, list[str]]] = []
    for name, questions, corpus, papers in question_sets():
        with tempfile.TemporaryDirectory() as folder:
            library = build_library(corpus, Path(folder) / "library")
            parts.append((name, *measured(load_items(questions, ids_by_key(library, papers)), Engine(Search(library)))))
    signals, answerable = np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts])
    reasons = [reason for part in parts for reason in part[3]]
    probabilities = out_of_fold(signals, answerable)
    threshold = choose_threshold(probabilities, answerable)
    lines = [report("all, cross-validated", probabilities, answerable, threshold)]
    start = 0
    for name, own, labels, _ in parts:
        end = start + len(own)
        lines.append(report(f"{name}, cross-validated", probabilities[start:end], labels, threshold))
        if len(parts) > 1:
            others = np.r_[0:start, end : len(signals)]
            model = classifier().fit(signals[others], answerable[others])
            lines.append(report(f"{name}, fitted without it", model.predict_proba(own)[:, 1], labels, threshold))
        start = end
    model = classifier().fit(signals, answerable)
    scaler, regression = model[0], model[-1]
    fitted = {
        "weights": dict(zip(_NAMES, regression.coef_[0].round(4).tolist(), strict=True)),
        "means": dict(zip(_NAMES, scaler.mean_.round(4).tolist(), strict=True)),
        "scales": dict(zip(_NAMES, scaler.scale_.round(4).tolist(), strict=True)),
        "bias": round(float(regression.intercept_[0]), 4),
        "threshold": round(threshold, 4),
        "subject": round(subject_threshold(signals[:, _NAMES.index("paper")], reasons), 4),
    }
    sys.stdout.write("\n".join(lines) + "\n" + json.dumps(fitted, indent=2) + "\n")
    if arguments.write:
        TARGET.write_text(json.dumps(fitted, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
