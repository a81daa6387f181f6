"""What reports say of the ceiling."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.ceilings import HELP, ceiling_cells, ceiling_in_words
from tests.analysis.evaluation.test_ceilings import OPTIONS, voted
from tests.analysis.frames import find_one


def results(**study: object) -> Results:
    return evaluate(voted(**study), OPTIONS)  # type: ignore[arg-type]


def test_wide_bounds_are_told_without_a_number_between_them() -> None:
    found = results(votes=5)
    said = ceiling_in_words(found)
    [row] = found.people.ceiling.query("category == 'HC'").to_dict("records")

    assert re.match(
        r"Against these winners \(5 votes per pair; HC\) a perfect metric reaches between "
        rf"{100 * row['low']:.1f} and {100 * row['high']:.1f} %",
        said,
    )
    assert HELP in said
    assert ceiling_cells(found.people.ceiling)[0] == (
        f"{100 * row['low']:.1f}\N{EN DASH}{100 * row['high']:.1f}"
    )


def test_close_bounds_are_told_with_the_fitted_value() -> None:
    made = voted(images=300, votes=9)
    unanimous = replace(made, votes=made.votes.assign(choice="B"))
    found = evaluate(unanimous, OPTIONS)
    assert re.search(
        r"reaches \d+\.\d % \(95 % interval \d+\.\d to \d+\.\d\)\.",
        ceiling_in_words(found),
    )
    assert re.fullmatch(
        r"\d+\.\d \[\d+\.\d, \d+\.\d\]", ceiling_cells(found.people.ceiling)[0]
    )


@pytest.mark.parametrize(
    ("study", "reason"),
    [
        ({"votes": 1}, "Every pair has one vote, and that says nothing of what a perfect metric "
         "could reach."),
        ({"images": 29}, "The judged pairs of HC have fewer than 30 images"),
        ({"study": {"stop_early": True}}, "The study stops a pair early"),
    ],
)  # fmt: skip
def test_without_a_ceiling_no_digit_of_one_is_written(
    study: dict[str, object], reason: str
) -> None:
    found = results(**study)
    accuracy, table = (find_one(found, name) for name in ("accuracy", "table"))

    assert reason in accuracy.meaning
    assert reason in table.meaning
    assert HELP not in accuracy.meaning
    assert "ceiling" not in accuracy.tables
    assert not [text for text in table.texts.values() if "ceiling" in text]
    assert "ceiling" not in table.tables["table"].to_csv()


def test_coins_are_not_excluded_where_the_bounds_begin_at_chance() -> None:
    made = voted(votes=3)
    choices = np.random.default_rng(0).choice(["B", "C"], len(made.votes))
    found = evaluate(replace(made, votes=made.votes.assign(choice=choices)), OPTIONS)
    assert "between 50.0 and" in ceiling_in_words(found)
    assert "the votes do not exclude that people toss coins." in ceiling_in_words(found)


def test_many_ties_are_said_to_count_as_coins() -> None:
    made = voted(votes=5)
    choices = made.votes["choice"].mask(made.votes["annotator"] == "annotator-0", "tie")
    found = evaluate(replace(made, votes=made.votes.assign(choice=choices)), OPTIONS)
    assert "counts as half a vote for each candidate" in ceiling_in_words(found)
    assert "counts as half a vote" not in ceiling_in_words(results(votes=5))


def test_different_numbers_of_votes_are_told() -> None:
    made = voted(votes=5)
    first = made.votes["pair"] == made.votes["pair"].iloc[0]
    is_kept = ~first | (made.votes["annotator"] == "annotator-0")
    found = evaluate(replace(made, votes=made.votes[is_kept]), OPTIONS)
    assert "(1 to 5 votes per pair; HC)" in ceiling_in_words(found)
