"""Every finding, of data as they come: nothing undefined reaches a reader without a reason."""

import re
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
from tercet.analysis.findings import definitions
from tercet.analysis.findings.finding import Content, Finding
from tercet.analysis.findings.first_sentence import main_name
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.presets import PRESETS
from tercet.analysis.tables.schema import SCORES, Dataset
from tests.analysis.frames import (
    dataset,
    even_dataset,
    find_one,
    frame,
    random_dataset,
    rows_with,
    table_of,
    with_winners,
    without_votes,
)

FEW = Options(draws=2, resamples=100, flips=99, metrics=("CIDEr-D", "BLEU-4", "length"))


def published(winners: list[str], references: int = 3) -> Dataset:
    made = even_dataset(1, images=6, references=references)
    return with_winners(without_votes(made), winners)


def one_category() -> Dataset:
    made = even_dataset(2, images=6, references=3)
    return replace(made, pairs=made.pairs.assign(category="HM"))


def two_categories() -> Dataset:
    made = even_dataset(2, images=6, references=4)
    rows = made.pairs.query("category in ['HC', 'MM']")
    return replace(made, pairs=rows)


def ten_categories() -> Dataset:
    made = even_dataset(2, images=10, references=4)
    topics = [f"topic {n}" for n in range(8)]
    names = [*topics, "MM", "HC"]
    return replace(
        made, pairs=made.pairs.assign(category=np.resize(names, len(made.pairs)))
    )


def without_categories() -> Dataset:
    made = even_dataset(2, images=6, references=4)
    return replace(made, pairs=made.pairs.assign(category=""))


def without_some_votes() -> Dataset:
    made = even_dataset(3, images=6, references=4)
    return replace(made, votes=made.votes[~made.votes["pair"].str.contains("pair 1")])


def all_ties() -> Dataset:
    made = even_dataset(4, images=6, references=3)
    return replace(made, votes=made.votes.assign(choice="tie"))


def one_vote_each() -> Dataset:
    made = even_dataset(5, images=8, references=1)
    return replace(made, votes=made.votes.drop_duplicates(["pair", "reference"]))


def unnamed() -> Dataset:
    made = even_dataset(6, images=6, references=3)
    return replace(made, votes=made.votes.assign(annotator=""))


def by_image() -> Dataset:
    made = even_dataset(7, images=6, references=3)
    votes = made.votes.drop_duplicates(["pair", "annotator"]).assign(reference="")
    return replace(made, votes=votes)


def one_image() -> Dataset:
    return random_dataset(8, [4], pairs=8)


def with_systems() -> Dataset:
    made = even_dataset(9, images=8, references=4)
    systems = np.resize(["one", "two", "three"], len(made.pairs))
    return replace(made, pairs=made.pairs.assign(source_b="human", source_c=systems))


def constant_candidates() -> Dataset:
    references = [(f"image {n}", f"a dog {n}") for n in range(4)]
    pairs = [(f"p{n}", f"image {n}", "one word", "two words", "HC") for n in range(4)]
    made = dataset(references, pairs)
    return with_winners(made, ["B", "C", "B", "C"])


def usual() -> Dataset:
    return even_dataset(0, images=12, references=6)


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
    made = even_dataset(0, images=8, references=4)
    some = [("partly", pair, "1", "0", "") for pair in made.pairs["pair"][::2]]
    some += [("at two", pair, "0", "1", "2") for pair in made.pairs["pair"]]
    columns = ("metric", "pair", "score_b", "score_c", "reference_count")

    table = frame(SCORES, some, columns)
    return replace(made, scores=table)


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
        f"the preset {name}": (
            usual,
            replace(FEW, **({**PRESETS[name].options, "draws": 2})),
        )
        for name in ("cider2015", "clipscore2021", "flickr8k-cf")
    },
}


