import re
from dataclasses import replace

import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Finding
from tercet.analysis.findings.first_sentence import Leader
from tercet.analysis.report.remarks import remarks
from tercet.analysis.report.signature import signature
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import SCORES, SIMULATED, VOTES, Dataset
from tests.analysis.frames import (
    dataset,
    even_dataset,
    find_one,
    frame,
    random_dataset,
    with_winners,
)

FEW = Options(
    draws=2, resamples=200, flips=199, metrics=("BLEU-1", "CIDEr-D", "length")
)


def answer_of(made: Dataset, **options: object) -> Finding:
    [finding] = find(evaluate(made, replace(FEW, **options)), ["answer"])  # type: ignore[arg-type]
    assert not finding.error

    return finding


def longer_wins(images: int) -> Dataset:
    """People always prefer the longer candidate; BLEU-1 always prefers the shorter one."""
    references = [(f"image {n}", f"dog number {n} runs") for n in range(images)]
    pairs = [
        (f"p{n}", f"image {n}", f"dog number {n} runs", "one two three four five", "HC")
        for n in range(images)
    ]

    return with_winners(dataset(references, pairs), ["C"] * images)


def test_every_two_headline_metrics_are_compared_in_every_group_and_at_every_count() -> (
    None
):
    made = even_dataset(0, images=8, references=4)
    table = answer_of(made).tables["answer"]

    pairs = set(map(frozenset, zip(table["metric_a"], table["metric_b"], strict=True)))
    assert pairs == {
        frozenset({"BLEU-1", "CIDEr-D"}),
        frozenset({"BLEU-1", "length"}),
        frozenset({"CIDEr-D", "length"}),
    }

    groups = table.groupby(["category", "reference_count"]).size()
    assert (groups == 3).all()
    assert {"mean", "all"} < set(table["category"])


def test_the_better_metric_stands_first_with_the_accuracies_of_the_accuracy_table() -> (
    None
):
    made = even_dataset(1, images=8, references=4)
    results = evaluate(made, FEW)
    [finding] = find(results, ["answer"])

    table = finding.tables["answer"]

    assert (table["accuracy_a"] >= table["accuracy_b"]).all()

    difference = table["accuracy_a"] - table["accuracy_b"]
    pd.testing.assert_series_equal(
        difference.astype(float), table["difference"].astype(float), check_names=False
    )
    keys = ["metric", "category", "reference_count"]
    by_key = results.all_counts.set_index(keys)
    accuracy = by_key["accuracy"].to_dict()

    for row in table.to_dict("records"):
        key = (row["metric_a"], row["category"], row["reference_count"])
        assert row["accuracy_a"] == accuracy[key]


def test_a_clear_difference_is_stated_in_points() -> None:
    finding = answer_of(longer_wins(12), metrics=("BLEU-1", "length"))
    first = finding.tables["answer"].iloc[0]

    assert (first["metric_a"], first["metric_b"]) == ("length", "BLEU-1")
    assert first["verdict"] == "more often"
    assert str(first["words"]).startswith(
        "length agrees with people more often than BLEU-1, by 100.0 points (p = .0"
    )


def test_where_no_difference_is_seen_the_verdict_says_what_would_show_one() -> None:
    table = answer_of(even_dataset(2, images=8, references=4)).tables["answer"]
    unclear = table.query("verdict == 'no difference'")

    assert len(unclear)

    said = unclear["words"].map(str)
    assert said.str.startswith("No difference can be seen between ").all()

    more = said.str.contains(
        r"detecting a difference of 2 points .* takes about [\d,]+ more pairs like these\.$"
    )
    enough = said.str.endswith("would probably have been detected.")

    assert (more | enough | said.str.contains("All images give the same result")).all()


def test_metrics_that_never_differ_are_not_said_to_be_compared_precisely() -> None:
    made = longer_wins(4)
    finding = answer_of(made, metrics=("BLEU-1", "BLEU-2"))
    [words] = finding.tables["answer"]["words"].map(str).unique()

    assert words == (
        "No difference can be seen between BLEU-1 and BLEU-2 (p = 1.000). All images give the "
        "same result, so these pairs cannot show how many more are needed."
    )


def test_the_sentence_names_the_best_metric_and_leaves_baselines_out() -> None:
    sentence = str(answer_of(even_dataset(4, images=8, references=4)).sentence)

    assert sentence.startswith("On ")
    assert "agrees with people most often of the 2 main metrics: " in sentence
    assert "length" not in sentence


def test_pairs_without_a_category_are_part_of_what_the_sentence_is_of() -> None:
    made = longer_wins(36)
    categories = ["x"] * 4 + ["y"] * 4 + [""] * 28
    sentence = str(
        answer_of(replace(made, pairs=made.pairs.assign(category=categories))).sentence
    )

    assert sentence.startswith(
        "Averaged over the categories “no category”, x and y, which have 28, 4 and 4 pairs, with "
    )
    assert "Over all 36 pairs without regard to categories, " in sentence


