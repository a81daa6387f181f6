"""The profile of two systems on captions written by hand, parsed by the installed model."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.figures.style import DEFAULT, render
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import GROUNDING, PEOPLE, TUPLES, Dataset
from tercet.lab.tuples import captions, parser
from tercet.lab.tuples.finding import profile_sentence
from tests.analysis.frames import dataset_by_sources, find_one, frame, rows_with

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L"), draws=1, resamples=50, flips=19)
SCENES = (
    "park",
    "street",
    "garden",
    "house",
    "field",
    "kitchen",
    "school",
    "beach",
    "room",
    "yard",
)
IMAGES = [f"{scene} {number}" for number in (1, 2) for scene in SCENES]


def made(images: list[str]) -> Dataset:
    """The system `verbs` knows who and where, but not what happens; `right` knows everything."""
    references, rows = [], []

    for number, image in enumerate(images):
        scene = image.split()[0]
        references += [
            (image, f"A man is riding a horse in a {scene}."),
            (image, f"A man rides a brown horse in the {scene}."),
        ]
        right = f"The man is riding a horse in a {scene} {number}."
        wrong = f"The man is washing a horse in a {scene}."
        rows.append((f"p{number}", image, right, wrong, "MM", "right", "verbs"))

    return dataset_by_sources(references, rows, "B")


@pytest.fixture(scope="module")
def parsing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    pytest.importorskip("spacy", reason="the extra `tuples` is not installed")
    folder = tmp_path_factory.mktemp("cache")

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(parser.VARIABLE, raising=False)
        patch.setattr(captions, "cache_directory", lambda: folder)
        yield folder


@pytest.fixture(scope="module")
def found(parsing: Path) -> Finding:
    return find_one(evaluate(made(IMAGES), OPTIONS), "profile")


def f1(found: Finding, source: str) -> "pd.Series[float]":
    table = found.tables["profile"]
    rows = rows_with(table, source=source, grounding="lemma")
    return rows.set_index("bag")["f1"]


def test_a_system_that_knows_who_and_where_but_not_what_is_seen(found: Finding) -> None:
    verbs = f1(found, "verbs")
    assert (
        verbs["participant"] == verbs["locative"] == verbs["participant-locative"] == 1
    )
    assert verbs["predicate"] == verbs["predicate-participant"] == verbs["triplet"] == 0


def test_people_are_each_reference_compared_with_the_others(found: Finding) -> None:
    table = found.tables["profile"]
    people = table.query("source == 'people'")

    assert (people["captions"] == 2 * len(IMAGES)).all()

    f1 = people["f1"].tolist()
    assert f1 == [1] * 14

    empty = people["empty"].tolist()
    assert empty == [0] * 14


def test_confusions_are_counted_with_an_example(found: Finding) -> None:
    profile_confusions = found.tables["profile_confusions"]
    [row] = profile_confusions.to_dict("records")
    assert (row["source"], row["references_say"], row["candidate_says"]) == (
        "verbs",
        "ride",
        "wash",
    )
    assert row["candidates"] == len(IMAGES)

    assert row["candidate"] == "The man is washing a horse in a beach."
    assert row["reference"] == "A man is riding a horse in a beach."


def test_what_people_punish_is_what_decides_the_winners(found: Finding) -> None:
    profile_punished = found.tables["profile_punished"]
    weights = profile_punished.set_index("bag")["weight"]
    assert weights.sum() == pytest.approx(1)
    assert weights["predicate"] > 0.2
    assert weights["participant"] < 0.05


def test_the_sentence_names_the_gap_and_the_weight(found: Finding) -> None:
    assert found.sentence.startswith(
        "Candidates are furthest behind people, as one reference compared with the others, in "
        "predicates for the source “verbs” (F1 0.0 %, people 100.0 %), "
    )
    assert "People punish errors in" in str(found.sentence)


def profile_of(f1: float, low: float, high: float, source: str) -> dict[str, object]:
    return {"source": source, "bag": "locative", "f1": f1, "low": low, "high": high}


def weights(weight: float, low: float, high: float) -> pd.DataFrame:
    row = {"bag": "predicate", "weight": weight, "low": low, "high": high}
    other = {"bag": "locative", "weight": 0.0, "low": 0.0, "high": 0.1}
    return pd.DataFrame([row, other])


@pytest.mark.parametrize(
    ("own", "is_said"),
    [
        ((0.0, 0.0, 0.0), False),
        ((0.65, 0.5, 0.8), False),
        ((0.9, 0.8, 1.0), False),
        ((0.4, 0.2, 0.5), True),
    ],
    ids=["equal", "within the interval of people", "ahead", "behind"],
)
def test_only_a_gap_below_the_interval_of_people_is_told(
    own: tuple[float, float, float], is_said: bool
) -> None:
    people = (0.0, 0.0, 0.0) if not any(own) else (0.7, 0.6, 0.8)
    rows = [profile_of(*people, PEOPLE), profile_of(*own, "Camel")]
    found = profile_sentence(pd.DataFrame(rows), pd.DataFrame())
    assert bool(found) == is_said


@pytest.mark.parametrize(
    ("punished", "is_said"),
    [
        (weights(0, 0, 1), False),
        (weights(0.4, 0.004, 1), False),
        (weights(0.4, 0.2, 0.6), True),
    ],
    ids=["nothing", "an interval from 0", "a weight"],
)
def test_only_a_weight_above_0_is_told(punished: pd.DataFrame, is_said: bool) -> None:
    rows = [profile_of(0.5, 0.4, 0.6, PEOPLE), profile_of(0.5, 0.4, 0.6, "Camel")]
    found = profile_sentence(pd.DataFrame(rows), punished)
    assert bool(found) == is_said


def test_bags_and_sources_that_tie_are_all_named() -> None:
    behind = (0.4, 0.2, 0.5)
    sources = [profile_of(*behind, name) for name in ("Camel", "Duck")]
    rows = [profile_of(0.7, 0.6, 0.8, PEOPLE), *sources]
    bags = ("predicate", "locative", "triplet")
    punished = pd.DataFrame({"bag": bags, "weight": [0.4, 0.4, 0.2]})
    punished = punished.assign(low=[0.3, 0.2, 0.1], high=[0.5, 0.6, 0.3])

    assert profile_sentence(pd.DataFrame(rows), punished) == (
        "Candidates are furthest behind people, as one reference compared with the others, in "
        "places for the source “Camel” (F1 40.0 %, people 70.0 %) and places for the source "
        "“Duck” (F1 40.0 %, people 70.0 %). People punish errors in predicates and places most, "
        "and equally: each has 40 % of all weight (95 % intervals within 20 to 60)."
    )


def test_the_plot_is_drawn(found: Finding) -> None:
    assert b"predicate-participant" in render(
        found.plots["profile"].draw(DEFAULT), "svg"
    )


@pytest.mark.usefixtures("parsing")
def test_few_images_have_no_weights() -> None:
    few = find_one(evaluate(made(IMAGES[:3]), OPTIONS), "profile")
    assert set(few.tables) == {"profile", "profile_confusions"}


@pytest.mark.usefixtures("parsing")
def test_tuples_that_people_marked_replace_the_parse() -> None:
    given = made(IMAGES[:3])
    wrong = given.pairs["candidate_c"].iloc[0]
    start = wrong.index("washing")
    marked = [
        (
            IMAGES[0],
            wrong,
            "Ann",
            "1",
            "predicate",
            "explicit",
            start,
            start + len("washing"),
        )
    ]

    tuples = frame(TUPLES, marked, TUPLES.columns)
    grounding = frame(GROUNDING, [("wash", "ride")])
    of_people = replace(given, tuples=tuples, grounding=grounding)
    results = evaluate(of_people, OPTIONS)
    found = find_one(results, "profile")

    table = found.tables["profile"].set_index(["source", "grounding", "bag"])
    assert table.loc[("verbs", "lemma", "participant"), "empty"] == 1 / 3
    assert table.loc[("verbs", "lemma", "predicate"), "f1"] == 0

    assert table.loc[("verbs", "table", "predicate"), "f1"] == 1
    assert "1 caption has the tuples that people marked" in str(found.notes[1])


def test_the_model_is_named(found: Finding) -> None:
    assert f"parsed by {parser.MODEL} 3.8.0, sha256" in str(found.notes[0])


def test_without_a_parser_the_reason_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(parser.VARIABLE, "")
    found = find_one(evaluate(made(IMAGES[:1]), OPTIONS), "profile")

    assert str(found.reason).startswith(
        "Captions cannot be parsed: install the extra tuples"
    )
