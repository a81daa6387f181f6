"""What is said of a set, recomputed from its rows in bench.csv and length.csv."""

import numpy as np

from tercet.analysis.bench.cells import BenchColumn, Value
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.bench.sentences import sentences
from tercet.analysis.stats.significance import flip_signs

IMAGES = 300


def column(name: str, scale: str, **shares: float) -> BenchColumn:
    """Return a column whose metrics have about these shares of the credit."""
    generator = np.random.default_rng(0)
    by_image = {}
    for metric, share in shares.items():
        by_image[metric] = (generator.random(IMAGES) < share) / IMAGES
    return BenchColumn(
        name=name,
        scale=scale,
        values={metric: Value(float(each.sum())) for metric, each in by_image.items()},
        by_image=by_image,
        rows=IMAGES,
        images=IMAGES,
        at_random=Value(0.5),
    )


def kept(*columns: BenchColumn) -> KeptSet:
    signs = flip_signs(999, IMAGES, np.random.default_rng(0))
    return KeptSet.of("a", "A", "", [(each, signs) for each in columns])


def test_the_first_sentence_names_the_metrics_that_are_no_better_than_length() -> None:
    own = kept(column("all", "accuracy", CIDEr=0.9, METEOR=0.52, length=0.5))
    first = next(sentences(own))

    no_better = {
        metric
        for _, _, metric, difference, _, adjusted in own.length
        if difference <= 0 or adjusted > 0.05
    }
    assert no_better == {"METEOR"}
    assert first == (
        "By accuracy (all), METEOR is not significantly better than the length of the caption "
        "(sign flips over images, adjusted for 3 tests)."
    )


def test_a_metric_that_is_significantly_worse_is_no_better() -> None:
    own = kept(column("tau_c", "tau_c", CIDEr=0.2, METEOR=0.3, length=0.9))

    assert "By tau_c, CIDEr and METEOR are not significantly better" in next(
        sentences(own)
    )


def test_where_all_are_better_it_says_so() -> None:
    own = kept(column("tau_c", "tau_c", CIDEr=0.9, METEOR=0.9, length=0.2))
    assert "all 2 metrics are significantly better" in next(sentences(own))

    only = kept(column("tau_c", "tau_c", CIDEr=0.9, length=0.2))
    assert "By tau_c, CIDEr is significantly better" in next(sentences(only))


def test_without_a_length_nothing_is_claimed_of_it() -> None:
    own = kept(column("tau_c", "tau_c", CIDEr=0.9, METEOR=0.5))
    assert "no metric can be compared with the length" in next(sentences(own))


def test_it_says_where_captions_and_systems_part() -> None:
    items = column("tau_c", "tau_c", CIDEr=0.9, METEOR=0.5, length=0.1)
    parted = column("SPA", "SPA", CIDEr=0.5, METEOR=0.9, length=0.1)
    alike = column("SPA", "SPA", CIDEr=0.9, METEOR=0.5, length=0.1)

    _, said = sentences(kept(items, parted))
    assert "that of CIDEr" in said
    assert f"by SPA of {IMAGES} systems, that of METEOR" in said
    assert len([*sentences(kept(items, alike))]) == 1
