"""People beside metrics, where one category says nothing."""

from dataclasses import replace

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tests.analysis.frames import even_dataset, find_one

FEW = Options(
    metrics=("CIDEr-D", "BLEU-4"), resamples=50, flips=19, draws=2, human_ties="drop"
)


def test_inflation_that_is_known_nowhere_is_not_drawn() -> None:
    made = even_dataset(0, images=6, references=3, pairs=1)
    pairs = made.pairs.assign(category=["x"] * 4 + ["y"] * 2)
    last_two = pairs["pair"][4:]
    is_of_y = made.votes["pair"].isin(last_two)
    votes = made.votes.assign(choice=made.votes["choice"].mask(is_of_y, "tie"))

    found = find_one(evaluate(replace(made, pairs=pairs, votes=votes), FEW), "humans")

    inflation = found.tables["inflation"]
    assert inflation["inflation"].isna().all()
    assert list(found.plots) == ["humans", "humans_curve"]