ONE_PANEL = Look(category="mean")
"""Of studies with the usual categories: their panels are alike."""
LOOKS = dict.fromkeys(DATASETS, DEFAULT) | dict.fromkeys(
    (
        *("all ties", "one reference and one vote", "unnamed annotators", "systems"),
        *("the pairwise protocol", "published winners"),
        *("metrics that score some pairs", "one metric", "some counts"),
    ),
    ONE_PANEL,
)
"""What is drawn: presets and the counting of ties change the numbers of plots, not their parts."""


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
    # of raters, metrics from outside and origins, nothing is said where there are none
    assert {*definitions()} - {*findings_of_case} <= {"outside", "raters", "worth"}

    for name, found in findings_of_case.items():
        said = [str(text) for text in (found.meaning, *found.notes, found.reason)]
        assert not found.error, name
        assert found.sentence or found.reason or found.notes or found.tables, name

        assert all(text.endswith(".") for text in said if text), name
        assert said[0], name


@pytest.mark.parametrize("case", LOOKS, indirect=True, scope="module")
def test_every_plot_can_be_drawn(
    case: str, findings_of_case: dict[str, Finding]
) -> None:
    for found in findings_of_case.values():
        for plot in found.plots.values():
            svg = render(plot.draw(LOOKS[case]), "svg")
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
    means = means.query("category == 'mean' and reference_count == 6")
    best = means.sort_values("accuracy", ascending=False, kind="stable")[
        "metric"
    ].tolist()

    shown = found.tables["table"]
    names = shown.query("reference_count == 6")["metric"]
    assert names.tolist() == best


def test_the_table_is_markdown_and_latex_too() -> None:
    made = even_dataset(0, images=8, references=3)
    found = find("table", made)
    rows = len(found.tables["table"])

    assert found.texts["table.md"].count("\n") == rows + 2
    assert found.texts["table.tex"].startswith("\\begin{tabular}")
    assert "\\toprule" in found.texts["table.tex"]
    assert found.texts["table.tex"].count("\\\\") == rows + 1


def test_the_latex_table_says_what_bold_means_and_spares_baselines() -> None:
    made = even_dataset(0, images=8, references=3)
    found = find("table", made, metrics=("BLEU-1", "ROUGE-L", "length"), counts=(3,))
    text = found.texts["table.tex"]

    table = found.tables["table"]
    letters = table.set_index("metric")["letters"]
    assert "a" in set(letters["length"])  # eight images show no difference

    assert "\\bfseries BLEU-1" in text
    assert "\\bfseries length" not in text

    note = text.partition("\\end{tabular}")[2]
    assert "Bold: the most accurate metric" in note
    assert "parent" not in text
    assert "[" not in text.partition("\\end{tabular}")[0].partition("toprule")[2]


def test_the_latex_table_adds_intervals_and_pairs_where_they_are_wanted() -> None:
    made = even_dataset(0, images=8, references=3)
    text = find("table", made, table_adds=("intervals", "pairs")).texts["table.tex"]
    header, first = [line for line in text.splitlines() if "&" in line][:2]

    assert header.startswith("k & metric &")
    assert header.endswith("& letters & pairs \\\\")
    assert re.search(r"& \d+\.\d \[\d+\.\d, \d+\.\d\] &", first)
    assert first.endswith("& 24 \\\\")
    assert "with its 95 \\% interval" in text


def test_latex_takes_a_metric_by_any_name() -> None:
    made = even_dataset(0, images=8, references=3)
    rows = [("50%_&_$more", pair, "1", "0") for pair in made.pairs["pair"]]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))

    scored = replace(made, scores=scores)
    found = find("table", scored, metrics=())
    assert "50\\%\\_\\&\\_\\$more" in found.texts["table.tex"]


