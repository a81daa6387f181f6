"""The second reader finds what is made false on purpose."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from tests.reader.reader import Fault, read
from tests.reader.report import Report
from tests.reader.studies import faults_of
from tests.support.drawing import draw_nothing
from tests.support.folders import DEMO

OPTIONS = {
    "metrics": ("BLEU-1", "ROUGE-L", "CIDEr-D"),
    "draws": 2,
    "resamples": 100,
    "flips": 99,
}


@pytest.fixture(autouse=True)
def _without_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_nothing(monkeypatch)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of the demo."""
    report = tmp_path_factory.mktemp("reader") / "report"
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        faults_of(DEMO, report, OPTIONS)
    return report


LEAD = re.compile(r'(?<=<p class="lead">).*?(?=</p>)', re.S)
PERCENT = re.compile(r"\d+\.\d")

Change = Callable[[str], str]


def swap_numbers(page: str) -> str:
    """Swap the first two accuracies of the first sentence."""
    lead = LEAD.search(page)
    assert lead
    first, second = list(dict.fromkeys(PERCENT.findall(lead[0])))[:2]
    names = {first: second, second: first}
    return LEAD.sub(
        PERCENT.sub(lambda found: names.get(found[0], found[0]), lead[0]), page
    )


def name_another(page: str) -> str:
    """Exchange the best metric and another one in the first sentence."""
    names = {"CIDEr-D": "BLEU-1", "BLEU-1": "CIDEr-D"}
    lead = LEAD.search(page)
    assert lead
    other = re.sub("|".join(names), lambda found: names[found[0]], lead[0])
    return LEAD.sub(other, page)


def replacing(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def raise_first(column: str) -> Change:
    """Return what raises the number of a column in the first row of a table."""

    def change(text: str) -> str:
        rows = list(csv.DictReader(text.splitlines()))
        rows[0][column] = str(float(rows[0][column]) * 1.1)
        lines = [list(rows[0]), *(list(row.values()) for row in rows)]
        cells = [[f'"{cell}"' for cell in line] for line in lines]
        return "\n".join(map(",".join, cells))

    return change


MADE_FALSE = {
    "two numbers of the first sentence are swapped": ("index.html", swap_numbers),
    "another metric is named as the best": ("index.html", name_another),
    "a row of the answer is another": ("answer.csv", raise_first("accuracy_a")),
    "a p of the answer is another": ("answer.csv", raise_first("p_adjusted")),
    "a row of accuracies is another": ("accuracy.csv", raise_first("accuracy")),
    "a plan is another": ("planning.csv", raise_first("pairs_needed")),
    "another cell is bold": ("index.html", replacing('"number best"', '"number"')),
    "a reason does not hold": (
        "index.html",
        replacing(
            "The dataset has no ratings.csv.", "Only one reference count is wanted."
        ),
    ),
    "nobody knows the sentence": (
        "index.html",
        replacing("Winners of", "The winners of"),
    ),
    "pairs are miscounted": ("index.html", replacing("Winners of 9", "Winners of 8")),
    "options are others": ("index.html", replacing("99 sign flips", "98 sign flips")),
}


@pytest.fixture(scope="module")
def faults(demo: Path) -> set[Fault]:
    """What is false before anything is made false."""
    return {*read(demo, DEMO)}


@pytest.mark.parametrize("name", MADE_FALSE)
def test_what_is_made_false_is_found(
    name: str, demo: Path, faults: set[Fault], tmp_path: Path
) -> None:
    file, change = MADE_FALSE[name]
    report = copytree(demo, tmp_path / "report")
    path = report / file
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    assert {*read(report, DEMO)} - faults


def test_another_vote_is_found(demo: Path, faults: set[Fault], tmp_path: Path) -> None:
    dataset = copytree(DEMO, tmp_path / "dataset")
    votes = dataset / "votes.csv"
    turned = votes.read_text(encoding="utf-8").replace(",B,", ",C,")
    votes.write_text(turned, encoding="utf-8")

    assert {*read(demo, dataset)} - faults


def test_other_code_keeps_its_limit_of_cells(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(f"pair\n{'p' * 1_000_001}\n", encoding="utf-8")
    before = csv.field_size_limit()

    assert len(Report(tmp_path).rows("pairs")) == 1
    assert csv.field_size_limit() == before