def test_where_people_decided_nothing_no_sentence_has_a_share() -> None:
    made = longer_wins(36)
    ties = [(pair, "1", "", "tie") for pair in made.pairs["pair"] for _vote in range(3)]
    votes = frame(VOTES, ties, VOTES.required)
    undecided = replace(made, pairs=made.pairs.assign(winner=""), votes=votes)
    names = ["answer", "accuracy", "table", "enough", "captions", "people"]
    first, *others = find(evaluate(undecided, FEW), names)

    assert str(first.sentence) == (
        "People decided none of the 36 pairs: every winner is a tie."
    )
    assert [str(each.sentence) for each in others if "%" in str(each.sentence)] == []


def test_metrics_that_do_not_score_every_pair_are_not_counted_as_compared() -> None:
    made = longer_wins(36)
    lines = [("some", pair, "1", "0") for pair in made.pairs["pair"][:30]]
    scores = frame(SCORES, lines, ("metric", "pair", "score_b", "score_c"))
    metrics = ("BLEU-1", "CIDEr-D", "some")
    sentence = str(answer_of(replace(made, scores=scores), metrics=metrics).sentence)

    assert "2 compared main metrics" in sentence


def test_metrics_that_are_best_alike_are_called_equal() -> None:
    sentence = str(
        answer_of(longer_wins(36), metrics=("BLEU-1", "BLEU-2", "length")).sentence
    )

    assert sentence == (
        "On 36 pairs, with 1 reference per image, the 2 main metrics (BLEU-1 and BLEU-2) agree "
        "with people equally often: 0.0 % (95 % interval 0.0 to 9.7). This interval does not lie "
        "above chance, which is 50 %."
    )


def test_different_intervals_of_metrics_that_are_best_alike_are_one_range() -> None:
    values = {
        "accuracy": [0.75, 0.75, 0.5],
        "low": [0.5, 0.6, 0.4],
        "high": [0.9, 0.8, 0.6],
    }
    table = pd.DataFrame(values, index=["BLEU-1", "CIDEr", "METEOR"])

    leader = Leader("mean", 5, table)

    assert str(leader.in_words) == "BLEU-1 and CIDEr"
    assert str(leader.interval) == "95 % intervals within 50.0 to 90.0"


def test_the_other_metrics_are_compared_with_those_that_are_best_alike() -> None:
    references = [(f"image {n}", "a dog runs") for n in range(24)]
    pairs = [
        (
            f"p{n}",
            f"image {n}",
            "a dog runs",
            "a cat dogs" if n % 2 else "runs dog a",
            "HC",
        )
        for n in range(24)
    ]
    made = with_winners(dataset(references, pairs), ["B"] * 24)

    sentence = str(answer_of(made, metrics=("BLEU-1", "BLEU-2", "ROUGE-L")).sentence)
    best = "BLEU-2 and ROUGE-L agree with people most often of the 3 main metrics, and equally"

    assert f"{best} often: 100.0 %" in sentence
    assert sentence.endswith("BLEU-1 (75.0 %) agrees less often than BLEU-2.")


def test_the_sentence_warns_of_chance_and_of_few_images() -> None:
    chance = "This interval does not lie above chance, which is 50 %."
    few = "With only 6 images in each category, intervals and tests are rough."
    unclear = str(answer_of(even_dataset(4, images=8, references=4)).sentence)

    assert chance in unclear
    assert few in unclear

    clear = str(answer_of(longer_wins(36), metrics=("BLEU-1", "CIDEr-D")).sentence)
    assert "rough" not in clear


def test_a_single_image_is_compared_nowhere() -> None:
    made = random_dataset(8, [4], pairs=8)
    finding = answer_of(made)
    assert not finding.tables
    assert finding.sentence.startswith("On 8 pairs, with 4 references per image, ")
    assert finding.sentence.endswith(
        "All pairs are of one image: metrics cannot be compared."
    )


def test_all_references_are_compared_where_their_numbers_differ() -> None:
    found = answer_of(random_dataset(0, (2, 4, 3, 4, 2, 4)))
    counts = found.tables["answer"]["reference_count"].unique().tolist()

    assert counts == ["all", 2, 1]
    assert "with all references per image" in str(found.sentence)


def test_where_the_mean_has_no_interval_all_pairs_come_first() -> None:
    found = answer_of(with_categories("x", "x", "y"))
    assert found.tables["answer"]["category"].iloc[0] == "all"
    assert str(found.sentence).startswith("On 3 pairs,")


def with_categories(*names: str) -> Dataset:
    """One pair of each of as many images."""
    made = even_dataset(0, images=len(names), references=3, pairs=1)
    return replace(made, pairs=made.pairs.assign(category=list(names)))


