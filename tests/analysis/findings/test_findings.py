"""Every finding, of data as they come: nothing undefined reaches a reader without a reason."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from tercet.analysis import findings
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.style import DEFAULT, Look, render
from tercet.analysis.findings import FINDINGS
from tercet.analysis.findings.finding import Content, Finding
from tercet.analysis.findings.first_sentence import main_name
from tercet.analysis.scoring.options import PRESETS, Options
from tercet.analysis.tables.schema import SCORES, Dataset
from tests.analysis.frames import dataset, find_one, frame, random_dataset, with_winners

FEW = Options(draws=2, resamples=100, flips=99, metrics=("CIDEr-D", "BLEU-4", "length"))


def published(winners: list[str], references: int = 3) -> Dataset:
    made = random_dataset(1, [references] * 6)
    return with_winners(replace(made, votes=made.votes.iloc[:0]), winners)


def one_category() -> Dataset:
    made = random_dataset(2, [3] * 6)
    return replace(made, pairs=made.pairs.assign(category="HM"))


def two_categories() -> Dataset:
    made = random_dataset(2, [4] * 6)
    return replace(made, pairs=made.pairs[made.pairs["category"].isin(["HC", "MM"])])


def ten_categories() -> Dataset:
    made = random_dataset(2, [4] * 10)
    names = [f"topic {n}" for n in range(8)] + ["MM", "HC"]
    return replace(
        made, pairs=made.pairs.assign(category=np.resize(names, len(made.pairs)))
    )


def without_categories() -> Dataset:
    made = random_dataset(2, [4] * 6)
    return replace(made, pairs=made.pairs.assign(category=""))


def without_some_votes() -> Dataset:
    made = random_dataset(3, [4] * 6)
    return replace(made, votes=made.votes[~made.votes["pair"].str.contains("pair 1")])


def all_ties() -> Dataset:
    made = random_dataset(4, [3] * 6)
    return replace(made, votes=made.votes.assign(choice="tie"))


def one_vote_each() -> Dataset:
    made = random_dataset(5, [1] * 8)
    return replace(made, votes=made.votes.drop_duplicates(["pair", "reference"]))


def unnamed() -> Dataset:
    made = random_dataset(6, [3] * 6)
    return replace(made, votes=made.votes.assign(annotator=""))


def by_image() -> Dataset:
    made = random_dataset(7, [3] * 6)
    votes = made.votes.drop_duplicates(["pair", "annotator"]).assign(reference="")
    return replace(made, votes=votes)


def one_image() -> Dataset:
    return random_dataset(8, [4], pairs=8)


def with_systems() -> Dataset:
    made = random_dataset(9, [4] * 8)
    systems = np.resize(["one", "two", "three"], len(made.pairs))
    return replace(made, pairs=made.pairs.assign(source_b="human", source_c=systems))


def constant_candidates() -> Dataset:
    references = [(f"image {n}", f"a dog {n}") for n in range(4)]
    pairs = [(f"p{n}", f"image {n}", "one word", "two words", "HC") for n in range(4)]
    return with_winners(dataset(references, pairs), ["B", "C", "B", "C"])


def usual() -> Dataset:
    return random_dataset(0, [6] * 12)


def ragged() -> Dataset:
    return random_dataset(0, (1, 4, 2, 6, 3, 4))


DATASETS: dict[str, Callable[[], Dataset]] = {
    "a usual study": usual,
    "images with different numbers of references": ragged,
    "one category": one_category,
    "missing categories": two_categories,
    "ten categories": ten_categories,
    "no categories": without_categories,
    "pairs without votes": without_some_votes,
    "all ties": all_ties,
    "one reference and one vote": one_vote_each,
    "unnamed annotators": unnamed,
    "the pairwise protocol": by_image,
    "published winners": lambda: published(["B", "C", ""] * 6),
    "one image": one_image,
    "systems": with_systems,
    "metrics that tie everywhere": constant_candidates,
}


def partly_scored() -> Dataset:
    """One metric scores every other pair, one only with 2 references."""
    made = random_dataset(0, [4] * 8)
    some = [("partly", pair, "1", "0", "") for pair in made.pairs["pair"][::2]]
    some += [("at two", pair, "0", "1", "2") for pair in made.pairs["pair"]]
    columns = ("metric", "pair", "score_b", "score_c", "reference_count")

    return replace(made, scores=frame(SCORES, some, columns))


CASES = {name: (make, FEW) for name, make in DATASETS.items()} | {
    "metrics that score some pairs": (
        partly_scored,
        replace(FEW, metrics=("BLEU-4", "partly", "at two")),
    ),
    "one metric": (usual, replace(FEW, metrics=("CIDEr",))),
    "some counts": (usual, replace(FEW, counts=(1, 2))),
    "ties dropped": (usual, replace(FEW, human_ties="drop", metric_ties="drop")),
    "ties by coin": (usual, replace(FEW, human_ties="coin", metric_ties="coin")),
    "ties wrong": (
        usual,
        replace(FEW, metric_ties="wrong", order="file", documents="k"),
    ),
    **{
        f"the preset {name}": (usual, replace(FEW, **({**preset, "draws": 2})))
        for name, preset in PRESETS.items()
    },
}


LOOKS = dict.fromkeys([*DATASETS, "metrics that score some pairs"], DEFAULT)
ONE_PANEL = Look(category="mean")
"""Of the usual study under other options: the panels of its categories are alike."""


@cache
def evaluated_with(options: Options, make: Callable[[], Dataset]) -> Results:
    return evaluate(make(), options)


def evaluated(make: Callable[[], Dataset], options: Options = FEW) -> Results:
    """The results of a dataset, which are computed once."""
    return evaluated_with(options, make)


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def findings_of_case(case: str) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings.find(evaluated(*CASES[case]))}


def test_every_finding_says_what_it_found_or_why_it_did_not(
    findings_of_case: dict[str, Finding],
) -> None:
    assert set(findings_of_case) == set(FINDINGS)

    for name, found in findings_of_case.items():
        said = [str(text) for text in (found.meaning, *found.notes, found.reason)]
        assert not found.error, name
        assert found.reason or found.notes or found.tables, name

        assert all(text.endswith(".") for text in said if text), name
        assert said[0], name


def test_every_plot_can_be_drawn(
    case: str, findings_of_case: dict[str, Finding]
) -> None:
    for found in findings_of_case.values():
        for plot in found.plots.values():
            svg = render(plot.draw(LOOKS.get(case, ONE_PANEL)), "svg")
            assert b"nan" not in svg.lower()
            assert b"<path" in svg
            assert len(str(plot.shows)) > 30


def test_what_is_undefined_is_empty_and_never_infinite(
    findings_of_case: dict[str, Finding],
) -> None:
    for found in findings_of_case.values():
        for table in found.tables.values():
            numbers = table.select_dtypes("number").to_numpy(
                dtype=float, na_value=np.nan
            )
            assert not np.isinf(numbers).any()


def find(name: str, made: Dataset, **options: object) -> Finding:
    return find_one(evaluate(made, replace(FEW, **options)), name)  # type: ignore[arg-type]


def test_the_table_goes_from_the_best_metric_to_the_worst() -> None:
    found = find_one(evaluated(usual), "table")
    means = found.tables["table_numbers"]
    means = means[(means["category"] == "mean") & (means["reference_count"] == 6)]
    best = means.sort_values("accuracy", ascending=False, kind="stable")[
        "metric"
    ].tolist()

    shown = found.tables["table"]
    assert shown[shown["reference_count"] == 6]["metric"].tolist() == best


def test_the_table_is_markdown_and_latex_too() -> None:
    found = find("table", random_dataset(0, [3] * 8))
    rows = len(found.tables["table"])

    assert found.texts["table.md"].count("\n") == rows + 2
    assert found.texts["table.tex"].startswith("\\begin{tabular}")
    assert "\\toprule" in found.texts["table.tex"]
    assert found.texts["table.tex"].count("\\\\") == rows + 1


def test_the_latex_table_says_what_bold_means_and_spares_baselines() -> None:
    made = random_dataset(0, [3] * 8)
    found = find("table", made, metrics=("BLEU-1", "ROUGE-L", "length"))
    text = found.texts["table.tex"]

    letters = found.tables["table"].set_index("metric")["letters"]
    assert "a" in set(letters["length"])  # eight images show no difference

    assert "\\bfseries BLEU-1" in text
    assert "\\bfseries length" not in text

    note = text.partition("\\end{tabular}")[2]
    assert "Bold: the most accurate metric" in note
    assert "Worst: the category" in note

    assert "95 \\%" in note
    assert "parent" not in text


def test_latex_takes_a_metric_by_any_name() -> None:
    made = random_dataset(0, [3] * 8)
    rows = [("50%_&_$more", pair, "1", "0") for pair in made.pairs["pair"]]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))

    found = find("table", replace(made, scores=scores), metrics=())
    assert "50\\%\\_\\&\\_\\$more" in found.texts["table.tex"]


def test_scores_from_elsewhere_stand_beside_the_built_in_metrics() -> None:
    made = random_dataset(0, [3] * 8)
    winners = evaluate(made, FEW).winners.set_index("pair")["winner"]
    rows = [
        (
            "oracle",
            pair,
            *{"B": ("1", "0"), "C": ("0", "1")}.get(winners[pair], ("0", "0")),
        )
        for pair in made.pairs["pair"]
    ]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    evaluation = evaluate(
        replace(made, scores=scores), replace(FEW, metrics=("BLEU-4", "oracle"))
    )
    table = evaluation.accuracy.query("category == 'all' and metric == 'oracle'")

    ties = (winners == "tie").sum()
    assert (table["accuracy"] == 1 - ties / len(winners) / 2).all()
    assert set(evaluation.accuracy["metric"]) == {"BLEU-4", "oracle"}
    for name in ("differences", "agreement", "humans", "enough", "planning"):
        assert "oracle" in find_one(evaluation, name).tables[name].to_csv()


def test_a_metric_that_is_better_than_another_is_found_to_be() -> None:
    made = random_dataset(0, [3] * 40)
    winners = evaluate(made, FEW).winners.set_index("pair")["winner"]
    rows = [
        (
            name,
            pair,
            str(sign * (winners[pair] == "B")),
            str(sign * (winners[pair] == "C")),
        )
        for pair in made.pairs["pair"]
        for name, sign in (("good", 1), ("bad", -1))
    ]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    tables = find(
        "differences", replace(made, scores=scores), metrics=("good", "bad")
    ).tables

    last = (
        tables["differences"]
        .query("category == 'all' and reference_count == 3")
        .iloc[0]
    )

    assert last["difference"] > 0.5
    assert last["low"] > 0
    assert last["p"] == last["p_adjusted"] == pytest.approx(0.01)

    table = find("table", replace(made, scores=scores), metrics=("good", "bad")).tables[
        "table"
    ]
    at_three = table[table["reference_count"] == 3]
    letters = dict(zip(at_three["metric"], at_three["letters"], strict=True))

    assert letters == {"good": "a", "bad": "b"}


def test_versions_of_a_metric_are_compared_with_the_main_one_alone() -> None:
    options = replace(
        FEW,
        metrics=("CIDEr", "METEOR", "CIDEr-1", "BLEU-1"),
        headline=("CIDEr", "METEOR"),
    )
    results = evaluate(random_dataset(0, [4] * 12), options)
    tests = find_one(results, "differences").tables["differences"]
    adjusted = tests[tests["p_adjusted"].notna()][
        ["metric_a", "metric_b"]
    ].drop_duplicates()

    pairs = {frozenset(pair) for pair in adjusted.to_numpy().tolist()}
    assert pairs == {frozenset({"CIDEr", "METEOR"}), frozenset({"CIDEr", "CIDEr-1"})}

    numbers = find_one(results, "table").tables["table_numbers"]
    last = numbers[(numbers["category"] == "mean") & (numbers["reference_count"] == 4)]
    last = last.set_index("metric")

    assert (last["letters"] != "").to_dict() == {
        name: name in ("CIDEr", "METEOR") for name in last.index
    }
    assert last["p_parent"].notna().to_dict() == {
        name: name == "CIDEr-1" for name in last.index
    }


def test_the_other_protocol_is_compared_where_there_is_one() -> None:
    made = random_dataset(7, [3] * 6)
    found = find_one(evaluate(made, FEW, other=by_image()), "protocols")
    table = found.tables["protocols"].set_index("category")

    assert table.loc["all", "pairs"] == len(made.pairs)

    accuracies = found.tables["protocols_accuracy"]
    assert set(accuracies["protocol"]) == {"triplet", "pairwise"}

    ours = accuracies.query("protocol == 'triplet' and category == 'all'").set_index(
        "metric"
    )
    own = evaluate(made, FEW).accuracy.query(
        "category == 'all' and reference_count == 3"
    )
    pd.testing.assert_series_equal(
        ours["accuracy"], own.set_index("metric")["accuracy"], check_names=False
    )


def test_people_are_judged_by_the_triplets_that_they_did_not_decide() -> None:
    results = evaluated(usual)
    tables = find_one(results, "humans").tables
    split = (
        tables["humans"]
        .query("rater == 'people' and category == 'all'")["accuracy"]
        .item()
    )

    exact = results.people.curve.query("category == 'all' and triplets == 3")[
        "accuracy"
    ].item()

    assert split == exact
    assert tables["humans_curve"]["reference_count"].max() == 3


def test_metrics_beside_people_are_judged_by_the_same_triplets() -> None:
    results = evaluated(usual)
    curve = find_one(results, "humans").tables["humans_curve"]

    assert set(curve["rater"]) == {"people", *FEW.metrics}

    split = find_one(results, "humans").tables["humans"]
    last = curve[curve["reference_count"] == 3].merge(split, on=["rater", "category"])

    assert last["accuracy_x"].to_numpy() == pytest.approx(last["accuracy_y"].to_numpy())


def test_only_the_counts_asked_for_are_in_the_tables() -> None:
    found = evaluated(usual, replace(FEW, counts=(1, 2)))
    assert set(found.accuracy["reference_count"]) == {1, 2}
    assert set(find_one(found, "table").tables["table_numbers"]["reference_count"]) == {
        1,
        2,
    }
    assert set(find_one(found, "accuracy").tables["accuracy"]["reference_count"]) == {
        1,
        2,
    }


def test_pairs_that_a_metric_does_not_score_do_not_count_as_wrong() -> None:
    made = random_dataset(0, [4] * 20)
    winners = evaluate(made, FEW).winners.set_index("pair")["winner"]
    rows = [
        ("partly", pair, str(int(winners[pair] == "B")), str(int(winners[pair] == "C")))
        for pair in made.pairs["pair"][:30]
    ]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    found = evaluate(
        replace(made, scores=scores), replace(FEW, metrics=("BLEU-4", "partly"))
    )

    margins = find_one(found, "people").tables["margins"].query("metric == 'partly'")
    assert (margins["pairs"].sum(), margins["accuracy"].min() > 0.7) == (30, True)

    compared = find_one(found, "differences")
    assert "differences" not in compared.tables
    assert any(
        str(note).startswith("partly does not score every pair")
        for note in compared.notes
    )

    assert "partly" in find_one(found, "table").tables["table"]["metric"].tolist()
    assert "partly" in svg_of(found, "accuracy")


def svg_of(evaluation: Results, name: str) -> str:
    return render(find_one(evaluation, name).plots[name].draw(DEFAULT), "svg").decode()


def test_an_unfinished_pair_does_not_hide_how_people_agree() -> None:
    made = random_dataset(0, [6] * 12)
    first = made.pairs["pair"].iloc[0]
    kept = (made.votes["pair"] != first) | (made.votes["reference"] == "1")
    made = replace(
        made, votes=made.votes[kept], study={"votes": 3, "protocol": "triplet"}
    )

    found = find("humans", made)
    assert found.tables["humans"]["triplets"].unique().tolist() == [3]
    assert str(found.notes[0]).startswith("1 unfinished pairs")


def test_a_pair_of_equal_candidates_does_not_hide_how_people_agree() -> None:
    made = random_dataset(0, [6] * 12)
    first = made.pairs.iloc[0]
    pairs = made.pairs.assign(
        candidate_c=made.pairs["candidate_c"].mask(
            made.pairs["pair"] == first["pair"], first["candidate_b"]
        )
    )
    votes = made.votes[made.votes["pair"] != first["pair"]]
    given = {"votes": 3, "protocol": "triplet"}

    found = find("humans", replace(made, pairs=pairs, votes=votes, study=given))

    assert found.tables["humans"]["triplets"].unique().tolist() == [3]
    assert not found.notes


def test_people_who_judge_by_the_image_have_a_ceiling() -> None:
    ceiling = evaluated(by_image).people.ceiling
    assert ceiling["accuracy"].between(0.5, 1).all()


def test_ties_count_by_the_same_rule_in_every_finding() -> None:
    made = random_dataset(1, [4] * 20)
    found = evaluate(made, replace(FEW, human_ties="drop", metric_ties="drop"))
    last = found.accuracy.query("category == 'all' and reference_count == 4")
    margins = find_one(found, "people").tables["margins"]

    for name, accuracy in zip(last["metric"], last["accuracy"], strict=True):
        own = margins[margins["metric"] == name]
        assert (own["accuracy"] * own["pairs"]).sum() / own[
            "pairs"
        ].sum() == pytest.approx(accuracy)


def test_the_table_counts_in_whole_numbers_and_keeps_its_columns() -> None:
    text = find_one(evaluated(usual), "table").tables["table"].to_csv(index=False)
    assert "\n6,CIDEr-D," in text or "\n6,BLEU-4," in text

    made = partly_scored()
    few = made.scores[
        made.scores["pair"].isin(made.pairs["pair"][made.pairs["category"] == "HC"])
    ]
    found = find("table", replace(made, scores=few), metrics=("partly",))

    assert {"HC", "HI", "mean"} <= set(found.tables["table"].columns)


def test_markdown_takes_a_metric_by_any_name() -> None:
    made = random_dataset(0, [3] * 8)
    rows = [("a|b <i>", pair, "1", "0") for pair in made.pairs["pair"]]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))

    text = find("table", replace(made, scores=scores), metrics=()).texts["table.md"]
    assert "a\\|b &lt;i&gt;" in text


def test_with_one_image_it_is_said_why_cider_ties() -> None:
    notes = find_one(evaluated(one_image), "accuracy").notes
    assert any(
        str(note).startswith("CIDEr weighs words by how many images") for note in notes
    )


def test_votes_on_one_triplet_are_held_against_each_other_where_there_are_several() -> (
    None
):
    made = random_dataset(0, [4] * 12)
    alike = made.votes.assign(
        choice=made.votes["reference"].map({"1": "B", "2": "B", "3": "C", "4": "C"})
    )
    measures = (
        find("people", replace(made, votes=alike))
        .tables["people"]
        .set_index("name")["value"]
    )

    assert measures["raw agreement, within triplets"] == 1
    assert measures["raw agreement"] < 0.6

    single = made.votes.drop_duplicates(["pair", "reference"])
    names = find("people", replace(made, votes=single)).tables["people"]["name"]

    assert not names.str.contains("within triplets").any()


def test_scores_from_elsewhere_end_where_the_references_of_an_image_end() -> None:
    made = random_dataset(0, (1, 4, 2, 6, 3, 4))
    rows = [("constant", pair, "1", "0") for pair in made.pairs["pair"]]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    options = replace(FEW, metrics=("BLEU-4", "constant"))
    table = evaluate(replace(made, scores=scores), options).accuracy
    ours, other = (table[table["metric"] == name] for name in options.metrics)

    columns = ["category", "reference_count", "pairs"]
    assert ours[columns].to_numpy().tolist() == other[columns].to_numpy().tolist()


@pytest.mark.parametrize("name", DATASETS)
def test_the_interval_of_a_ceiling_is_between_chance_and_one(name: str) -> None:
    ceiling = evaluated(DATASETS[name]).people.ceiling.dropna()
    assert (ceiling["low"] <= ceiling["high"]).all()

    shares = ceiling[["accuracy", "low", "high"]].to_numpy(dtype=float)
    assert ((shares >= 0.5) & (shares <= 1)).all()


def fail(results: Results) -> Content:
    raise ZeroDivisionError("no pairs")


def test_a_finding_that_fails_says_so_and_leaves_the_others_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = replace(FINDINGS["systems"], needs=(), make=fail)
    definitions = (FINDINGS["agreement"], broken, FINDINGS["ranking"])
    monkeypatch.setattr(findings, "DEFINITIONS", definitions)

    first, failed, last = findings.find(evaluated(usual))
    assert (failed.error, failed.tables) == ("ZeroDivisionError: no pairs", {})
    assert first.tables.keys() == {"agreement"}

    assert "ranking" in last.tables
    assert "The finding systems could not be made." in caplog.text


def test_a_finding_without_its_data_says_why() -> None:
    results = evaluate(published(["B", "C", ""] * 6), FEW)
    reasons = {
        found.name: str(found.reason)
        for found in findings.find(results)
        if found.reason
    }

    assert reasons == {
        "systems": "No pair names two different sources of its candidates (source_b, source_c).",
        "humans": "There are no single votes: the winners were published.",
        "protocols": "There is no study of the same pairs under the other protocol to compare "
        "with.",
        "people": "There are no single votes: the winners were published.",
        "ratings": "The dataset has no ratings.csv.",
        "learned": "A metric is learned from pairs of at least 20 images.",
        "learned_ratings": "The dataset has no ratings.csv.",
        "robustness": "The dataset is no suite of distractors.",
        "gaming": "CIDEr and CIDEr-D are not both among the metrics.",
        "profile": "Captions cannot be parsed: install the extra tuples (pip install "
        "-r requirements-tuples.txt) and leave TERCET_SPACY_MODEL unset.",
    }


def test_a_finding_of_another_name_is_refused() -> None:
    with pytest.raises(
        ValueError, match="There is no finding 'nothing', only answer, accuracy"
    ):
        findings.find(evaluated(usual), ["nothing"])


@pytest.mark.parametrize(
    ("names", "scored"),
    [
        ((), True),
        (("ratings",), True),
        (("ranking",), False),
        (("ranking", "table"), True),
    ],
)
def test_captions_are_scored_only_for_findings_that_need_scores(
    names: tuple[str, ...], scored: bool
) -> None:
    assert findings.need_scores(names) == scored


def test_references_are_ranked_without_scoring_pairs() -> None:
    results = evaluate(usual(), FEW, scored=False)
    [table, ranking] = findings.find(results, ["ranking", "table"])

    assert results.pair_samples is None
    assert "ranking" in ranking.tables
    assert str(table.reason) == "There are no pairs with a winner."


def test_images_with_different_numbers_of_references_have_a_row_with_all_of_them() -> (
    None
):
    results = evaluated(ragged)
    assert results.counts == [1, "all"]

    for name, table in (("table", "table"), ("differences", "differences")):
        found = find_one(results, name)
        assert set(found.tables[table]["reference_count"]) >= {1, "all"}

    curve = find_one(results, "accuracy").tables["accuracy"]
    assert curve.iloc[-1]["reference_count"] == "all"


def test_a_wanted_count_is_of_the_pairs_whose_images_have_it() -> None:
    results = evaluate(ragged(), replace(FEW, counts=(2, 4)))
    assert results.counts == [2, 4]

    answer = find_one(results, "answer")
    pairs = (
        answer.tables["answer"]
        .query("category == 'all'")
        .groupby("reference_count")["pairs"]
    )

    assert pairs.unique().map(list).to_dict() == {2: [15], 4: [9]}
    assert str(answer.sentence).endswith(
        "At 2 references: 15 of 18 pairs, those whose images have at least 2. "
        "At 4 references: 9 of 18 pairs, those whose images have at least 4."
    )

    table = find_one(results, "table").tables["table"]
    assert {2, 4} <= set(table["reference_count"])

    differences = find_one(results, "differences").tables["differences"]
    of_mean = differences[differences["category"] == "mean"]

    assert set(of_mean["reference_count"]) == {2}  # one image of a category has 4


def test_metrics_are_compared_at_a_count_as_on_its_pairs_alone() -> None:
    made = ragged()
    has_two = made.references["image"].value_counts() >= 2
    pairs = made.pairs[made.pairs["image"].map(has_two)]
    votes = made.votes[made.votes["pair"].isin(pairs["pair"])]
    options = replace(FEW, counts=(2,), metrics=("BLEU-1", "ROUGE-L"), draws=30)

    accuracies = []
    for each in (made, replace(made, pairs=pairs, votes=votes)):
        found = find_one(evaluate(each, options), "answer").tables["answer"]
        at_two = found[(found["reference_count"] == 2) & (found["category"] == "all")]
        accuracies.append(
            at_two[["pairs", "accuracy_a", "accuracy_b"]].iloc[0].tolist()
        )

    assert accuracies[0] == pytest.approx(accuracies[1], abs=0.05)


def test_metrics_are_not_compared_at_a_count_that_one_image_of_a_category_has() -> None:
    results = evaluate(ragged(), replace(FEW, counts=(4,)))
    assert results.comparisons.images_of("mean", 4) == 1

    table = find_one(results, "answer").tables["answer"]
    assert table[table["category"] == "mean"].empty
    assert set(table[table["category"] == "all"]["reference_count"]) == {4}


def test_it_is_said_how_many_pairs_have_how_many_references() -> None:
    [note, *_] = find_one(evaluated(ragged), "accuracy").notes
    assert "18 with 1, 15 with 2, 12 with 3, 9 with 4, 3 with 6" in str(note)
    assert "end at 1, the smallest number" in str(note)
    assert not find_one(evaluated(usual), "table").notes


def test_a_note_on_missing_intervals_is_of_categories_that_have_none_at_any_count() -> (
    None
):
    notes = find_one(evaluated(ragged), "accuracy").notes
    assert not any("no interval" in str(note) for note in notes)


def test_known_categories_come_first_and_others_in_alphabetical_order() -> None:
    results = evaluated(ten_categories)
    topics = [f"topic {n}" for n in range(8)]

    assert results.groups == ["HC", "MM", *topics, "mean", "all"]

    columns = list(find_one(results, "table").tables["table"].columns)
    assert columns[2:13] == ["HC", "MM", *topics, "mean"]


def test_the_category_of_lowest_accuracy_has_a_column() -> None:
    results = evaluated(ten_categories)
    table = find_one(results, "table").tables["table"].iloc[0]
    accuracy = results.all_counts
    accuracy = accuracy[accuracy["metric"] == table["metric"]]
    accuracy = accuracy[accuracy["reference_count"] == 4]
    accuracy = accuracy[~accuracy["category"].isin(["mean", "all"])]

    lowest = accuracy.set_index("category")["accuracy"]
    assert table["worst"] == f"{lowest.idxmin()} {100 * lowest.min():.1f}"


def test_without_categories_all_pairs_are_one_group() -> None:
    results = evaluated(without_categories)
    assert (results.groups, results.main_group, str(main_name(results))) == (
        ["all"],
        "all",
        "all pairs",
    )
    assert set(results.accuracy["category"]) == {"all"}
    assert list(find_one(results, "table").tables["table"].columns[:4]) == [
        *("reference_count", "metric", "all", "letters")
    ]


def test_pairs_of_equal_candidates_are_ties_or_left_out() -> None:
    made = usual()
    is_first = made.pairs.index == 0
    candidate_c = made.pairs["candidate_b"].where(is_first, made.pairs["candidate_c"])
    made = replace(made, pairs=made.pairs.assign(candidate_c=candidate_c))

    kept, left_out = (
        evaluate(made, replace(FEW, exclude_equal_candidates=excluded))
        for excluded in (False, True)
    )

    assert (kept.provenance["pairs"], kept.provenance["equal_candidates"]) == (36, 1)
    assert all(tally.preferred[0] == 0 for tally in kept.scored.tallies.values())
    assert left_out.provenance["pairs"] == 35
