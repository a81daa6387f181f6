"""What a report says of two metrics is the same wherever it stands, with the same digits."""

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from io import BytesIO
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import comparisons_of
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Finding
from tercet.analysis.report.accuracies import accuracies_by_count
from tercet.analysis.report.first_screen import panel
from tercet.analysis.report.folder import table_csv
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.tables.schema import SCORES, Dataset
from tercet.analysis.values import percent_interval
from tests.analysis.frames import dataset, frame, rows_with, with_winners

NAMES = ("one", "two", "three", "four", "five")
OPTIONS = Options(metrics=NAMES, draws=1, resamples=80, flips=99)
TURNED = {"more often": "less often", "less often": "more often"}
"""The verdicts that are a difference, from the other side."""
EMPTY = dict.fromkeys(("accuracy", "low", "high", "more_pairs"), "")

Verdicts = dict[tuple[str, str, str, str], str]


def random_study(seed: int) -> Dataset:
    """Unequal categories, few images, ties of people and of metrics, candidates among references.

    The scores of metrics are supplied; some follow the winners closely, others do not.
    """
    random = np.random.default_rng(seed)
    images = int(random.integers(2, 18))
    categories = ["HC", "HI", "HM"][: random.integers(1, 4)]
    pairs = [
        (
            f"p{n}",
            f"image {n % images}",
            f"b {n}",
            f"c {n}",
            str(random.choice(categories)),
        )
        for n in range(images * int(random.integers(1, 4)))
    ]
    copied = [(image, b) for _, image, b, *_ in pairs if random.random() < 0.1]
    references = [*((f"image {n}", f"a reference {n}") for n in range(images)), *copied]
    winners = [str(random.choice(["B", "B", "C", "tie"])) for _ in pairs]

    side = np.array([{"B": 1, "C": -1, "tie": 0}[winner] for winner in winners])
    scores = [
        (name, pair, str(score), "0")
        for name, noise in zip(NAMES, (0.6, 0.8, 1.5, 3, 9), strict=True)
        for (pair, *_), score in zip(
            pairs, np.round(side + noise * random.normal(size=len(pairs))), strict=True
        )
    ]
    made = with_winners(dataset(references, pairs), winners)

    return replace(
        made, scores=frame(SCORES, scores, ("metric", "pair", "score_b", "score_c"))
    )