def test_scores_from_elsewhere_stand_beside_the_built_in_metrics() -> None:
    made = even_dataset(0, images=8, references=3)
    decided = evaluate(made, FEW).winners
    winners = decided.set_index("pair")["winner"]
    rows = [
        (
            "oracle",
            pair,
            *{"B": ("1", "0"), "C": ("0", "1")}.get(winners[pair], ("0", "0")),
        )
        for pair in made.pairs["pair"]
    ]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    scored = replace(made, scores=scores)
    evaluation = evaluate(scored, replace(FEW, metrics=("BLEU-4", "oracle")))
    table = evaluation.accuracy.query("category == 'all' and metric == 'oracle'")

    ties = (winners == "tie").sum()
    assert (table["accuracy"] == 1 - ties / len(winners) / 2).all()

    names = evaluation.accuracy["metric"]
    assert set(names) == {"BLEU-4", "oracle"}
    for name in ("differences", "agreement", "humans", "enough", "planning"):
        assert "oracle" in find_one(evaluation, name).tables[name].to_csv()


def test_a_metric_that_is_better_than_another_is_found_to_be() -> None:
    made = even_dataset(0, images=40, references=3)
    decided = evaluate(made, FEW).winners
    winners = decided.set_index("pair")["winner"]
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

    scored = replace(made, scores=scores)
    table = find("table", scored, metrics=("good", "bad")).tables["table"]
    at_three = table.query("reference_count == 3")
    letters = dict(zip(at_three["metric"], at_three["letters"], strict=True))

    assert letters == {"good": "a", "bad": "b"}


def test_versions_of_a_metric_are_compared_with_the_main_one_alone() -> None:
    options = replace(
        FEW,
        metrics=("CIDEr", "METEOR", "CIDEr-1", "BLEU-1"),
        headline=("CIDEr", "METEOR"),
    )
    made = even_dataset(0, images=12, references=4)
    results = evaluate(made, options)
    tests = table_of(results, "differences")
    is_adjusted = tests["p_adjusted"].notna()
    adjusted = tests[is_adjusted][["metric_a", "metric_b"]].drop_duplicates()

    pairs = {frozenset(pair) for pair in adjusted.to_numpy().tolist()}
    assert pairs == {frozenset({"CIDEr", "METEOR"}), frozenset({"CIDEr", "CIDEr-1"})}

    numbers = table_of(results, "table", "table_numbers")
    last = numbers.query("category == 'mean' and reference_count == 4")
    last = last.set_index("metric")

    assert (last["letters"] != "").to_dict() == {
        name: name in ("CIDEr", "METEOR") for name in last.index
    }
    assert last["p_parent"].notna().to_dict() == {
        name: name == "CIDEr-1" for name in last.index
    }


def test_the_other_protocol_is_compared_where_there_is_one() -> None:
    made = even_dataset(7, images=6, references=3)
    found = find_one(evaluate(made, FEW, other=by_image()), "protocols")
    protocols = found.tables["protocols"]
    table = protocols.set_index("category")

    assert table.loc["all", "pairs"] == len(made.pairs)

    accuracies = found.tables["protocols_accuracy"]
    assert set(accuracies["protocol"]) == {"triplet", "pairwise"}

    ours = accuracies.query("protocol == 'triplet' and category == 'all'").set_index(
        "metric"
    )
    results = evaluate(made, FEW)
    own = results.accuracy.query("category == 'all' and reference_count == 3")
    pd.testing.assert_series_equal(
        ours["accuracy"], own.set_index("metric")["accuracy"], check_names=False
    )


def test_people_are_judged_by_the_triplets_that_they_did_not_decide() -> None:
    results = evaluated(usual)
    tables = find_one(results, "humans").tables
    rows = tables["humans"].query("rater == 'people' and category == 'all'")
    split = rows["accuracy"].item()

    exact = results.people.curve.query("category == 'all' and triplets == 3")[
        "accuracy"
    ].item()

    assert split == exact
    assert tables["humans_curve"]["reference_count"].max() == 3


def test_metrics_beside_people_are_judged_by_the_same_triplets() -> None:
    results = evaluated(usual)
    curve = table_of(results, "humans", "humans_curve")

    assert set(curve["rater"]) == {"people", *FEW.metrics}

    split = table_of(results, "humans")
    last = curve.query("reference_count == 3").merge(split, on=["rater", "category"])

    assert last["accuracy_x"].to_numpy() == pytest.approx(last["accuracy_y"].to_numpy())


