"""The search for the settings of a printed table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tercet.analysis.bench.digits import Digits, PrintedRow
from tercet.analysis.bench.search.explanation import (
    explain,
    grid_of,
    grid_of_dataset,
    remarks,
    reproduce,
    sentence,
)
from tercet.analysis.bench.search.grids import FIRST, GivenReferences, Grid
from tercet.analysis.dataset.folder import load
from tercet.metrics import FloatArray
from tests.support.folders import write_csv

CATEGORIES = ("HC", "HI", "HM", "MM")
METRICS = ("BLEU-1", "CIDEr-D")
WORDS = [
    "a",
    "the",
    "dog",
    "cat",
    "runs",
    "sits",
    "on",
    "red",
    "ball",
    "two",
    "men",
    "tree",
]


def write_pairs(folder: Path, images: int = 60) -> Path:
    """Write pairs of captions of random words, with votes on each of five references."""
    generator = np.random.default_rng(3)

    def caption() -> str:
        size = int(generator.integers(4, 9))
        return " ".join(generator.choice(WORDS, size))

    references, pairs, votes = [], [], []
    for number in range(images):
        image = f"i{number}"
        references += [(image, caption()) for _ in range(5)]
        for category in CATEGORIES:
            name = f"{image} {category}"
            pairs.append((name, image, caption(), caption(), category))
            votes += [
                (name, str(place), "", str(generator.choice(["B", "C"])))
                for place in range(1, 6)
            ]
    folder.mkdir(exist_ok=True)
    write_csv(folder / "references.csv", ("image", "caption"), references)
    columns = ("pair", "image", "candidate_b", "candidate_c", "category")
    write_csv(folder / "pairs.csv", columns, pairs)
    write_csv(folder / "votes.csv", ("pair", "reference", "annotator", "choice"), votes)
    return folder


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Grid:
    return grid_of_dataset(load(write_pairs(tmp_path_factory.mktemp("pairs"))))


def printed(
    values: FloatArray, name: str = "row", metric: str = "CIDEr-D"
) -> PrintedRow:
    """Print shares in percent with one decimal."""
    figures = [Digits(round(100 * float(value), 1), 1) for value in values]
    return PrintedRow(name, metric, dict(zip(CATEGORIES, figures, strict=True)))


def values_at(grid: Grid, metric: str, setting: Sequence[int]) -> FloatArray:
    """Return our values of the categories under a setting, by numbers of its labels."""
    own, tokens, documents, references, *others = setting
    given = grid.given[references]
    found = grid.kept_values(metric, [given])[given]
    documents = min(documents, found.low.shape[2] - 1)
    bounds = [
        each[own, tokens, documents][tuple(others)][0, : len(CATEGORIES)]
        for each in found
    ]
    middle: FloatArray = np.mean(bounds, axis=0)
    return middle


def test_rows_of_our_own_settings_have_them_among_the_best(grid: Grid) -> None:
    generator = np.random.default_rng(1)
    sizes = [len(labels) for labels in grid.axes.values()]
    found = 0
    while found < 30:
        setting = [int(generator.integers(size)) for size in sizes]
        values = values_at(grid, "CIDEr-D", setting)
        if np.isnan(values).any():
            continue
        explanation = explain([printed(values)], grid)
        assert explanation.best[(*setting, 0)], setting
        found += 1


def test_rows_of_random_digits_are_not_reproduced(grid: Grid) -> None:
    generator = np.random.default_rng(2)
    anywhere = generator.uniform(0, 1, (50, 4))
    plausible = generator.uniform(0.4, 0.6, (50, 4))

    for values in [*anywhere, *plausible]:
        found = explain([printed(values, metric="BLEU-1")], grid)
        assert not found.is_reproduced
        assert " reproduced" not in sentence(found)


def ours(grid: Grid, metric: str) -> FloatArray:
    setting = [labels.index(grid.usual[name]) for name, labels in grid.axes.items()]
    return values_at(grid, metric, setting)


def test_our_defaults_are_named_where_they_give_the_table(grid: Grid) -> None:
    rows = [printed(ours(grid, name), name, name) for name in METRICS]
    found = explain(rows, grid)
    assert found.differences == []
    assert sentence(found).startswith(
        "To the printed precision 2 of 2 rows are reproduced by our defaults ("
    )


def with_one_reference(grid: Grid, metric: str) -> FloatArray:
    chosen = {**grid.usual, "references": "first 1"}
    return values_at(
        grid, metric, [labels.index(chosen[name]) for name, labels in grid.axes.items()]
    )


def test_other_settings_are_named_as_differences_from_ours(grid: Grid) -> None:
    values = {name: with_one_reference(grid, name) for name in METRICS}
    rows = [printed(each, name, name) for name, each in values.items()]
    found = explain(rows, grid)

    assert found.differences == ["references first 1 instead of all"]
    assert "and not by our defaults, from which it differs in" in sentence(found)


def test_a_row_that_no_setting_gives_is_a_suspected_error(grid: Grid) -> None:
    rows = [printed(ours(grid, name), name, name) for name in METRICS]
    first = CATEGORIES[0]
    slip = {**rows[1].cells, first: Digits(rows[1].cells[first].value + 30, 1)}
    wrong = PrintedRow("slip", "CIDEr-D", slip)

    found = explain([*rows, wrong], grid)
    assert sentence(found).startswith(
        "To the printed precision 2 of 3 rows are reproduced"
    )
    [line] = remarks(found)
    assert line.startswith("  slip: ")
    assert line.endswith("points off; suspected error.")


def test_two_digits_carry_no_claim(grid: Grid) -> None:
    values = ours(grid, "BLEU-1")
    row = PrintedRow("BLEU-1", "BLEU-1", {"HC": Digits(round(100 * values[0]), 0)})
    found = explain([row], grid)

    assert found.most == 1
    assert not found.is_reproduced
    assert "compatible with" in sentence(found)
    assert "digits by chance fit too often" in sentence(found)


def test_a_range_of_draws_reproduces_nothing(grid: Grid) -> None:
    chosen = {**grid.usual, "references": "random 4"}
    setting = [labels.index(chosen[name]) for name, labels in grid.axes.items()]
    found = explain([printed(values_at(grid, "CIDEr-D", setting))], grid)

    assert found.best[(*setting, 0)]
    assert found.is_exact or not found.is_reproduced


def test_a_column_that_the_set_has_not_is_named(grid: Grid) -> None:
    row = PrintedRow("ours", "BLEU-1", {"tau_c": Digits(0.4, 1)})
    with pytest.raises(
        ValueError, match="Row ours: the set has no column tau_c; it has HC"
    ):
        explain([row], grid)


def test_a_figure_beyond_its_unit_is_named(grid: Grid) -> None:
    cells = {"HC": Digits(0.51, 2), "HI": Digits(1.049, 3), "HM": Digits(0.44, 2)}
    with pytest.raises(ValueError, match=r"column HI: 1\.049 is more than 1"):
        explain([PrintedRow("ours", "BLEU-1", cells)], grid)


def test_counts_of_references_that_are_printed_are_not_searched(grid: Grid) -> None:
    given = GivenReferences(FIRST, 2)
    found = grid.kept_values("BLEU-1", [given])[given].low
    values = found[0, 0, 0, 0, 0, 0, 0, 0, :4]
    row = printed(values, metric="BLEU-1")
    with_count = PrintedRow(row.name, row.metric, row.cells, references=2)

    explanation = explain([with_count], grid)
    assert explanation.axes["references"] == ["first of them", "random of them"]
    assert explanation.most == 1


def test_a_table_is_read_and_what_is_not_at_hand_is_said(tmp_path: Path) -> None:
    folder = write_pairs(tmp_path / "pairs", images=4)
    table = tmp_path / "table.csv"
    table.write_text("row,metric,HC\nours,SPICE,50.0\n", encoding="utf-8")

    first, second = reproduce(table, [folder])
    assert first == "pairs: No row is of a metric at hand."
    assert second == "  ours: no such metric here."


EXPERT = ("BLEU-1", "ROUGE-L")


def correlated(grid: Grid, metric: str, rows: str) -> list[float]:
    """Return tau_b and tau_c with all references by our own setting, but for what a row is."""
    given = GivenReferences(FIRST)
    found = grid.kept_values(metric, [given])[given].low
    number = list(grid.axes["rows"]).index(rows)
    taus = [list(grid.columns).index(name) for name in ("tau_b", "tau_c")]
    return [float(each) for each in found[0, 0, 0, number, 0, 0, taus]]


def test_rows_of_mean_ratings_are_told_from_rows_of_every_rating(
    flickr8k: Path,
) -> None:
    name, grid = grid_of(flickr8k)
    assert name == "flickr8k-expert"

    rows = []
    for metric in EXPERT:
        taus = correlated(grid, metric, "mean rating")
        figures = [Digits(round(100 * each, 1), 1) for each in taus]
        cells = dict(zip(("tau_b", "tau_c"), figures, strict=True))
        rows.append(PrintedRow(metric, metric, cells))

    found = explain(rows, grid)
    assert found.is_reproduced
    assert found.differences == ["rows mean rating instead of every rating"]
    assert "and not by our defaults" in sentence(found)


def test_two_columns_of_the_cider_paper_carry_no_claim_about_single_rows(
    abstract50s: Path,
) -> None:
    _name, grid = grid_of(abstract50s)
    cells = {"HC": Digits(65.5, 1), "HI": Digits(93.0, 1)}
    found = explain([PrintedRow("BLEU_4", "BLEU-4", cells)], grid)

    assert not found.is_reproduced
    assert not sentence(found).startswith(
        "To the printed precision this row is reproduced"
    )
    low, high = found.ours(found.fitted[0])
    assert 100 * low == pytest.approx([62.25, 90.25], abs=0.01)
    assert (low == high).all()
