"""Datasets whose references have origins: people's, and others that are right less often."""

from collections.abc import Mapping
from random import Random

from tercet.analysis.tables.schema import (
    PAIRS,
    REFERENCES,
    VOTES,
    Dataset,
    with_numbers,
)
from tests.analysis.frames import frame
from tests.support.folders import Rows

Origins = Mapping[str, tuple[int, float]]
"""By origin, how many references each image has, and the share that are of another image."""
ORIGINS: Origins = {"": (4, 0.0), "model": (6, 0.3)}


def study(
    images: int = 40,
    origins: Origins = ORIGINS,
    seed: int = 0,
    systems: tuple[str, str] = ("one", "two"),
    categories: tuple[str, str] = ("HC", "MM"),
    triplets: int = 0,
) -> Dataset:
    """Two pairs an image: one caption has more of its words than the other, and mostly wins.

    With `triplets`, people voted on that many of each pair; without, winners are published.
    """
    random = Random(seed)
    topics = [[f"w{random.randrange(400)}" for _ in range(8)] for _ in range(images)]
    references = [
        (f"i{image}", _caption(random, topics[topic], 4), origin)
        for image in range(images)
        for origin, (count, wrong) in origins.items()
        for topic in (
            random.randrange(images) if random.random() < wrong else image
            for _ in range(count)
        )
    ]
    pairs, votes = [], []
    for number in range(2 * images):
        image = number // 2
        own = random.choice([(3, 1), (1, 3), (2, 1), (1, 2)])
        shown = [_caption(random, topics[image], each) for each in own]
        is_usual = random.random() < 0.9
        winner = "B" if (own[0] > own[1]) == is_usual else "C"
        named = (f"p{number}", f"i{image}", *shown, categories[number % 2], *systems)
        pairs.append((*named, "" if triplets else winner))
        votes += [(named[0], asked + 1, "", winner) for asked in range(triplets)]

    return _dataset(references, pairs, votes)


def _caption(random: Random, topic: list[str], own: int) -> str:
    """Six words, some of them of a topic."""
    others = (f"n{random.randrange(60)}" for _ in range(6 - own))
    return " ".join([*random.sample(topic, own), *others])


def _dataset(references: Rows, pairs: Rows, votes: Rows) -> Dataset:
    of_references = ("image", "caption", "origin")
    of_pairs = (*PAIRS.required, "category", "source_b", "source_c", "winner")
    return Dataset(
        references=with_numbers(frame(REFERENCES, references, of_references)),
        pairs=frame(PAIRS, pairs, of_pairs),
        votes=frame(VOTES, votes),
        info={"title": "origins"},
    )