def test_only_the_counts_asked_for_are_in_the_tables() -> None:
    found = evaluated(usual, replace(FEW, counts=(1, 2)))
    reference_count = found.accuracy["reference_count"]
    assert set(reference_count) == {1, 2}
    assert set(table_of(found, "table", "table_numbers")["reference_count"]) == {1, 2}

    counts = table_of(found, "accuracy")["reference_count"]
    assert set(counts) == {1, 2}


def test_pairs_that_a_metric_does_not_score_do_not_count_as_wrong() -> None:
    made = even_dataset(0, images=20, references=4)
    decided = evaluate(made, FEW).winners
    winners = decided.set_index("pair")["winner"]
    rows = [
        ("partly", pair, str(int(winners[pair] == "B")), str(int(winners[pair] == "C")))
        for pair in made.pairs["pair"][:30]
    ]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    scored = replace(made, scores=scores)
    found = evaluate(scored, replace(FEW, metrics=("BLEU-4", "partly")))

    margins = table_of(found, "people", "margins").query("metric == 'partly'")
    assert (margins["pairs"].sum(), margins["accuracy"].min() > 0.7) == (30, True)

    compared = find_one(found, "differences")
    assert "differences" not in compared.tables
    assert any(
        str(note).startswith("partly does not score every pair")
        for note in compared.notes
    )

    names = table_of(found, "table")["metric"]
    assert "partly" in names.tolist()
    assert "partly" in svg_of(found, "accuracy")


def svg_of(evaluation: Results, name: str) -> str:
    return render(find_one(evaluation, name).plots[name].draw(DEFAULT), "svg").decode()


def test_an_unfinished_pair_does_not_hide_how_people_agree() -> None:
    made = even_dataset(0, images=12, references=6)
    pair = made.pairs["pair"]
    first = pair.iloc[0]
    kept = (made.votes["pair"] != first) | (made.votes["reference"] == "1")
    made = replace(
        made, votes=made.votes[kept], study={"votes": 3, "protocol": "triplet"}
    )

    found = find("humans", made)
    triplets = found.tables["humans"]["triplets"].unique()
    assert triplets.tolist() == [3]
    assert str(found.notes[0]).startswith("1 unfinished pair counts")


def test_a_pair_of_equal_candidates_does_not_hide_how_people_agree() -> None:
    made = even_dataset(0, images=12, references=6)
    first = made.pairs.iloc[0]
    pairs = made.pairs.assign(
        candidate_c=made.pairs["candidate_c"].mask(
            made.pairs["pair"] == first["pair"], first["candidate_b"]
        )
    )
    is_kept = made.votes["pair"] != first["pair"]
    votes = made.votes[is_kept]
    given = {"votes": 3, "protocol": "triplet"}

    found = find("humans", replace(made, pairs=pairs, votes=votes, study=given))

    triplets = found.tables["humans"]["triplets"].unique()
    assert triplets.tolist() == [3]
    assert not found.notes


def test_people_who_judge_by_the_image_have_a_ceiling() -> None:
    ceilings = evaluated(by_image).people.ceilings
    assert ceilings.unit == "votes"


def test_ties_count_by_the_same_rule_in_every_finding() -> None:
    made = even_dataset(1, images=20, references=4)
    options = replace(FEW, human_ties="drop", metric_ties="drop")
    found = evaluate(made, options)
    last = found.accuracy.query("category == 'all' and reference_count == 4")
    margins = table_of(found, "people", "margins")

    for name, accuracy in zip(last["metric"], last["accuracy"], strict=True):
        own = rows_with(margins, metric=name)
        assert (own["accuracy"] * own["pairs"]).sum() / own[
            "pairs"
        ].sum() == pytest.approx(accuracy)


