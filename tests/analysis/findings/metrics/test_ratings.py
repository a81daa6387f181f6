import re
from dataclasses import replace

import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.ratings import ScoredRatings
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Finding
from tercet.analysis.report.signature import signature
from tercet.analysis.scoring.options import Coefficient, Options
from tercet.analysis.stats.scores.correlation import COEFFICIENT_NAMES, COEFFICIENTS
from tercet.analysis.stats.scores.ratings import Rated
from tercet.analysis.tables.schema import (
    RATINGS,
    REFERENCES,
    SCORES,
    Dataset,
    with_numbers,
)
from tests.analysis.frames import dataset, find_one, frame, rows_with

METRICS = ("BLEU-1", "CIDEr", "ROUGE-L")
OPTIONS = Options(resamples=20, flips=19, metrics=METRICS)
OBJECTS = ("dog", "cat", "kite", "boat", "tree")


def rated(aspects: tuple[str, ...] = ("",), with_own: bool = False) -> Dataset:
    """Five images with three ratings of each of three captions.

    with_own: whether the rated human captions are among the references, too.
    """
    captions = [
        line
        for name in OBJECTS
        for line in (
            (name, f"a {name} on the green grass", "human"),
            (name, f"one {name} there", "copier"),
            (name, "a large house", "copier"),
        )
    ]
    lines = [
        (image, caption, str((3 * number + 5 * place) % 7 % 5 + shift), source, aspect)
        for aspect in aspects
        for shift in (0, 1, 1)
        for number, (image, caption, source) in enumerate(captions)
        for place in [OBJECTS.index(image)]
    ]
    table = pd.DataFrame(
        lines, columns=["image", "caption", "rating", "source", "aspect"]
    )

    references = [(name, f"the {name} is outside on grass", "") for name in OBJECTS]
    references += [(name, f"a small {name} and a house", "") for name in OBJECTS]

    if with_own:
        references += [
            (image, caption, "") for image, caption, by in captions if by == "human"
        ]

    known = frame(REFERENCES, references, ("image", "caption", "author"))
    made = replace(
        dataset(),
        references=with_numbers(known),
        ratings=table.reindex(columns=list(frame(RATINGS, []).columns), fill_value=""),
    )

    return replace(made, pairs=made.pairs.iloc[:0], votes=made.votes.iloc[:0])


def ratings(made: Dataset, options: Options) -> Finding:
    return ratings_of(evaluate(made, options))


def ratings_of(results: Results) -> Finding:
    return find_one(results, "ratings")


def test_own_captions_are_compared_with_the_other_references() -> None:
    """Theirs are the references of the others: for n-grams, the scores are as without them."""
    options = replace(OPTIONS, exclude_identical=True, metrics=("BLEU-1", "ROUGE-L"))
    results = evaluate(rated(with_own=True), options)
    with_own = find_one(results, "ratings")

    assert set(with_own.tables["ratings"]["rows"]) == {45, 15}
    assert str(with_own.notes[0]).startswith(
        "5 rated captions are among the references of their"
    )
    assert "45 ratings ·" in signature(results.provenance)

    candidates = results.ratings.rated.candidates
    is_own = candidates["caption"].str.endswith("on the green grass").to_numpy()
    others = evaluate(rated(), options).ratings.scores["ROUGE-L"]

    assert results.ratings.scores["ROUGE-L"][is_own] == pytest.approx(others[is_own])


@pytest.mark.parametrize("human", ["human", "writer", ""])
def test_own_captions_stay_references_of_all_others(human: str) -> None:
    """Whatever sources are called, and though one image has no own caption."""
    made = rated(with_own=True)
    named = made.ratings.assign(source=made.ratings["source"].replace("human", human))
    known = made.references
    is_last = (known["image"] == OBJECTS[-1]) & known["caption"].str.endswith(
        "green grass"
    )
    made = replace(made, ratings=named, references=known[~is_last])

    usual = evaluate(made, OPTIONS).ratings
    options = replace(OPTIONS, exclude_identical=True)
    excluded = evaluate(made, options).ratings

    for name in METRICS:
        before = dict(zip(texts(usual), usual.scores[name], strict=True))
        after = dict(zip(texts(excluded), excluded.scores[name], strict=True))

        assert len(after) == len(before) + 4
        assert {text: after[text] for text in before} == pytest.approx(before)

    own = [text not in texts(usual) for text in texts(excluded)]
    assert excluded.scores["ROUGE-L"][own].max() < 0.99


