"""Evidence without a model: is a sentence that SciFact's annotators call the rationale among the first ones we would show?

python -m evals.scifact_evidence

Open corpus: the claim is searched in all 5,183 abstracts, the sentences of the papers that the engine reads are scored by its
own evidence step, and the first 1, 3 and 5 of them are looked at. Claims without evidence are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from assistant.engine import READ
from assistant.evidence import Asked, Sentence, Weights, score_sentences, weigh_terms
from evals.benchmarks import add_arguments, corpus_of, json_lines, markdown, mean, open_library
from store.library import Library
from store.papers import Paper
from store.search import Hit, Search
from store.sentences import Span

FIRST = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and its rationale sentences, as character offsets, by paper id."""

    text: str
    rationales: Mapping[str, Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What is known of a claim before its sentences are scored."""

    claim: Claim
    asked: Asked
    hits: Sequence[Hit]
    papers: Mapping[int, Paper]


def load_claims(folder: Path) -> list[Claim]:
    """The training claims that have evidence."""
    with gzip.open(corpus_of(folder), "rt", encoding="utf-8") as lines:
        offsets = {paper["_id"]: paper["metadata"]["sentence_offsets"] for paper in map(json.loads, lines)}
    claims = []
    for line in json_lines(folder / "claims_train.jsonl"):
        numbers = {paper: {n for part in parts for n in part["sentences"]} for paper, parts in line["evidence"].items()}
        if numbers:
            claims.append(
                Claim(line["claim"], {p: [Span(*offsets[p][n]) for n in sorted(found)] for p, found in numbers.items()})
            )
    return claims


def is_rationale(span: Span, rationales: Iterable[Span]) -> bool:
    """Whether more than half of a sentence lies within one rationale sentence."""
    return any(min(span.end, r.end) - max(span.start, r.start) > 0.5 * (span.end - span.start) for r in rationales)


def retrieve(search: Search, claim: Claim) -> Retrieved:
    """Search as the engine does, and take the papers that it reads."""
    vector = search.embed(claim.text)
    hits = search.find(claim.text, limit=READ, vector=vector)
    return Retrieved(claim, weigh_terms(claim.text, vector, search.library.catalogue), hits, search.papers(hits))


def rank_of_rationale(sentences: Sequence[Sentence], found: Retrieved) -> int | None:
    """Rank, from 1, of the first sentence that is a rationale of its paper; None if none is."""
    for rank, sentence in enumerate(sentences, 1):
        if is_rationale(sentence.span, found.claim.rationales.get(found.papers[sentence.row].id, ())):
            return rank
    return None


def measure(library: Library, claims: Sequence[Claim]) -> dict[str, list[int | None]]:
    """Rank of the first rationale sentence of every claim, by setting."""
    search = Search(library)
    retrieved = [retrieve(search, claim) for claim in claims]
    return {
        name: [
            rank_of_rationale(score_sentences(f.asked, f.hits, f.papers, library.catalogue, weights), f) for f in retrieved
        ]
        for name, weights in settings().items()
    }  # fmt: skip


def settings() -> dict[str, Weights]:
    """The weights of each line: from the cosine alone to all, then each left out."""
    every = Weights()
    none = replace(every, **{field.name: 0.0 for field in fields(Weights)})
    table = {
        "cosine alone": none,
        "+ covered": replace(none, covered=every.covered),
        "+ paper": replace(none, covered=every.covered, paper=every.paper),
        "all (the product's)": every,
    }
    return table | {f"all but {field.name}": replace(every, **{field.name: 0.0}) for field in fields(Weights)}


def report(ranks: Mapping[str, Sequence[int | None]]) -> str:
    """A Markdown table of the shares with a rationale among the first 1, 3 and 5 sentences, with standard errors for 3."""
    rows = []
    for name, found in ranks.items():
        shares = [mean([float(rank is not None and rank <= first) for rank in found]) for first in FIRST]
        rows.append([name, *(f"{share.value:.3f}" for share in shares), f"{shares[1].error:.3f}"])
    return markdown(["weights", *(f"first {first}" for first in FIRST), "± (first 3)"], rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    arguments = parser.parse_args()
    claims = load_claims(arguments.benchmarks / "scifact")
    library = open_library(corpus_of(arguments.benchmarks / "scifact"), arguments.libraries / "scifact")
    sys.stdout.write(f"{len(claims)} claims with evidence, {READ} papers read\n\n{report(measure(library, claims))}")


if __name__ == "__main__":
    main()
