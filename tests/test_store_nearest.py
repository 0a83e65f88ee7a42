"""The vector leg: exact search and Chroma find the same papers, and one stands in for the other."""

from __future__ import annotations

import os

import numpy as np
import pytest
from test_store_catalogue import entry
from test_store_index import World, papers, vector

from store.embeddings.base import unit
from store.errors import LibraryError
from store.index import ChromaIndex
from store.nearest import EXACT_AT_MOST, VectorLeg, choose_leg
from store.papers import Paper


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "library")
    yield made
    made.close()


def leg_of(world, *, long_lived=False):
    return VectorLeg(world.catalogue, ChromaIndex(world.folder), long_lived=long_lived)


@pytest.mark.parametrize(
    ("chunks", "long_lived", "current", "leg"),
    [
        (10, False, True, "exact"),
        (10, True, True, "chroma"),
        (10, True, False, "exact"),
        (EXACT_AT_MOST, False, True, "exact"),
        (EXACT_AT_MOST + 1, False, True, "chroma"),
        (EXACT_AT_MOST + 1, True, True, "chroma"),
        (EXACT_AT_MOST + 1, False, False, "exact"),
    ],
)
def test_chroma_answers_where_it_is_faster_and_current(chunks, long_lived, current, leg):
    assert choose_leg(chunks=chunks, long_lived=long_lived, index_is_current=current) == leg


def clusters(count, dimensions=64):
    """Unit vectors around twenty centres, as texts have them."""
    chance = np.random.default_rng(5)
    centres = chance.normal(size=(20, dimensions))
    return unit((centres[np.arange(count) % 20] + 0.35 * chance.normal(size=(count, dimensions))).astype(np.float32))


@pytest.mark.parametrize("vectors", [clusters(500), unit(np.random.default_rng(1).normal(size=(500, 32)).astype(np.float32))])
def test_exact_search_and_chroma_find_the_same_papers(world, vectors):
    world.put([entry(f"p{n}", vectors=[v]) for n, v in enumerate(vectors)])
    world.sync()
    exact, chroma = leg_of(world), leg_of(world, long_lived=True)
    assert (exact.leg(), chroma.leg()) == ("exact", "chroma")

    for query in [*vectors[:40], *clusters(40, vectors.shape[1])]:
        best = exact.nearest(query, limit=10)
        assert best == [int(row) + 1 for row in np.argsort(-(vectors @ query), kind="stable")[:10]]
        assert set(chroma.nearest(query, limit=10)) == set(best)
    assert chroma.failure is None


def test_every_paper_is_nearest_to_itself(world):
    world.put(papers(range(300), chunks=2))
    world.sync()

    for long_lived in (False, True):
        leg = leg_of(world, long_lived=long_lived)
        assert all(leg.nearest(vector(n, n % 2), limit=1) == [n + 1] for n in range(300))


def test_a_paper_is_as_near_as_its_nearest_chunk_and_comes_once(world):
    world.put([entry("far", vectors=[(0, 1)]), entry("near", vectors=[(0, 1), (1, 0), (1, 0)])])

    assert leg_of(world).nearest(np.array([1, 0], np.float32), limit=5) == [2, 1]


def test_ties_come_in_the_order_they_were_added(world):
    world.put([entry(f"p{n}", vectors=[(1, 0)]) for n in range(50)])

    assert leg_of(world).nearest(np.array([1, 0], np.float32), limit=50) == list(range(1, 51))


def test_only_the_given_papers_are_searched(world):
    world.put(papers(range(20)))
    world.sync()

    assert set(leg_of(world, long_lived=True).nearest(vector(3), limit=50, rows=[2, 9])) == {2, 9}
    assert leg_of(world).nearest(vector(3), limit=50, rows=[]) == []


def test_an_empty_library_has_nothing_near(world):
    assert leg_of(world).nearest(vector(1), limit=5) == []
    cosines, means = leg_of(world).compare(vector(1), np.zeros(0, np.int64))
    assert (cosines.shape, means.shape) == ((0,), (0, 16))


def test_papers_are_compared_by_their_nearest_chunk_and_their_mean(world):
    world.put([entry("a", vectors=[(1, 0), (0, 1)]), entry("b", vectors=[(0.6, 0.8)])])

    cosines, means = leg_of(world).compare(np.array([1, 0], np.float32), np.array([1, 2]))

    assert cosines.tolist() == [pytest.approx(1), pytest.approx(0.6)]
    assert np.allclose(means, [[0.5**0.5, 0.5**0.5], [0.6, 0.8]])


def test_a_question_of_other_dimensions_is_told(world):
    world.put(papers(range(3)))

    with pytest.raises(LibraryError, match="vectors have 16 dimensions, the embedding's 3"):
        leg_of(world).nearest(np.ones(3, np.float32), limit=1)


@pytest.mark.parametrize("long_lived", [False, True])
def test_a_long_lived_search_sees_another_process_at_its_next_question(world, long_lived):
    world.put(papers(range(30)))
    world.sync()
    leg = leg_of(world, long_lived=long_lived)
    assert leg.nearest(vector(100), limit=1) != [31]

    writer = World(world.folder)  # its own connection and client
    writer.put(papers([100]))
    assert leg.nearest(vector(100), limit=1) == [31]
    assert leg.leg() == "exact"
    writer.put(papers([101]))
    writer.sync()
    assert leg.nearest(vector(101), limit=1) == [32]
    assert leg.leg() == ("chroma" if long_lived else "exact")
    writer.remove("p101")
    assert leg.nearest(vector(101), limit=1) != [32]
    writer.close()


@pytest.mark.parametrize("what", ["broken client", "lost database"])
def test_exact_search_stands_in_for_a_failing_chroma_and_says_so(world, monkeypatch, what):
    world.put(papers(range(30)))
    world.sync()
    exact, leg = leg_of(world).nearest(vector(3), limit=7), leg_of(world, long_lived=True)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a child of an open client hangs"))
    assert leg.leg() == "chroma"
    if what == "lost database":
        (world.chroma / "chroma.sqlite3").unlink()
    else:
        monkeypatch.setattr("store.index._client", lambda folder: 1 / 0)

    assert leg.nearest(vector(3), limit=7) == exact
    assert leg.leg() == "exact"
    assert leg.failure
    monkeypatch.undo()
    assert not world.is_current()
    world.sync()
    assert leg_of(world, long_lived=True).nearest(vector(3), limit=7) == exact


def test_a_damaged_index_is_not_asked(world):
    world.put(papers(range(30)))
    world.sync()
    (world.chroma / "chroma.sqlite3").write_bytes(b"garbage" * 1000)
    leg = leg_of(world, long_lived=True)

    assert leg.leg() == "exact"
    assert leg.nearest(vector(3), limit=1) == [4]


def test_vectors_of_several_thousand_papers_are_found_in_any_order_of_rows(world):
    world.put([entry(Paper(id=f"p{n}", title="T", abstract="A."), vectors=[vector(n)]) for n in range(1500)])

    cosines, _ = leg_of(world).compare(vector(1400), np.arange(1, 1501))
    assert int(np.argmax(cosines)) == 1400