def test_rated_references_are_left_out_for_all_captions_of_the_image() -> None:
    """As if they had never been references, while their ratings stay."""
    options = replace(OPTIONS, exclude_rated=True)
    results = evaluate(rated(with_own=True), options)
    without = evaluate(rated(), OPTIONS)

    assert texts(results.ratings) == texts(without.ratings)
    for name in METRICS:
        scores = results.ratings.scores[name]
        assert scores == pytest.approx(without.ratings.scores[name]), name
    found = find_one(results, "ratings")
    assert set(found.tables["ratings"]["rows"]) == {45, 15}
    assert found.notes[0] == (
        "5 rated captions are among the references of their image: all captions are compared with "
        "other references only."
    )
    assert "rated references excluded" in signature(results.provenance)


def test_captions_of_an_image_whose_references_are_all_rated_are_left_out() -> None:
    made = rated(with_own=True)
    is_dog = made.references["image"] == "dog"
    is_rated = made.references["caption"].str.endswith("green grass")
    made = replace(made, references=made.references[~is_dog | is_rated])

    results = evaluate(made, replace(OPTIONS, exclude_rated=True))
    assert {image for image, _caption in texts(results.ratings)} == {*OBJECTS[1:]}
    assert results.provenance["ratings_left_out"] == 9
    assert "3 rated captions have no other reference and are left out." in (
        find_one(results, "ratings").notes
    )


def test_raters_that_are_columns_are_columns_for_every_aspect() -> None:
    """Though each aspect alone has too few captions to say so."""
    raters = [(str(rater), rating) for rater, rating in enumerate("123")]
    lines = [
        (f"i{image}", f"a dog number {image}", rating, name, aspect)
        for image in range(12)
        for aspect in ("a", "b")
        for name, rating in raters
    ]
    columns = ["image", "caption", "rating", "annotator", "aspect"]
    sorted_ratings = Rated.of(
        pd.DataFrame(lines, columns=columns).assign(
            source="", rating=lambda table: table["rating"].astype(float)
        ),
        frame(REFERENCES, []),
    )

    assert sorted_ratings.are_sorted
    for _aspect, own in sorted_ratings.by_aspect():
        assert len(own.by_rater.rating) == 0


def texts(scored: ScoredRatings) -> list[tuple[str, str]]:
    return list(scored.rated.candidates.itertuples(index=False, name=None))


def test_a_caption_without_another_reference_is_left_out_and_counted() -> None:
    made = rated(with_own=True)
    is_only = made.references["image"].ne("dog") | made.references[
        "caption"
    ].str.endswith("grass")
    is_only &= ~made.references["caption"].eq("the dog is outside on grass")
    made = replace(made, references=made.references[is_only])

    options = replace(OPTIONS, exclude_identical=True)
    results = evaluate(made, options)
    assert "45 ratings (3 left out)" in signature(results.provenance)
    assert "1 other is the only reference" in " ".join(
        map(str, ratings_of(results).notes)
    )


def test_rated_captions_among_the_references_are_left_out_unless_told() -> None:
    results = evaluate(rated(with_own=True), OPTIONS)
    found = ratings_of(results)

    assert set(found.tables["ratings"]["rows"]) == {30, 10}
    assert str(found.notes[0]) == (
        "5 rated captions are among the references of their image and left out."
    )
    assert "45 ratings (15 left out)" in signature(results.provenance)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_metrics_by_coefficients_come_first_the_best_by_the_chosen_one_on_top(
    coefficient: Coefficient,
) -> None:
    options = replace(OPTIONS, coefficient=coefficient)
    found = ratings(rated(), options)
    name, table = next(iter(found.tables.items()))

    assert name == "ratings_table"
    assert table.columns.tolist() == ["metric", *COEFFICIENTS]

    values = found.tables["ratings"]
    chosen = rows_with(values, convention="every rating", coefficient=coefficient)
    numbers = chosen.astype({"value": float})
    best_first = numbers.sort_values("value", ascending=False)

    assert table["metric"].tolist() == best_first["metric"].tolist()
    best = table["metric"][0]
    named = rf"(, {best} correlates most with|is largest for {best}, )"
    assert re.search(named, found.sentence)
    assert str(COEFFICIENT_NAMES[coefficient]) in str(found.sentence)

    rows = len(table) + 2
    assert found.texts["ratings.md"].count("\n") == rows
    assert "toprule" in found.texts["ratings.tex"]
    assert list(found.plots) == ["ratings"]