@pytest.mark.parametrize("finding", ["accuracy", "differences"])
def test_it_is_said_why_the_mean_has_no_interval_or_test(finding: str) -> None:
    results = evaluate(
        with_categories("x", "x", "y"), Options(resamples=50, flips=19, draws=2)
    )
    y, mean = map(str, find_one(results, finding).notes)

    assert y.startswith("y has pairs of one image only")
    assert (
        "on the mean over categories" in mean or "The mean over categories has" in mean
    )


def test_unfinished_pairs_are_told_before_the_answer() -> None:
    made = even_dataset(3, images=8, references=4)
    fewer = made.votes.groupby("pair").head(11)
    study = {"votes": 3, "references": 4}
    finding = answer_of(replace(made, votes=fewer, study=study))

    [told] = map(str, finding.reservations)
    assert told == (
        "24 of the 24 pairs that count are unfinished: they have fewer votes than the study asks "
        "for, and count with their winners so far."
    )


def test_pairs_without_a_vote_are_told_apart_from_unfinished_ones() -> None:
    made = even_dataset(3, images=8, references=4)
    names = made.pairs["pair"]
    begun = where(made.votes, pair=names.iloc[5:9])
    complete = where(made.votes, pair=names.iloc[9:])
    votes = pd.concat([begun.groupby("pair").head(2), complete])
    study = {"votes": 3, "references": 4, "protocol": "triplet"}
    results = evaluate(replace(made, votes=votes, study=study), FEW)

    unfinished, none = map(str, find_one(results, "answer").reservations)
    assert unfinished.startswith("4 of the 19 pairs that count are unfinished: ")
    assert none == "5 of 24 pairs have no winner yet, and do not count."
    parts = "19 pairs (4 unfinished) · 5 without a winner left out"
    assert parts in signature(results.provenance)


@pytest.mark.parametrize(
    ("people", "told"),
    [
        ("annotator ", "All votes are simulated: they are not from people."),
        ("annotator 0", "96 of 288 votes are simulated: they are not from people."),
    ],
)
def test_simulated_votes_are_told_first(people: str, told: str) -> None:
    made = even_dataset(3, images=8, references=4)
    names = made.votes["annotator"].str.replace(people, SIMULATED)
    votes = made.votes.assign(annotator=names)
    fewer = votes.groupby("pair").head(11)
    study = {"votes": 3, "references": 4}

    results = evaluate(replace(made, votes=votes), FEW)
    unfinished = answer_of(replace(made, votes=fewer, study=study))

    assert list(map(str, find_one(results, "answer").reservations)) == [told]
    assert told in find_one(results, "table").texts["table.tex"]
    assert "simulated" in str(unfinished.reservations[0])
    assert not list(remarks(results, "answer"))


def copied(copies: int) -> Dataset:
    """BLEU-4 finds some of the winners word for word among the references."""
    references = [(f"image {n}", f"there is one dog at place {n}") for n in range(60)]
    references += [
        (f"image {n}", f"this dog runs very fast {n}") for n in range(copies)
    ]
    pairs = [
        (
            f"p{n}",
            f"image {n}",
            f"this dog runs very fast {n}",
            f"place of a dog {n}",
            "HC",
        )
        for n in range(60)
    ]

    made = dataset(references, pairs)
    return with_winners(made, ["B"] * 60)


def test_candidates_among_references_change_the_answer_that_stands_beside_it() -> None:
    finding = answer_of(copied(40), metrics=("BLEU-4", "ROUGE-1", "BLEU-1"))
    reservations = map(str, finding.reservations)
    told = " ".join(reservations)

    assert (
        "In 40 of 60 pairs (66.7 %), a candidate is also one of the references" in told
    )

    alone = answer_of(
        copied(40), metrics=("BLEU-4", "ROUGE-1", "BLEU-1"), exclude_identical=True
    )
    [(best, share)] = re.findall(
        r"main metrics \((.*?)\) agree.*?: ([\d.]+) %", str(alone.sentence)
    )

    assert best in told
    assert f": {share} %" in told
    assert not alone.reservations


def test_hardly_any_candidate_among_references_is_not_told() -> None:
    assert not answer_of(copied(0), metrics=("BLEU-4", "ROUGE-1")).reservations


def test_without_references_left_it_is_said() -> None:
    references = [(f"image {n}", f"a dog runs {n}") for n in range(6)]
    pairs = [
        (f"p{n}", f"image {n}", f"a dog runs {n}", "a cat", "HC") for n in range(6)
    ]
    made = with_winners(dataset(references, pairs), ["B"] * 6)

    told = " ".join(map(str, answer_of(made).reservations))
    assert told.endswith("Without these references, too few are left.")
