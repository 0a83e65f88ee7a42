"""Own names: what a paper calls its work, and how a question finds it by that."""

from __future__ import annotations

import pytest
from test_store_catalogue import entry

from store.catalogue import Catalogue
from store.own_names import named_papers, own_names, possible_names
from store.papers import Paper


def paper(title, abstract="We study rain in general."):
    return Paper(id=title, title=title, abstract=abstract)


@pytest.mark.parametrize(
    ("title", "abstract", "names"),
    [
        ("Sketches", "We present MossNet, a network for slow images.", {"mossnet"}),
        ("FoldBot: laundry by hand", "We study cloth.", {"foldbot"}),
        ("The Grand Tour: a survey", "We study tours.", {"grand tour"}),
        ("A: b", "We study tours.", set()),
        ("This: that", "We study tours.", set()),
        ("A very long beginning of a title: and more", "We study tours.", set()),
        ("No name here", "We study tours.", set()),
        (r"$\alpha$-Net: stable", "We study tours.", {"alpha-net"}),
    ],
)
def test_a_paper_is_called_by_what_it_introduces_or_begins_its_title_with(title, abstract, names):
    assert own_names(paper(title, abstract)) == names


def test_every_run_of_up_to_four_words_may_be_a_name_longest_first():
    assert possible_names("Is GraphZip fast") == ["is graphzip fast", "is graphzip", "graphzip fast", "is", "graphzip", "fast"]
    assert "graphzip" in possible_names("GraphZip's speed")
    assert "graphzip" in possible_names("two GraphZips")
    assert possible_names("") == []


def test_a_question_finds_papers_by_name_but_not_a_name_inside_a_longer_one(tmp_path):
    catalogue = Catalogue.open(tmp_path / "catalogue.sqlite3", create=True)
    with catalogue.writing():
        catalogue.put(
            [entry("a", names=["zip"]), entry("b", names=["zip 2"]), entry("c", names=["zip"]), entry("d", names=["rain"])]
        )

    assert named_papers("How fast is Zip 2?", catalogue) == {"zip 2": [2]}
    assert named_papers("Is ZIP's rain fast?", catalogue) == {"zip": [1, 3], "rain": [4]}
    assert named_papers("Nothing here", catalogue) == {}
    catalogue.close()
