"""Simulate how often the interval of what a reference is worth covers the true count.

``python -m benchmarks.worth FOLDER`` takes ABSTRACT-50S as a dataset folder (500 images of 48
references, 400 pairs on 200 of them). The references of each image are parted at random: 24 are
people's, 24 of a made-up origin, each with probability q replaced by one of another image; with
q = 0 halves are drawn anew for each image of a study, so that the true count is n. A study is 150
images drawn with replacement, with 20 orders of each image and origin; the truth is from all images
and 800 orders. It fails if a cell is below .93. 1,000 studies take two minutes of processor time.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tercet.analysis import load
from tercet.analysis.dataset.winners import pair_winners, sides
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.stats.worth import HitMean, Worth
from tercet.analysis.tables.rows import captions_by_image
from tercet.metrics import (
    FloatArray,
    IntArray,
    compare,
    corpus,
    count_documents,
    order_by,
)

METRICS = ("CIDEr", "METEOR")
SHARES = (0.0, 0.3, 0.6)
HALF, ORDERS, USED, IMAGES = 24, 800, 20, 150
LEAST_COVERAGE = 0.93
COUNTS = {"m(1)": 1, "m(2)": 2, "v(5)": 5}


def captions_of(folder: Path, q: float) -> dict[str, list[str]]:
    """Return 24 references by people of each image, then 24 of the made-up origin."""
    source = np.random.default_rng([1, int(10 * q)])
    whole = {
        image: source.permutation(own).tolist()
        for image, own in captions_by_image(load(folder).references).items()
    }
    images = list(whole)
    for image, own in whole.items():
        others = [name for name in images if name != image]
        for place in np.flatnonzero(source.random(HALF) < q) + HALF:
            own[place] = whole[str(source.choice(others))][source.integers(HALF)]
    return whole


def hits_of(
    folder: Path, q: float
) -> tuple[dict[str, tuple[FloatArray, FloatArray]], IntArray]:
    """Return, by metric, the hits (orders, pairs, 24) of people and origin; and pairs' images."""
    dataset = load(folder)
    captions = captions_of(folder, q)
    documents = count_documents([each[:HALF] for each in captions.values()])
    names = list(dict.fromkeys(dataset.pairs["image"]))
    image = np.array([names.index(each) for each in dataset.pairs["image"]])
    winner = sides(pair_winners(dataset)["winner"])
    both = [*dataset.pairs["candidate_b"], *dataset.pairs["candidate_c"]]
    given = corpus(
        references=[captions[name] for name in names],
        candidates=both,
        images=np.tile(image, 2).tolist(),
        documents=documents,
    )
    compared = compare(given, METRICS)
    found: dict[str, list[list[FloatArray]]] = {name: [[], []] for name in METRICS}
    for keys, place in _orders(len(names), q):
        for side in (0, 1):
            is_later = place != side
            order = order_by(given, (keys + is_later).ravel())
            for name, scores in compared.accumulate(order).items():
                of_both = scores[:, :HALF].reshape(2, len(image), HALF)
                product = preference(*of_both) * winner[:, None]
                found[name][side].append((product + 1) / 2)
    stacked = {
        name: (np.array(own[0]), np.array(own[1])) for name, own in found.items()
    }
    return stacked, image


def _orders(images: int, q: float) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield random keys (images, 48) of references, and whose they are: 0 people, 1 the origin.

    With q = 0, each `USED` orders have halves of their own.
    """
    source = np.random.default_rng(0)
    place = np.repeat([[0, 1]], HALF, axis=1) * np.ones((images, 1), np.int64)
    for number in range(ORDERS):
        if q == 0 and number % USED == 0:
            place = source.permuted(place, axis=1)
        yield source.random((images, 2 * HALF)), place


def worths(human: FloatArray, other: FloatArray, image: IntArray) -> dict[str, Worth]:
    """Return the counts with their intervals, from mean hits (P, 24)."""
    group = np.zeros(len(image), np.int64)
    found = {}
    for name, count in COUNTS.items():
        curve, level = (human, other) if name == "v(5)" else (other, human)
        differences = curve - level[:, [count - 1]]
        found[name] = HitMean.of(differences, image, group).worth
    return found


def studies(
    human: FloatArray, other: FloatArray, image: IntArray, q: float, size: int
) -> Iterator[dict[str, Worth]]:
    """Yield the counts of simulated studies."""
    pairs_of = [np.flatnonzero(image == each) for each in range(image.max() + 1)]
    for seed in range(size):
        source = np.random.default_rng([seed, int(10 * q)])
        drawn = source.integers(0, len(pairs_of), IMAGES)
        pairs = np.concatenate([pairs_of[each] for each in drawn])
        own = np.repeat(np.arange(IMAGES), [len(pairs_of[each]) for each in drawn])
        if q == 0:
            block = source.integers(0, ORDERS // USED, IMAGES)
            of_people = of_origin = block[:, None] * USED + np.arange(USED)
        else:
            keys = source.random((2, IMAGES, ORDERS))
            of_people, of_origin = np.argpartition(keys, USED)[..., :USED]
        by_people = human[of_people[own], pairs[:, None]].mean(axis=1)
        by_origin = other[of_origin[own], pairs[:, None]].mean(axis=1)
        yield worths(by_people, by_origin, own)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--studies", type=int, default=1_000)
    arguments = parser.parse_args()

    least = 1.0
    print(f"python -m benchmarks.worth FOLDER --studies {arguments.studies}")
    print("metric    q  count   true  coverage  with an upper end", flush=True)
    for q in SHARES:
        hits, image = hits_of(arguments.folder, q)
        for metric, (human, other) in hits.items():
            of_all = worths(human.mean(axis=0), other.mean(axis=0), image)
            true = {name: each.value for name, each in of_all.items()}
            if q == 0:
                true = {name: float(count) for name, count in COUNTS.items()}
            found = list(studies(human, other, image, q, arguments.studies))
            for name, value in true.items():
                own = [each[name] for each in found]
                coverage = np.mean([each.low <= value <= each.high for each in own])
                ended = np.mean([np.isfinite(each.high) for each in own])
                least = min(least, float(coverage))
                row = f"{metric:<7} {q:>3}  {name:<5} {value:>6.2f} {coverage:>9.3f}"
                print(f"{row} {ended:>18.2f}", flush=True)

    print(f"least coverage {least:.3f}")
    return int(least < LEAST_COVERAGE)


if __name__ == "__main__":
    sys.exit(main())
