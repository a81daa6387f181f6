import re
from dataclasses import replace

import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings.finding import Finding
from tercet.analysis.number_texts import percent
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import SCORES, Dataset
from tercet.analysis.values import p_value
from tests.analysis.frames import even_dataset, find_one, frame, one_row, with_winners

OPTIONS = Options(
    metrics=("BLEU-1", "ROUGE-L", "length"), draws=1, resamples=50, flips=19
)


@pytest.fixture(scope="module")
def found() -> Finding:
    made = even_dataset(0, images=24, references=2)
    return find_one(evaluate(made, OPTIONS), "learned")


def test_the_model_stands_beside_the_best_single_metric_in_every_group(
    found: Finding,
) -> None:
    table = found.tables["learned"]
    *models, seen = table["model"].unique()

    assert models == ["winner model", "best single metric", "mean of all metrics"]
    assert seen == "single metric, best on these pairs"

    is_single = table["model"] == "best single metric"
    assert table.loc[is_single, "p"].isna().all()
    assert table.loc[~is_single, "p"].between(0, 1).all()


def test_the_difference_is_that_of_the_accuracies(found: Finding) -> None:
    learned = found.tables["learned"]
    table = learned.set_index(["category", "model"])
    for category in table.index.get_level_values("category").unique():
        rows = table.loc[category]
        difference = (
            rows.loc["winner model", "accuracy"]
            - rows.loc["best single metric", "accuracy"]
        )

        assert rows.loc["winner model", "difference"] == pytest.approx(difference)


def test_figures_are_means_over_ten_assignments_with_their_spread(
    found: Finding,
) -> None:
    by_assignment = found.tables["learned_assignments"]
    for category, rows in by_assignment.groupby("category"):
        assert rows["assignment"].tolist() == list(range(1, 11))

        own = one_row(found.tables["learned"], category=category, model="winner model")
        values = rows["winner model"]
        gains = values - rows["best single metric"]

        assert own["accuracy"] == pytest.approx(values.mean())
        assert (own["lowest"], own["highest"]) == (values.min(), values.max())
        assert own["difference"] == pytest.approx(gains.mean())
        assert own["difference_sd"] == pytest.approx(gains.std())

    assert by_assignment["winner model"].nunique() > 1
    assert "mean over 10 assignments of images to folds" in str(found.sentence)


def test_the_model_is_tested_against_the_metric_that_is_best_on_the_very_pairs(
    found: Finding,
) -> None:
    for _, rows in found.tables["learned"].groupby("category"):
        model, single, _mean, seen = rows.to_dict("records")
        assert model["difference_best"] == pytest.approx(
            model["accuracy"] - seen["accuracy"]
        )
        assert rows["p_best"].isna().tolist() == [False, False, False, True]

        assert seen["accuracy"] >= single["accuracy"]
        assert seen["accuracy"] == seen["lowest"] == seen["highest"]


def test_the_best_single_metric_is_chosen_in_each_group_by_its_own_pairs() -> None:
    """BLEU-1 is always right in HC and wrong in HI; a metric from outside the other way round."""
    made = even_dataset(0, images=24, references=2)
    sign = made.pairs["category"].map({"HC": 1.0, "HI": -1.0}).fillna(1.0)
    kept = made.pairs["category"].isin(["HC", "HI"])
    made = replace(made, pairs=made.pairs[kept].reset_index(drop=True))
    made = with_winners(made, ["B"] * len(made.pairs))
    lines = [
        (name, pair, str(factor * value), "0")
        for name, factor in (("first", 1), ("second", -1))
        for pair, value in zip(made.pairs["pair"], sign[kept], strict=True)
    ]
    scores = frame(SCORES, lines, ("metric", "pair", "score_b", "score_c"))
    made = replace(made, scores=scores, votes=made.votes.iloc[:0])
    found = find_one(
        evaluate(made, replace(OPTIONS, metrics=("first", "second"))), "learned"
    )

    table = found.tables["learned"]
    for category, name in (("HC", "first"), ("HI", "second")):
        single = one_row(table, category=category, model="best single metric")
        assert single["metric"] == f"{name} (100 of 100)"

        best = one_row(
            table, category=category, model="single metric, best on these pairs"
        )

        assert best["metric"] == name