def test_ratings_of_nobody_tell_nothing_of_raters() -> None:
    """Three ratings of a caption, as that of three systems, are not three people's."""
    made = rated()
    systems = [f"system {number}" for number in range(len(made.ratings))]
    found = ratings(replace(made, ratings=made.ratings.assign(source=systems)), OPTIONS)

    assert set(found.tables) == {
        "ratings_table",
        "ratings",
        "ratings_raters",
        "ratings_differences",
        "ratings_systems",
    }

    ratings_raters = found.tables["ratings_raters"]
    assert ratings_raters["value"].isna().all()
    assert "one rater" not in set(found.tables["ratings"]["metric"])

    notes = " ".join(map(str, found.notes))
    assert (
        "15 captions were rated as captions of several sources. Each is one caption"
        in notes
    )
    assert "No rating names its annotator" in notes


def test_one_rater_and_metrics_have_one_target() -> None:
    made = rated()
    people = ["Ann"] * 15 + ["Bo"] * 15 + ["Cleo"] * 15
    found = ratings(
        replace(made, ratings=made.ratings.assign(annotator=people)), OPTIONS
    )
    table = found.tables["ratings"]

    for target in ("another rating", "mean of the other ratings"):
        own = rows_with(table, convention=target)
        assert set(own["metric"]) == {*METRICS, "one rater"}
        assert set(own["rows"]) == {45}

    assert found.tables["ratings_people"].columns.tolist() == [
        "metric",
        "another rating",
        "mean of the other ratings",
    ]

    headroom = found.tables["ratings_headroom"]
    assert (
        headroom["headroom"] - headroom["rater"] + headroom["value"]
    ).abs().max() < 1e-12
    assert "another rater does" in str(found.sentence)


def test_aspects_are_told_apart() -> None:
    found = ratings(rated(("fluency", "truth")), OPTIONS)
    for name, table in found.tables.items():
        assert set(table["aspect"]) == {"fluency", "truth"}, name


def test_each_aspect_has_its_own_sentences() -> None:
    sentence = str(ratings(rated(("fluency", "truth")), OPTIONS).sentence)
    for aspect in ("fluency", "truth"):
        assert f"For “{aspect}”, of the 3 main metrics, " in sentence


@pytest.mark.parametrize("exponent", [0, 170, -180])
def test_a_metric_that_is_right_of_all_captions_is_first_however_large_its_scores(
    exponent: int,
) -> None:
    """Its coefficient is exactly 1, and so has no interval."""
    made = rated()
    once = made.ratings[: 3 * len(OBJECTS)]
    lines = [
        ("mine", image, caption, f"{rating}e{exponent}")
        for image, caption, rating in once[["image", "caption", "rating"]].to_numpy()
    ]
    scores = frame(SCORES, lines, ("metric", "image", "caption", "score"))
    options = replace(OPTIONS, metrics=(*METRICS, "mine"), coefficient="Pearson")
    found = ratings(replace(made, ratings=once, scores=scores), options)

    assert str(found.sentence).startswith(
        "Of the 4 main metrics, mine correlates most with the ratings: Pearson's r is 100.0 (no "
        "95 % interval, times 100"
    )


def test_documents_may_be_counted_by_row() -> None:
    by_image, by_row = (
        ratings(rated(), replace(OPTIONS, documents=documents)).tables["ratings"]
        for documents in ("pool", "rows")
    )
    is_cider = by_image["metric"] == "CIDEr"

    assert by_image.loc[is_cider, "rows"].equals(by_row.loc[is_cider, "rows"])
    assert by_image[~is_cider].equals(by_row[~is_cider])
