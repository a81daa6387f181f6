"""People beside metrics, where one category says nothing."""

from dataclasses import replace

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tests.analysis.frames import even_dataset, find_one

FEW = Options(
    metrics=("CIDEr-D", "BLEU-4"), resamples=50, flips=19, draws=2, human_ties="drop"
)


def test_a_category_that_people_did_not_decide_is_no_part_of_the_inflation() -> None:
    made = even_dataset(0, images=6, references=3, pairs=1)
    pairs = made.pairs.assign(category=["x"] * 4 + ["y"] * 2)
    last_two = pairs["pair"][4:]
    is_of_y = made.votes["pair"].isin(last_two)
    votes = made.votes.assign(choice=made.votes["choice"].mask(is_of_y, "tie"))
    without = replace(made, pairs=pairs[:4], votes=made.votes[~is_of_y])

    both = find_one(evaluate(replace(made, pairs=pairs, votes=votes), FEW), "humans")
    one = find_one(evaluate(without, FEW), "humans")

    inflation = both.tables["inflation"]["inflation"].tolist()
    assert inflation == one.tables["inflation"]["inflation"].tolist()
    assert "inflation" in both.plots
