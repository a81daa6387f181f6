import pandas as pd
import pytest

from analysis.dataset.schema import HUMAN, PAIRS, PEOPLE, Dataset
from analysis.evaluation.options import Options
from analysis.evaluation.results import evaluate
from analysis.findings import find
from analysis.findings.finding import Finding
from tests.analysis.frames import dataset, frame

REFERENCES = [(f"image {n}", f"a dog runs over field {n}") for n in range(8)]
COLUMNS = ("pair", "image", "candidate_b", "candidate_c", "category", "source_b", "source_c")

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
        for n, (kind, (b, c, _)) in enumerate(zip(kinds, MACHINES + WITH_HUMAN, strict=True))
    ]
    winners = [winner for *_, winner in MACHINES + WITH_HUMAN]
    pairs = frame(PAIRS, rows, COLUMNS).assign(winner=winners)
    base = dataset(REFERENCES, ())
    return Dataset(references=base.references, pairs=pairs)


def systems(given: Dataset, *systems_from: str) -> Finding:
    options = Options(
        metrics=("length",), draws=1, resamples=50, flips=19, systems_from=systems_from
    )
    [found] = find(evaluate(given, options), ["systems"])
    assert not found.error
    return found


def by_people(table: pd.DataFrame) -> dict[str, tuple[int, float]]:
    rows = table[table["rater"] == PEOPLE]
    return {
        source: (pairs, fraction)
        for source, pairs, fraction in rows[["source", "pairs", "fraction"]].to_numpy().tolist()
    }


@pytest.mark.parametrize("machines", ["MM", "HI"])
def test_systems_are_compared_on_pairs_of_two_machines(machines: str) -> None:
    found = systems(made(machines))
    assert by_people(found.tables["systems"]) == {"copier": (4, 0.25), "lstm": (4, 0.75)}
    by_length = found.tables["systems"].query("rater == 'length'").set_index("source")["fraction"]
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
