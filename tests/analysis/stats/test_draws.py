"""Numbers drawn by names do not depend on what else is drawn."""

import numpy as np

from tercet.analysis.stats.draws import numbers_of_names, uniform_by_name

SEED = (7, 2, 0)


def test_a_name_has_the_same_number_whatever_others_there_are() -> None:
    names = numbers_of_names(["dog", "cat", "bus"])
    together = uniform_by_name(names, SEED)

    assert np.array_equal(uniform_by_name(names[::-1], SEED), together[::-1])
    assert uniform_by_name(names[1:2], SEED) == together[1]


def test_names_and_seeds_give_other_numbers() -> None:
    names = numbers_of_names(["dog", "cat", "bus"])
    drawn = [*uniform_by_name(names, SEED), *uniform_by_name(names, (7, 2, 1))]
    assert len(set(drawn)) == 6


def test_numbers_are_uniform_and_orders_equally_likely() -> None:
    names = numbers_of_names(map(str, range(10_000)))
    drawn = uniform_by_name(names, SEED)
    counts, _edges = np.histogram(drawn, bins=10, range=(0, 1))

    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert (abs(counts - 1_000) < 120).all()

    first = drawn.reshape(-1, 5).argmin(axis=1)
    assert (abs(np.bincount(first) - 400) < 75).all()
