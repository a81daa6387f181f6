import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import CANDIDATES, HUMAN, PEOPLE, Dataset
from tests.analysis.frames import dataset_by_sources, frame, one_row, rows_with

REFERENCES = [(f"image {n}", f"a dog runs over field {n}") for n in range(8)]

# Among machines "lstm" wins 3 of 4 and "copier" 1 of 4; people then prefer the human captions.
MACHINES = [("lstm", "copier", "B"), ("lstm", "copier", "B"), ("copier", "lstm", "C")]
MACHINES += [("copier", "lstm", "B")]
WITH_HUMAN = [(HUMAN, "copier", "B"), (HUMAN, "copier", "C"), (HUMAN, "copier", "C")]
WITH_HUMAN += [(HUMAN, "lstm", "B")]


def made(machines: str = "MM") -> Dataset:
    """A pair for each image, the longer caption by B; machines meet in the named category."""
    kinds = [machines] * 4 + ["HM"] * 4
    rows = [
        (f"p{n}", f"image {n}", "a dog runs there", "a dog", kind, b, c)
        for n, (kind, (b, c, _)) in enumerate(
            zip(kinds, MACHINES + WITH_HUMAN, strict=True)
        )
    ]
    winners = [winner for *_, winner in MACHINES + WITH_HUMAN]
    return dataset_by_sources(REFERENCES, rows, winners)


def systems(given: Dataset, *systems_from: str) -> Finding:
    options = Options(
        metrics=("length",), draws=1, resamples=50, flips=19, systems_from=systems_from
    )
    [found] = find(evaluate(given, options), ["systems"])

    assert not found.error

    return found


def by_people(table: pd.DataFrame) -> dict[str, tuple[int, float]]:
    rows = rows_with(table, rater=PEOPLE)
    return {
        source: (pairs, fraction)
        for source, pairs, fraction in rows[["source", "pairs", "fraction"]]
        .to_numpy()
        .tolist()
    }


@pytest.mark.parametrize("machines", ["MM", "HI"])
def test_systems_are_compared_on_pairs_of_two_machines(machines: str) -> None:
    found = systems(made(machines))
    assert by_people(found.tables["systems"]) == {
        "copier": (4, 0.25),
        "lstm": (4, 0.75),
    }

    by_length = (
        found.tables["systems"]
        .query("rater == 'length'")
        .set_index("source")["fraction"]
    )

    assert by_length.to_dict() == {"copier": 0.5, "lstm": 0.5}
    assert str(found.meaning).endswith("2 systems, 4 pairs.")


def test_other_categories_can_be_asked_for() -> None:
    found = systems(made(), "MM", "HM")
    expected = {"copier": (7, 3 / 7), "human": (4, 0.5), "lstm": (5, 0.6)}

    assert by_people(found.tables["systems"]) == expected
    assert "MM, HM: 3 systems, 8 pairs." in str(found.meaning)


def test_categories_without_such_pairs_have_a_note() -> None:
    found = systems(made(), "HC")
    assert not found.tables
    assert "No pair of HC names two different sources" in str(found.notes[0])


# Correlations over systems

MAIN = ("BLEU-1", "ROUGE-L", "CIDEr", "METEOR")
WORDS = [
    "a",
    "small",
    "brown",
    "dog",
    "runs",
    "over",
    "the",
    "green",
    "field",
    "near",
    "two",
    "old",
    "trees",
]


def rivals(systems: int, rounds: int = 6) -> Dataset:
    """Each two of some systems meet on some images; the later one names more of the scene."""
    chance = np.random.default_rng(0)
    meetings_once = combinations(range(systems), 2)
    meetings = list(meetings_once) * rounds
    references, rows, winners = [], [], []

    for number, (one, other) in enumerate(meetings):
        image = f"image {number}"
        scene = chance.permutation(WORDS)
        references += [
            (image, " ".join(chance.permutation(scene)[:9])) for _ in range(3)
        ]
        captions = [" ".join(scene[: 3 + each]) for each in (one, other)]
        rows.append((f"p{number}", image, *captions, "MM", f"s{one}", f"s{other}"))
        winners.append(
            "C" if chance.random() < 0.5 + (other - one) / (2 * systems) else "B"
        )

    return dataset_by_sources(references, rows, winners)


def compared(given: Dataset) -> Finding:
    options = Options(metrics=MAIN, draws=2, resamples=300, flips=19)
    [found] = find(evaluate(given, options), ["systems"])

    assert not found.error

    return found


def test_over_few_systems_no_metric_is_named_as_the_one_that_correlates_most() -> None:
    sentence = str(compared(rivals(5)).sentence)
    assert sentence.startswith(
        "Over 5 systems, the correlations of wins by the 4 main metrics"
    )
    assert sentence.endswith("Over fewer than 8 systems, metrics are not ranked.")
    assert not any(name in sentence for name in MAIN)


def test_the_sentence_has_the_range_of_the_correlations_and_of_their_intervals() -> (
    None
):
    found = compared(rivals(5))
    table = found.tables["systems_correlation"]
    table = table.query("of == 'win fraction' and coefficient == 'Pearson'")
    bounds = (
        table["value"].min(),
        table["value"].max(),
        table["low"].min(),
        table["high"].max(),
    )

    sentence = str(found.sentence)
    shown = re.findall(r"-?\d\.\d\d", sentence)
    assert shown == [f"{bound:.2f}" for bound in bounds]


def test_metrics_that_cannot_be_told_apart_are_counted_and_none_of_them_is_named() -> (
    None
):
    sentence = str(compared(rivals(9, rounds=2)).sentence)
    assert sentence.startswith("Over 9 systems")
    assert sentence.endswith("4 metrics cannot be told apart.")
    assert not any(name in sentence for name in MAIN)


def test_the_figure_that_the_paper_prints_stands_beside_the_correlations() -> None:
    [note] = [str(each) for each in compared(rivals(5)).notes]
    assert note.startswith(
        "The CIDEr paper prints a correlation of 0.98 for CIDEr over its 5"
    )
    assert note.endswith("so few systems alone leave 0.72 to 1.00.")


def test_wins_are_by_the_largest_number_of_references_that_is_wanted() -> None:
    """With all references both captions are perfect; with one, it decides, two times of three."""
    captions = ["a dog runs", "two cats sleep"]
    rows = [(f"p{n}", f"image {n}", *captions, "MM", "one", "two") for n in range(4)]
    references = [
        (f"image {n}", captions[each]) for n in range(4) for each in (0, 0, 1)
    ]
    given = dataset_by_sources(references, rows, "B")

    def fraction(counts: tuple[int, ...]) -> float:
        options = Options(
            metrics=("ROUGE-L",), counts=counts, draws=60, resamples=20, flips=19
        )
        [found] = find(evaluate(given, options), ["systems"])

        return float(
            one_row(found.tables["systems"], rater="ROUGE-L", source="one")["fraction"]
        )

    assert fraction(()) == 0.5
    assert fraction((1,)) == pytest.approx(2 / 3, abs=0.1)


def test_equal_captions_that_were_merged_are_said() -> None:
    given = made()
    said = "have the caption of another source of the same image"
    assert not any(said in note for note in systems(given).notes)

    twins = [(f"image {n}", "a dog", "lstm") for n in range(4)]
    twins += [("image 5", "a dog runs there", "unknown")]
    merged = replace(given, candidates=frame(CANDIDATES, twins))
    assert systems(merged).notes[0].startswith(f"2 candidates {said}: equal captions")
