from dataclasses import asdict, replace

import numpy as np
import pytest

from tercet import __version__
from tercet.analysis.dataset.winners import pair_winners, triplet_winners
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import NothingToEvaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import ALL, VOTES, Dataset
from tests.analysis.frames import dataset, even_dataset, frame, rows_with, with_winners
from tests.support.folders import PAIRS, three_votes

FEW = Options(draws=2, resamples=20)


def votes_on(*pairs: str) -> list[list[object]]:
    return [vote for vote in three_votes() if vote[0] in pairs]


def pairs_at_1(made: Dataset, options: Options = FEW) -> int:
    table = evaluate(made, options).accuracy
    table = rows_with(table, category=ALL, reference_count=1)
    [pairs] = table["pairs"].unique()

    return int(pairs)


def test_the_winners_stand_beside_the_accuracy() -> None:
    made = dataset(votes=three_votes())
    evaluation = evaluate(made, FEW)

    assert evaluation.winners.equals(pair_winners(made))
    assert evaluation.decided.triplets.equals(triplet_winners(made))


def test_pairs_without_votes_are_left_out_and_counted() -> None:
    made = dataset(votes=votes_on("p1", "p3", "p4"))
    assert pairs_at_1(made) == 3

    provenance = evaluate(made, FEW).provenance
    assert (provenance["pairs"], provenance["pairs_left_out"]) == (3, 1)


def votes_with(choices: dict[str, str]) -> list[list[object]]:
    """A vote on each pair, by its name."""
    return [[pair, 1, "ann", choices.get(str(pair), "tie")] for pair, *_others in PAIRS]


def test_categories_that_people_left_undecided_are_left_out_with_dropped_ties() -> None:
    made = dataset(votes=votes_with({"p1": "B", "p2": "C"}))
    dropping = replace(FEW, human_ties="drop", flips=19)
    results = evaluate(made, dropping)

    assert results.samples.categories == ["HC", "HI"]
    contributions = results.samples.contributions(results.metrics, "mean")
    assert np.isfinite(contributions).all()


def test_nothing_is_left_to_evaluate_where_ties_are_dropped_and_nobody_decided() -> (
    None
):
    made = dataset(votes=votes_with({}))
    with pytest.raises(NothingToEvaluate, match="People decided none of the pairs"):
        evaluate(made, replace(FEW, human_ties="drop"))

    assert pairs_at_1(made) == 4


def test_unfinished_pairs_are_judged_as_they_stand_and_counted() -> None:
    study = {"protocol": "triplet", "votes": 3, "references": 2}
    made = dataset(votes=three_votes(references=[1, 2])[:-1], study=study)

    assert pairs_at_1(made) == 4

    results = evaluate(made, FEW)
    assert results.provenance["pairs_unfinished"] == 1


def test_votes_that_do_not_count_change_nothing() -> None:
    made = dataset(votes=three_votes())
    rows = [["p1", 1, "", "C", "superseded"], ["p2", 2, "", "C", "excluded"]] * 9
    rows += [[*vote, "valid"] for vote in three_votes()]
    columns = (*VOTES.required, "status")
    more = frame(VOTES, rows, columns)

    one, other = evaluate(made, FEW), evaluate(replace(made, votes=more), FEW)
    assert one.accuracy.equals(other.accuracy)
    assert one.winners.equals(other.winners)
    assert one.provenance == other.provenance


def identical() -> Dataset:
    """Two references of the dog, and all of the cat, equal a candidate of their image."""
    references = [
        *(
            ("dog", caption)
            for caption in ("a dog runs", "dog outside", "grass", "cat cat cat")
        ),
        *(("cat", caption) for caption in ("a cat on a roof", "a sleeping animal")),
    ]
    return dataset(references, votes=three_votes(references=[1]))


