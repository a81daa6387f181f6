"""The advice: which columns answer a use, and its sentences, recomputed from the tables."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from tercet.analysis.bench.advice import evidence, sentence, uses
from tercet.analysis.bench.cells import BenchColumn, Value, cell_table
from tercet.analysis.bench.kept import BEST_COLUMNS, KeptSet
from tercet.analysis.bench.sets import SETS
from tercet.analysis.stats.scores.tie_calibration import BoolArray
from tercet.analysis.stats.significance import flip_signs

IMAGES = 150
METRICS = ("CIDEr", "METEOR", "BLEU-4", "ROUGE-L", "mine", "length")


def column(name: str, scale: str, **shares: float) -> BenchColumn:
    """Return a column whose metrics have about these shares of the credit."""
    return drawn(name, scale, np.random.default_rng(0), shares)


def drawn(
    name: str, scale: str, generator: np.random.Generator, shares: dict[str, float]
) -> BenchColumn:
    credit = {
        metric: generator.random(IMAGES) < share for metric, share in shares.items()
    }
    return earned(name, scale, credit)


def earned(name: str, scale: str, credit: dict[str, BoolArray]) -> BenchColumn:
    by_image = {metric: each / IMAGES for metric, each in credit.items()}
    return BenchColumn(
        name=name,
        scale=scale,
        values={metric: Value(float(each.sum())) for metric, each in by_image.items()},
        by_image=by_image,
        rows=2 * IMAGES,
        images=IMAGES,
        at_random=Value(0.5),
    )


def kept(*columns: BenchColumn, use: str = "", **references: float) -> KeptSet:
    signs = flip_signs(399, IMAGES, np.random.default_rng(0))
    made = KeptSet.of("a", "A", "", [(each, signs) for each in columns])
    counts = {each.name: 5.0 for each in columns} | references
    return replace(made, use=use, words=10.0, references=counts)


def points(share: float) -> str:
    number = (Decimal(repr(round(float(share), 12))) * 100).quantize(
        Decimal("0.1"), ROUND_HALF_UP
    )
    return f"{number + 0}".replace("-", "−")  # noqa: RUF001


def named(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if names[1:] else names[0]


def recomputed(own: KeptSet) -> Iterator[str]:
    """Yield the parts of the sentence of the only column, from its rows in the two tables."""
    cells = cell_table(own.cells).query("group != ''")
    cells = cells.sort_values("value", ascending=False, kind="stable")
    groups = dict(zip(cells["metric"], cells["group"], strict=True))
    letters = {name: {*re.findall("[a-z]'*", each)} for name, each in groups.items()}
    best, *others = letters
    alike = [best, *(name for name in others if "a" in letters[name])]
    pairs = f"{cells['rows'].iloc[0]} pairs"
    if len(alike) > 1:
        yield f"{named(alike)} cannot be told apart on {pairs}"
    else:
        yield f"{best} has the highest value on {pairs}"

    shares_one = [name for name in others if letters[name] & letters[best]]
    if near := [name for name in shares_one if name not in alike]:
        yield f"{named(near)} cannot be told apart from {best} either"

    rows = [dict(zip(BEST_COLUMNS, row, strict=True)) for row in own.best]
    assert {row["best"] for row in rows} == {best}
    for row in rows:
        if row["metric"] not in shares_one:
            assert row["low"] > 0
            low, high = points(row["low"]), points(row["high"])
            yield f"{row['metric']} is worse than {best} by {low} to {high} points"


def test_the_sentence_is_that_of_the_groups_and_bounds_of_the_tables() -> None:
    seen = set()
    for seed in range(40):
        generator = np.random.default_rng(seed)
        chosen = METRICS[: 2 + seed % 5]
        shares = {metric: generator.uniform(0.45, 0.75) for metric in chosen}
        own = kept(drawn("all", "accuracy", generator, shares))

        said = sentence(own, "all")
        assert said == "; ".join(recomputed(own)) + "."
        kinds = ("apart on", "highest value", "worse")
        seen |= {kind for kind in kinds if kind in said}
    assert seen == {"apart on", "highest value", "worse"}


def test_a_metric_that_only_the_best_cannot_be_told_apart_from_is_named_apart() -> None:
    image = np.arange(IMAGES)
    credit = {
        "CIDEr": image % 2 == 0,
        "METEOR": (image % 4 < 2) & (image > 2),
        "BLEU-4": (image % 4 < 2) & (image > 20),
    }
    own = kept(earned("all", "accuracy", credit))

    said = sentence(own, "all")
    assert said == "; ".join(recomputed(own)) + "."
    assert said == (
        "CIDEr and METEOR cannot be told apart on 300 pairs; BLEU-4 cannot be told apart from "
        "CIDEr either."
    )


def test_the_difference_is_that_of_the_values() -> None:
    own = kept(column("all", "accuracy", CIDEr=0.9, METEOR=0.5, length=0.4))
    values = {cell.metric: cell.value for cell in own.cells}

    assert [row[2] for row in own.best] == ["METEOR", "length"]
    for _, _, metric, best, difference, low, high in own.best:
        assert np.isclose(difference, values[best] - values[metric])
        assert -1 <= low <= difference <= high <= 1


def test_systems_are_not_tested_and_only_the_highest_value_is_named() -> None:
    of_systems = replace(
        column("SPA", "SPA", CIDEr=0.9, METEOR=0.2), by_image={}, rows=5
    )
    own = kept(of_systems)
    assert sentence(own, "SPA") == (
        "The highest value on 5 systems is that of CIDEr; differences are not tested here."
    )


def test_without_any_value_it_says_so() -> None:
    empty = BenchColumn("all", "accuracy", {"mine": Value()}, {}, 9, 9, Value(0.5))
    assert sentence(kept(empty), "all") == "No metric has a value."


def test_pairs_answer_by_their_first_accuracy_and_ratings_by_acc_eq() -> None:
    shares = {"CIDEr": 0.9, "METEOR": 0.5}
    pairs = [column(name, "accuracy", **shares) for name in ("mean", "HC")]
    of_pairs = kept(*pairs, column("acc_eq", "acc_eq", **shares))
    of_ratings = kept(
        column("tau_c", "tau_c", **shares),
        column("acc_eq", "acc_eq", **shares),
        column("systems", "systems", **shares),
    )

    found = [*evidence([of_pairs, of_ratings])]
    assert [(each.use, each.column) for each in found] == [
        ("choose between two captions of one image", "mean"),
        ("choose between two captions of one image", "acc_eq"),
        ("rank systems", "systems"),
    ]


def test_each_number_of_references_of_foil_stands_by_itself() -> None:
    shares = {"CIDEr": 0.9, "METEOR": 0.5}
    columns = [column(name, "accuracy", **shares) for name in ("1", "4")]
    own = kept(*columns, use=SETS["foil"].use, **{"1": 1.0, "4": 4.0})

    found = [*evidence([own])]
    assert [(each.use, each.references) for each in found] == [
        ("detect a wrong word", 1.0),
        ("detect a wrong word", 4.0),
    ]


def test_a_use_stands_also_where_no_set_answers_it() -> None:
    other = kept(column("acc_eq", "acc_eq", CIDEr=0.9, METEOR=0.5), use="judge songs")

    assert uses([*evidence([other])]) == [
        "rank systems",
        "choose between two captions of one image",
        "detect a wrong word",
        "judge audio captions",
        "judge songs",
    ]
