"""Learned metrics from the command that trains them to the table in which they stand."""

import json
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest

from tercet.analysis.__main__ import main as evaluate_into_report
from tercet.analysis.dataset.folder import write
from tercet.analysis.evaluation import scoring
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.training_examples import (
    first_references,
    images_also_in,
    without_images,
    written_examples,
)
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats.scores import human_model
from tercet.analysis.tables.schema import CANDIDATES, GOLD, RATINGS, Dataset
from tercet.analysis.train import main
from tercet.metrics import read_model
from tests.analysis.frames import even_dataset, frame, random_dataset

METRICS = ("--metrics", "BLEU-1,ROUGE-L,length")
FAST = Options(metrics=("BLEU-1",), draws=1, resamples=20, flips=19)
CAPTION = ("image", "caption")


def rated(made: Dataset) -> Dataset:
    """The dataset with ratings of its candidates: more for the longer ones."""
    captions = made.pairs[["image", "candidate_b"]].to_numpy()
    rows = [(image, text, len(text) % 4 + 1, "human") for image, text in captions]
    columns = (*CAPTION, "rating", "annotator")
    ratings = frame(RATINGS, rows, columns)

    return replace(made, ratings=ratings.drop_duplicates(list(CAPTION)))


def written_by(made: Dataset, source: str) -> Dataset:
    """The dataset with its candidates B as those of a source."""
    rows = [(*row, source) for row in made.pairs[["image", "candidate_b"]].to_numpy()]
    table = frame(CANDIDATES, rows)
    return replace(made, candidates=table)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders to train on, to validate by, and to apply models to; they share no image."""
    place = tmp_path_factory.mktemp("learned")
    write(
        written_by(rated(even_dataset(1, images=24, references=3)), "system"),
        place / "training",
    )
    other = rated(even_dataset(2, images=8, references=3))
    write(other, place / "other")

    return place


def trained(folder: Path, name: str, *more: str) -> Path:
    out = folder / f"{name}.json"
    training = str(folder / "training")
    assert main([training, "--out", str(out), *METRICS, *more]) == 0

    return out


def test_a_model_of_winners_is_a_row_with_an_interval(folder: Path) -> None:
    path = trained(folder, "winner", "--name", "ours")
    options = replace(FAST, models=(str(path),))
    made = even_dataset(2, images=8, references=3)
    results = evaluate(made, options)

    table = results.accuracy.set_index("metric").loc["ours"]
    assert table["reference_count"].unique().tolist() == [1, 2, 3]
    assert table["low"].notna().any()

    composites = results.provenance["composites"]
    assert isinstance(composites, list)

    assert composites[0].startswith("ours: model of 3 metrics for the target winner")


def test_the_model_states_limits_data_options_and_versions(folder: Path) -> None:
    content = json.loads(trained(folder, "stated", "--references", "2").read_text())
    assert content["target"] == "winner"
    assert content["references"] == 2

    assert content["figures"]["pairs"] == 72
    assert len(content["images"]) == 24
    assert set(content["versions"]) == {"tercet", "numpy", "scipy"}

    source = content["data"][0]
    assert len(source["sha256"]) == 64

    lengths = content["features"][2]
    assert lengths["metric"] == "length"
    assert lengths["low"] < lengths["high"]


def test_one_process_and_two_write_the_same_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "COMPARISONS", 40)
    for processes in (1, 2):
        with joblib.parallel_config("loky", n_jobs=processes):
            trained(folder, f"{processes} processes")

    one, two = ((folder / f"{number} processes.json").read_bytes() for number in (1, 2))
    assert one == two


def test_a_model_of_ratings_predicts_them(folder: Path) -> None:
    path = trained(folder, "rating", "--target", "rating")
    results = evaluate(
        rated(even_dataset(2, images=8, references=3)),
        replace(FAST, models=(str(path),)),
    )

    assert set(results.ratings.scores) == {"BLEU-1", "learned-rating"}

    scores = results.ratings.scores["learned-rating"]
    assert 1 <= scores.mean() <= 4


def test_a_network_is_trained_on_who_wrote_captions(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(human_model, "EPOCHS", 3)
    other = str(folder / "other")
    validation = ("--validation", other)
    path = trained(folder, "network", "--target", "human-or-machine", *validation)

    assert "validation tau c" in capsys.readouterr().out

    scores = read_model(path).score(np.array([[0.1, 0.2, 5.0], [0.9, 0.9, 3.0]]))
    assert ((scores > 0) & (scores < 1)).all()


def test_no_caption_is_among_its_references() -> None:
    made = written_by(random_dataset(1, [3, 4, 1]), "system")
    options = Options(metrics=("BLEU-1", "length"))
    examples = written_examples(made, options, 2)
    # the last reference of an image stands for its people, and an image needs two others
    is_human = examples.examples.target == 1

    assert is_human.tolist() == [False] * 6 + [True] * 2
    assert examples.scores[is_human, 0].max() < 0.99

    every = written_examples(made, Options(metrics=("length",)))
    assert every.examples.target.sum() == 2


def test_images_of_the_training_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = trained(folder, "seen")
    with pytest.raises(ValueError, match="was trained on 24 of these 24 images"):
        evaluate(
            even_dataset(1, images=24, references=3), replace(FAST, models=(str(path),))
        )

    both = [str(folder / name) for name in ("training", "training", "training")]
    command = [both[0], "--out", str(path), "--validation", both[1], *METRICS]

    assert main([*command, "--target", "human-or-machine"]) == 2
    assert "was trained on 24 of these 24 images" in capsys.readouterr().err


def test_a_report_is_not_made_again_with_another_model(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, report = trained(folder, "again"), folder / "report"
    settings = [
        "--metrics",
        "BLEU-1",
        "--only",
        "table",
        "--draws",
        "1",
        "--resamples",
        "20",
    ]
    command = [
        str(folder / "other"),
        "--model",
        str(path),
        "--out",
        str(report),
        *settings,
    ]

    assert evaluate_into_report(command) == 0

    again = [
        "--again",
        str(report / "report.json"),
        "--out",
        str(folder / "report again"),
    ]

    assert evaluate_into_report(again) == 0
    assert "learned-winner" in (folder / "report again" / "table.csv").read_text()

    trained(folder, "again", "--seed", "1")
    assert evaluate_into_report(again) == 2
    assert f"{path} has changed since the report was made" in capsys.readouterr().err


def test_images_can_be_left_out_of_the_training() -> None:
    made, other = (
        even_dataset(1, images=6, references=3),
        even_dataset(1, images=2, references=3),
    )
    shared = images_also_in(made, other)

    assert shared == ["image 0", "image 1"]

    blank = [""] * (len(GOLD.columns) - 3)
    gold = [(pair, "1", "B", *blank) for pair in made.pairs["pair"]]
    asked = replace(made, gold=frame(GOLD, gold, GOLD.columns))
    rest = without_images(asked, shared)
    assert rest.references["image"].nunique() == rest.pairs["image"].nunique() == 4
    for table in (rest.votes, rest.gold):
        assert set(table["pair"]) == set(rest.pairs["pair"])


def test_gold_goes_with_its_pair_or_with_its_image() -> None:
    made = even_dataset(1, images=3, references=2)
    of_pairs = [(pair, "1", "B") for pair in made.pairs["pair"]]
    with_gold = replace(made, gold=frame(GOLD, of_pairs))
    left = without_images(with_gold, ["image 0"])
    assert set(left.gold["pair"]) == set(left.pairs["pair"]) < set(made.pairs["pair"])

    ranges = [(f"image {number}", "a dog", "", "1", "2") for number in range(3)]
    with_ranges = replace(made, gold=frame(GOLD, ranges, GOLD.instead))
    left = without_images(with_ranges, ["image 0"])
    assert left.gold["image"].tolist() == ["image 1", "image 2"]


def test_the_first_references_are_those_of_images_that_have_so_many() -> None:
    made = first_references(random_dataset(1, [1, 2, 3]), 2)
    assert made.references["number"].tolist() == [1, 2, 1, 2]
    assert "image 0" not in set(made.pairs["image"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--target", "human-or-machine"],
            "name a folder with ratings.csv by --validation",
        ),
        (["--references", "0"], "--references: give a number from 1"),
        (["--name", "meteor"], "--name: meteor is another metric; give a new name"),
        (["--metrics", "METEER"], "unknown metric METEER"),
        (["--without", "training"], "has all images of"),
    ],
)
def test_what_cannot_be_trained_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    more = [str(folder / word) if word == "training" else word for word in more]
    out = folder / "faulty.json"

    training = str(folder / "training")
    assert main([training, "--out", str(out), *METRICS, *more]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("target", "table"),
    [("rating", "ratings.csv"), ("human-or-machine", "candidates.csv")],
)
def test_a_folder_without_what_is_learned_from_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, table: str
) -> None:
    made = even_dataset(1, images=2, references=3)
    write(made, tmp_path / "votes")
    out = tmp_path / "model.json"

    votes = str(tmp_path / "votes")
    assert main([votes, "--out", str(out), "--target", target]) == 2
    assert f"--target {target} learns from {table}, which" in capsys.readouterr().err