def test_the_table_counts_in_whole_numbers_and_keeps_its_columns() -> None:
    text = table_of(evaluated(usual), "table").to_csv(index=False)
    assert "\n6,CIDEr-D," in text or "\n6,BLEU-4," in text

    made = partly_scored()
    few = made.scores[
        made.scores["pair"].isin(made.pairs["pair"][made.pairs["category"] == "HC"])
    ]
    found = find("table", replace(made, scores=few), metrics=("partly",))

    columns = found.tables["table"].columns
    assert {"HC", "HI", "mean"} <= set(columns)


def test_markdown_takes_a_metric_by_any_name() -> None:
    made = even_dataset(0, images=8, references=3)
    rows = [("a|b <i>", pair, "1", "0") for pair in made.pairs["pair"]]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))

    scored = replace(made, scores=scores)
    text = find("table", scored, metrics=()).texts["table.md"]
    assert "a\\|b \\<i\\>" in text


def test_with_one_image_it_is_said_why_cider_ties() -> None:
    results = evaluated(one_image)
    notes = find_one(results, "accuracy").notes
    assert any(
        str(note).startswith("CIDEr weighs words by how many images") for note in notes
    )


def test_votes_on_one_triplet_are_held_against_each_other_where_there_are_several() -> (
    None
):
    made = even_dataset(0, images=12, references=4)
    alike = made.votes.assign(
        choice=made.votes["reference"].map({"1": "B", "2": "B", "3": "C", "4": "C"})
    )
    people = find("people", replace(made, votes=alike)).tables["people"]
    measures = people.set_index("name")["value"]

    assert measures["raw agreement, within triplets"] == 1
    assert measures["raw agreement"] < 0.6

    single = made.votes.drop_duplicates(["pair", "reference"])
    tables = find("people", replace(made, votes=single)).tables
    names = tables["people"]["name"]

    assert not names.str.contains("within triplets").any()


def test_scores_from_elsewhere_end_where_the_references_of_an_image_end() -> None:
    made = random_dataset(0, (1, 4, 2, 6, 3, 4))
    rows = [("constant", pair, "1", "0") for pair in made.pairs["pair"]]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    options = replace(FEW, metrics=("BLEU-4", "constant"))
    scored = replace(made, scores=scores)
    table = evaluate(scored, options).accuracy
    ours, other = (rows_with(table, metric=name) for name in options.metrics)

    columns = ["category", "reference_count", "pairs"]
    numbers = ours[columns].to_numpy()
    assert numbers.tolist() == other[columns].to_numpy().tolist()


@pytest.mark.parametrize("name", DATASETS)
def test_the_interval_of_a_ceiling_is_between_chance_and_one(name: str) -> None:
    results = evaluated(DATASETS[name])
    ceiling = results.people.ceiling.dropna()
    assert (ceiling["low"] <= ceiling["high"]).all()

    bounds = ceiling[["accuracy", "low", "high"]]
    shares = bounds.to_numpy(dtype=float)
    assert ((shares >= 0.5) & (shares <= 1)).all()


def fail(results: Results) -> Content:
    raise ZeroDivisionError("no pairs")


def test_a_finding_that_fails_says_so_and_leaves_the_others_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known = definitions()
    broken = replace(known["systems"], needs=(), make=fail)
    chosen = {
        "agreement": known["agreement"],
        "systems": broken,
        "ranking": known["ranking"],
    }
    monkeypatch.setattr(findings, "definitions", lambda: chosen)

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
        "'tercet[tuples]') and leave TERCET_SPACY_MODEL unset.",
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
    [ranking, table] = findings.find(results, ["ranking", "table"])

    assert results.pair_samples is None
    assert "ranking" in ranking.tables
    assert str(table.reason) == "The pairs were not scored."


def test_images_with_different_numbers_of_references_have_a_row_with_all_of_them() -> (
    None
):
    results = evaluated(ragged)
    assert results.counts == [1, "all"]

    for name, table in (("table", "table"), ("differences", "differences")):
        found = find_one(results, name)
        assert set(found.tables[table]["reference_count"]) >= {1, "all"}

    curve = table_of(results, "accuracy")
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

    table = table_of(results, "table")
    assert {2, 4} <= set(table["reference_count"])

    differences = table_of(results, "differences")
    of_mean = differences.query("category == 'mean'")

    assert set(of_mean["reference_count"]) == {2}  # one image of a category has 4