def test_the_sentence_begins_with_what_it_is_a_mean_of() -> None:
    """Every category but HM keeps all its pairs."""
    made = even_dataset(0, images=24, references=2)
    of_hm = made.pairs.index[made.pairs["category"] == "HM"]
    made = replace(made, pairs=made.pairs.drop(of_hm[7:]).reset_index(drop=True))

    sentence = str(find_one(evaluate(made, OPTIONS), "learned").sentence)
    assert sentence.startswith(
        "Averaged over the categories HC, HI, HM and MM, which have 18, 18, 7 and 18 pairs, a "
        "weighted sum of 2 metrics and the baseline length agrees with people in "
    )


def test_candidates_among_references_are_told_with_what_is_learned_without_them(
    found: Finding,
) -> None:
    made = even_dataset(0, images=24, references=3)
    own = made.references.groupby("image")["caption"].first()
    is_copied = made.pairs.index % 3 == 0
    copies = made.pairs["candidate_b"].mask(is_copied, made.pairs["image"].map(own))
    copied = replace(made, pairs=made.pairs.assign(candidate_b=copies))

    results = evaluate(copied, OPTIONS)
    with_copies = find_one(results, "learned")
    reservations = map(str, with_copies.reservations)
    told = " ".join(reservations)

    assert told.startswith(
        "In 24 of 72 pairs (33.3 %), a candidate is also one of the references"
    )

    without = find_one(
        evaluate(copied, replace(OPTIONS, exclude_identical=True)), "learned"
    )
    model, single, *_ = (
        without.tables["learned"].query("category == 'mean'").to_dict("records")
    )

    assert told.endswith(
        "On 72 pairs, without these references, a weighted sum of 2 metrics and the baseline "
        f"length agrees with people in {percent(model['accuracy']):.1f} % of cases, and the best "
        "single metric in "
        f"{percent(single['accuracy']):.1f} % ({p_value(model['p'])})."
    )
    assert not without.reservations
    assert not found.reservations


def with_shared_captions() -> Dataset:
    """Images 0 and 1, 2 and 3, … show one caption in a pair of each."""
    made = even_dataset(0, images=48, references=2)
    of_first = made.pairs.groupby("image", sort=False).head(1)
    shared = {
        pair: f"the caption of images {number // 2}"
        for number, pair in enumerate(of_first["pair"])
    }
    candidates = made.pairs["pair"].map(shared).fillna(made.pairs["candidate_b"])

    return replace(made, pairs=made.pairs.assign(candidate_b=candidates))


def test_captions_of_images_in_other_folds_are_counted_unless_they_are_kept_together() -> (
    None
):
    made = with_shared_captions()
    results = evaluate(made, OPTIONS)
    apart = find_one(results, "learned")
    [note] = map(str, apart.notes)

    assert re.match(
        r"In (2[6-9]|3[0-3])\.\d % of 144 pairs, a candidate also belongs to", note
    )

    together = find_one(evaluate(made, replace(OPTIONS, folds="captions")), "learned")
    assert not together.notes


def test_images_that_all_share_captions_train_no_model() -> None:
    made = even_dataset(0, images=24, references=2)
    pairs = made.pairs.assign(candidate_b="a cat on the roof")
    same = replace(made, pairs=pairs)
    found = find_one(evaluate(same, replace(OPTIONS, folds="captions")), "learned")

    assert not found.tables
    assert "there are 1 groups of images that share captions" in str(found.notes[0])


def test_weights_add_up_to_one(found: Finding) -> None:
    table = found.tables["learned_weights"]
    assert table["weight"].sum() == pytest.approx(1)
    assert (table["low"] <= table["high"]).all()


def test_a_single_count_is_the_one_that_is_learned_with() -> None:
    made = even_dataset(0, images=24, references=2)
    one = find_one(evaluate(made, replace(OPTIONS, counts=(1,))), "learned")
    results = evaluate(made, replace(OPTIONS, counts=(1,), learn=True, order="file"))
    rows = results.accuracy.query("metric == 'winner model'").set_index("category")
    table = one.tables["learned_assignments"]

    own = table.query("assignment == 1").set_index("category")["winner model"]
    assert rows["accuracy"].to_dict() == pytest.approx(own.to_dict())


def test_few_images_train_no_model() -> None:
    few = find_one(
        evaluate(even_dataset(0, images=6, references=2), OPTIONS), "learned"
    )
    assert not few.tables
    assert "at least 20 images" in str(few.reason)