def test_references_that_equal_a_candidate_are_counted() -> None:
    evaluation = evaluate(identical(), FEW)
    assert evaluation.provenance["identical_references"] == 4
    assert evaluation.provenance["pairs"] == 4
    assert max(set(evaluation.accuracy["reference_count"]) - {"all"}) == 4


def test_references_that_equal_a_candidate_are_left_out_if_asked() -> None:
    options = replace(FEW, exclude_identical=True)
    evaluation = evaluate(identical(), options)
    assert evaluation.provenance["identical_references"] == 4
    assert (
        evaluation.provenance["pairs"],
        evaluation.provenance["pairs_left_out"],
    ) == (2, 2)

    assert max(set(evaluation.accuracy["reference_count"]) - {"all"}) == 2
    assert set(evaluation.accuracy["category"]) == {"HC", "HI", "mean", "all"}


def test_leaving_out_references_leaves_the_winners_as_they_are() -> None:
    made = identical()
    options = replace(FEW, exclude_identical=True)
    evaluation = evaluate(made, options)
    assert evaluation.winners.equals(pair_winners(made))


def test_leaving_out_identical_references_is_evaluating_without_them() -> None:
    made = identical()
    captions = {(image, text) for _, image, b, c, _ in PAIRS for text in (b, c)}
    keys = list(zip(made.references["image"], made.references["caption"], strict=True))
    rest = replace(
        made, references=made.references[[key not in captions for key in keys]]
    )

    options = replace(FEW, exclude_identical=True)
    one = evaluate(made, options)
    accuracy = evaluate(rest, FEW).accuracy
    assert one.accuracy.equals(accuracy)


@pytest.mark.parametrize(
    "made",
    [
        dataset(),
        dataset(pairs=()),
        replace(
            dataset(),
            votes=frame(
                VOTES, [["p1", 1, "", "B", "surplus"]], (*VOTES.required, "status")
            ),
        ),
    ],
    ids=["no votes", "no pairs", "no valid votes"],
)
def test_without_any_winner_there_is_nothing_to_evaluate(made: Dataset) -> None:
    with pytest.raises(NothingToEvaluate, match="No pair has a winner yet"):
        evaluate(made)


def test_without_any_reference_there_is_nothing_to_evaluate() -> None:
    made = dataset(
        [("dog", "a dog runs"), ("cat", "cat cat cat")], votes=three_votes("B", [1])
    )

    with pytest.raises(NothingToEvaluate, match="All references equal candidates"):
        evaluate(made, replace(FEW, exclude_identical=True))


def test_an_unknown_metric_is_named() -> None:
    with pytest.raises(ValueError, match="unknown metric SPICE"):
        evaluate(dataset(votes=three_votes()), replace(FEW, metrics=("SPICE",)))


def test_all_that_made_a_result_is_told() -> None:
    made = replace(dataset(votes=three_votes()), info={"title": "Pets"})
    options = replace(FEW, seed=7, metrics=("CIDEr",), counts=(1, 2))
    provenance = evaluate(made, options).provenance

    assert provenance["dataset"] == "Pets"
    assert provenance["sha256"] == made.sha256
    assert (provenance["protocol"], provenance["votes"]) == ("triplet", 36)
    assert provenance["options"] == asdict(options)

    versions = provenance["versions"]
    assert isinstance(versions, dict)
    assert versions["tercet"] == __version__
    assert {"numpy", "scipy", "pandas", "matplotlib"} < set(versions)


def test_progress_goes_from_0_to_1_and_never_back() -> None:
    told: list[float] = []
    evaluate(
        even_dataset(0, images=4, references=3),
        FEW,
        lambda share, doing: told.append(share),
    )

    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert len(set(told)) > 4


def test_published_winners_are_evaluated_without_votes() -> None:
    made = with_winners(dataset(), ["B", "C", "", "B"])
    evaluation = evaluate(made, FEW)

    assert evaluation.provenance["votes"] == 0
    assert evaluation.decided.triplets.empty
    assert pairs_at_1(made) == 4