def test_metrics_are_compared_at_a_count_as_on_its_pairs_alone() -> None:
    made = ragged()
    has_two = made.references["image"].value_counts() >= 2
    pairs = made.pairs[made.pairs["image"].map(has_two)]
    is_kept = made.votes["pair"].isin(pairs["pair"])
    votes = made.votes[is_kept]
    options = replace(FEW, counts=(2,), metrics=("BLEU-1", "ROUGE-L"), draws=30)

    accuracies = []
    for each in (made, replace(made, pairs=pairs, votes=votes)):
        results = evaluate(each, options)
        found = table_of(results, "answer")
        at_two = found.query("reference_count == 2 and category == 'all'")
        columns = at_two[["pairs", "accuracy_a", "accuracy_b"]]
        accuracies.append(columns.iloc[0].tolist())

    assert accuracies[0] == pytest.approx(accuracies[1], abs=0.05)


def test_metrics_are_not_compared_at_a_count_that_one_image_of_a_category_has() -> None:
    options = replace(FEW, counts=(4,))
    results = evaluate(ragged(), options)
    assert results.comparisons.images_of("mean", 4) == 1

    table = table_of(results, "answer")
    assert table.query("category == 'mean'").empty

    reference_count = table.query("category == 'all'")["reference_count"]
    assert set(reference_count) == {4}


def test_it_is_said_how_many_pairs_have_how_many_references() -> None:
    [note, *_] = find_one(evaluated(ragged), "accuracy").notes
    assert "18 with 1, 15 with 2, 12 with 3, 9 with 4, 3 with 6" in str(note)
    assert "end at 1, the smallest number" in str(note)
    assert not find_one(evaluated(usual), "table").notes


def test_a_note_on_missing_intervals_is_of_categories_that_have_none_at_any_count() -> (
    None
):
    results = evaluated(ragged)
    notes = find_one(results, "accuracy").notes
    assert not any("no interval" in str(note) for note in notes)


def test_known_categories_come_first_and_others_in_alphabetical_order() -> None:
    results = evaluated(ten_categories)
    topics = [f"topic {n}" for n in range(8)]

    assert results.groups == ["HC", "MM", *topics, "mean", "all"]

    columns = list(table_of(results, "table").columns)
    assert columns[2:13] == ["HC", "MM", *topics, "mean"]


def test_the_category_of_lowest_accuracy_has_a_column() -> None:
    results = evaluated(ten_categories)
    table = table_of(results, "table").iloc[0]
    accuracy = results.all_counts
    accuracy = accuracy[accuracy["metric"] == table["metric"]]
    accuracy = accuracy.query("reference_count == 4")
    accuracy = accuracy[~accuracy["category"].isin(["mean", "all"])]

    lowest = accuracy.set_index("category")["accuracy"]
    worst = " and ".join(lowest.index[lowest == lowest.min()])
    assert table["worst"] == f"{worst} {100 * lowest.min():.1f}"


def test_without_categories_all_pairs_are_one_group() -> None:
    results = evaluated(without_categories)
    assert (results.groups, results.main_group, str(main_name(results))) == (
        ["all"],
        "all",
        "all pairs",
    )
    assert set(results.accuracy["category"]) == {"all"}

    columns = table_of(results, "table").columns
    assert list(columns[:4]) == [*("reference_count", "metric", "all", "letters")]


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
    assert all(tally.preferred[0] == 0 for tally in kept.samples.tallies.values())
    assert left_out.provenance["pairs"] == 35


def test_findings_come_in_the_order_that_was_asked_for() -> None:
    results = evaluate(even_dataset(0, images=4, references=2), FEW)
    asked = ["systems", "table", "accuracy"]
    assert [found.name for found in findings.find(results, asked)] == asked