@dataclass(frozen=True)
class Shown:
    """The parts of a report, as their files hold them."""

    results: Results
    found: dict[str, Finding]

    @classmethod
    def of(cls, made: Dataset) -> "Shown":
        results = evaluate(made, OPTIONS)
        found = find(results, ["answer", "table", "differences", "accuracy"])

        assert not [each.error for each in found if each.error]

        return cls(results, {each.name: each for each in found})

    def file(self, name: str) -> pd.DataFrame:
        """Read a table as the site and programs do, with counts as texts."""
        finding = self.found[name]
        table = finding.tables.get(name, pd.DataFrame())
        if table.empty:
            return table

        read = pd.read_csv(
            BytesIO(table_csv(table)), keep_default_na=False, na_values=EMPTY
        )
        return read.assign(reference_count=read["reference_count"].astype(str))

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdict on one metric beside another, by category, count and metrics."""
        return verdicts_in(self.file("answer"))

    @cached_property
    def panel(self) -> list[dict[str, str]]:
        """What the panel shows, made from the file."""
        panel_rows = comparisons_of(self.file("answer"))
        rows = panel(panel_rows)["rows"]
        assert isinstance(rows, list)
        return rows

    @cached_property
    def last(self) -> tuple[str, str]:
        """The category and the count of the sentence."""
        table = self.file("answer")
        return table["category"].iloc[0], table["reference_count"].iloc[0]


def verdicts_in(table: pd.DataFrame) -> Verdicts:
    """Return the verdicts of a table from both sides."""
    verdicts: Verdicts = {}
    for row in table.to_dict("records"):
        category = row["category"]
        where = category, row["reference_count"]
        verdict = row["verdict"]
        verdicts[*where, row["metric_a"], row["metric_b"]] = verdict
        verdicts[*where, row["metric_b"], row["metric_a"]] = TURNED.get(
            verdict, verdict
        )

    return verdicts


@pytest.mark.parametrize("seed", range(30))
def test_every_part_of_a_report_has_the_same_verdict_and_digits(seed: int) -> None:
    shown = Shown.of(random_study(seed))
    if shown.file("answer").empty:
        assert not shown.found["answer"].sentence
        return

    assert shown.verdicts.items() >= verdicts_in(shown.file("differences")).items()

    check_panel(shown)
    check_letters_and_bold(shown)
    check_sentence(shown)
    check_digits(shown)


def check_panel(shown: Shown) -> None:
    """The panel made from the file is that from memory, and says what the verdicts are."""
    in_memory = panel(comparisons_of(shown.found["answer"].tables["answer"]))
    assert shown.panel == in_memory["rows"]

    for row in shown.panel:
        one, other = row["metric_a"], row["metric_b"]
        verdict = shown.verdicts[row["category"], row["reference_count"], one, other]
        better, worse = (one, other) if verdict == "more often" else (other, one)

        if verdict in TURNED:
            assert row["verdict"].startswith(
                f"{better} agrees with people more often than {worse}"
            )
        elif verdict == "no difference":
            assert row["verdict"].startswith(
                f"No difference can be seen between {one} and {other}"
            )
            assert "after adjusting" not in row["verdict"]
        else:
            assert (
                f"between {one} and {other} after adjusting for 10 comparisons"
                in row["verdict"]
            )

        assert f"{'' if row['p'].startswith('<') else '= '}{row['p']}" in row["verdict"]


def check_letters_and_bold(shown: Shown) -> None:
    """Two metrics share a letter, or bold with the best, exactly where no difference is seen."""
    table = shown.file("table")
    texts = shown.found["table"].texts
    bold = bold_in(texts["table.tex"])
    group = shown.results.main_group

    for count in table["reference_count"].unique().tolist():
        rows = rows_with(table, reference_count=count).query("letters != ''")
        letters = dict(zip(rows["metric"], rows["letters"], strict=True))

        for one, other in permutations(letters, 2):
            is_shared = bool(set(letters[one]) & set(letters[other]))
            assert is_shared == (shown.verdicts[group, count, one, other] not in TURNED)

        best = shown.results.compared(group, count_of(count)).index[0]
        of_best = set(letters.get(best, ""))
        alike = {name for name in letters if of_best & set(letters[name])}

        assert {name for at, name in bold if at == count} == alike


def check_sentence(shown: Shown) -> None:
    """The sentence lists every other metric under its verdict."""
    sentence = str(shown.found["answer"].sentence)
    best = best_in(sentence)
    named = set(best)

    for part in sentence.split(". "):
        for name in re.findall(r"(\w+) \(\d+\.\d %\)", part):
            assert shown.verdicts[*shown.last, best[0], name] == verdict_in(part, name)
            named.add(name)

    assert named == set(NAMES)


def best_in(sentence: str) -> list[str]:
    """Return the metrics that a sentence names as the best."""
    found = re.search(
        r" per image, (?:the \d+ main metrics \()?(.*?)\)? agrees? with people",
        sentence,
    )
    assert found
    return re.split(", | and ", found[1])


def verdict_in(sentence: str, name: str) -> str:
    """Return the verdict on the best metric beside one of those that a sentence lists."""
    if "less often" in sentence:
        return "more often"

    unadjusted = sentence.partition("; ")[2]
    is_adjusted = re.search(rf"\b{name}\b", unadjusted)
    return "no difference after adjusting" if is_adjusted else "no difference"


def check_digits(shown: Shown) -> None:
    """An accuracy has the same digits in panel, tables, LaTeX, headline table and sentence."""
    category, count = shown.last
    accuracy = shown.file("accuracy").set_index(
        ["category", "reference_count", "metric"]
    )
    words = shown.file("table").set_index(["reference_count", "metric"])
    tables = shown.found["answer"].tables
    headline = accuracies_by_count(tables["answer"], shown.results.all_counts)
    table = shown.found["table"]
    latex = table.texts["table.tex"]
    sentence = str(shown.found["answer"].sentence)

    for name in NAMES:
        row = accuracy.loc[(category, count, name), ["accuracy", "low", "high"]]
        share, low, high = map(float, row.to_numpy())
        cell = str(percent_interval(share, low, high))

        last = headline.rows[name][-1]
        assert str(last.text) == cell

        if category in words:
            assert words.loc[(count, name), category] == cell
            assert cell.partition(" ")[0] in latex_row(latex, count, name)

        digits = cell.partition(" ")[0]
        half_up = (100 * Decimal(str(share))).quantize(Decimal("0.1"), ROUND_HALF_UP)

        assert digits == str(half_up)

        is_best = name in best_in(sentence)
        assert (f": {digits} % (95" if is_best else f"{name} ({digits} %)") in sentence
        assert {digits} == panel_digits(shown, name)


def panel_digits(shown: Shown, name: str) -> set[str]:
    """Return the accuracies of a metric in the panel, where the sentence is of."""
    return {
        row["accuracy_a"].removesuffix("\N{NO-BREAK SPACE}%")
        for row in shown.panel
        if (row["category"], row["reference_count"], row["metric_a"])
        == (*shown.last, name)
    }


def bold_in(latex: str) -> set[tuple[str, str]]:
    """Return the count and the metric of each row of a LaTeX table in bold."""
    return set(re.findall(r"^(\w+) & \\bfseries (\S+) &", latex, re.MULTILINE))


def latex_row(latex: str, count: str, name: str) -> str:
    """Return the row of a metric in a LaTeX table."""
    found = re.search(rf"^{count} & (\\bfseries )?{name} &.*$", latex, re.MULTILINE)
    assert found
    return found[0]


def count_of(text: str) -> ReferenceCount:
    """Return the count that a text names."""
    return int(text) if text.isdigit() else "all"
