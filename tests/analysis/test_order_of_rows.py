"""The order of rows and columns of a dataset folder changes no byte of a report."""

import csv
import shutil
from pathlib import Path
from random import Random

import pytest

from tercet.analysis.__main__ import main
from tests.support.drawing import draw_nothing
from tests.support.folders import DEMO, contents, write_csv

OPTIONS = [
    *("--metrics", "BLEU-4,ROUGE-L,CIDEr-D,length"),
    *("--draws", "2", "--resamples", "50", "--flips", "19"),
    *("--only", "answer,table,accuracy,differences,systems,agreement,humans"),
]


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """The demo with half of its pairs, to be quick."""
    folder = tmp_path / "demo"
    shutil.copytree(DEMO, folder)
    header, *rows = read(folder / "pairs.csv")
    kept = rows[::2]
    write_csv(folder / "pairs.csv", header, kept)

    names = {row[0] for row in kept}
    for table in ("votes.csv", "gold.csv"):
        header, *rows = read(folder / table)
        write_csv(folder / table, header, [row for row in rows if row[0] in names])
    return folder


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def shuffle(folder: Path, seed: int) -> None:
    """Bring rows and columns into other orders; references stay in order within an image."""
    random = Random(seed)
    for path in sorted(folder.glob("*.csv")):
        header, *first = read(path)
        rows = random.sample(first, len(first))
        if path.name == "references.csv":
            rows = in_first_order(rows, first, header.index("image"))

        columns = random.sample(range(len(header)), len(header))
        names = [header[column] for column in columns]
        write_csv(path, names, [[row[column] for column in columns] for row in rows])


def in_first_order(
    rows: list[list[str]], first: list[list[str]], image: int
) -> list[list[str]]:
    """The rows of each image in their first order, at the places that its rows have now."""
    names = {row[image] for row in first}
    left = {name: iter([row for row in first if row[image] == name]) for name in names}
    return [next(left[row[image]]) for row in rows]


def report(folder: Path, out: Path) -> dict[str, bytes]:
    assert not main([str(folder), "--out", str(out), *OPTIONS])
    return contents(out)


def test_no_byte_of_a_report_depends_on_the_order_of_rows(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_nothing(monkeypatch)
    expected = report(demo, tmp_path / "first")

    shuffle(demo, seed=4)
    assert report(demo, tmp_path / "second") == expected
