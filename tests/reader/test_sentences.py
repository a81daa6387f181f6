"""The second reader finds nothing false of degenerate and published datasets, and of a study."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tercet.analysis.dataset.folder import load, write
from tercet.analysis.evaluation import worth
from tercet.analysis.scoring.options import Options
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Study
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.results.tasks import request_evaluation, run
from tercet.metrics import metric
from tests.analysis.origins import Origins, study
from tests.annotation.conftest import administrator, data_dir, office
from tests.reader.reader import read
from tests.reader.studies import NAMES, OF_ORIGINS, OF_TEXTS, faults_of, faults_of_seed
from tests.support.drawing import draw_nothing
from tests.support.folders import DEMO

__all__ = ["administrator", "data_dir", "office"]

SEEDS = (*range(21), 58, 71, 88)
"""Some that once had false sentences; `python -m tests.reader` reads those of 200."""
METRICS = ("BLEU-1", "ROUGE-L", "CIDEr-D", "length")
OPTIONS: dict[str, Any] = {
    "metrics": METRICS,
    "draws": 2,
    "resamples": 100,
    "flips": 99,
}


@pytest.fixture(autouse=True)
def _without_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_nothing(monkeypatch)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_sentence_about_a_degenerate_dataset_is_true(
    seed: int, tmp_path: Path
) -> None:
    assert [*map(str, faults_of_seed(seed, tmp_path))] == []


def test_every_sentence_about_the_demo_is_true(tmp_path: Path) -> None:
    assert [*map(str, faults_of(DEMO, tmp_path / "report", OPTIONS))] == []


@pytest.mark.parametrize("seed", [3, 10, 14])
def test_what_is_said_of_words_models_and_tuples_is_true(
    seed: int, tmp_path: Path
) -> None:
    assert [*map(str, faults_of_seed(seed, tmp_path, OF_TEXTS))] == []


def test_what_is_said_of_words_models_tuples_and_strings_of_the_demo_is_true(
    tmp_path: Path,
) -> None:
    options = OPTIONS | {"metrics": ("BLEU-1", "CIDEr", "CIDEr-D", "length")}
    assert [*map(str, faults_of(DEMO, tmp_path / "report", options, OF_TEXTS))] == []


def test_what_is_said_of_metrics_from_outside_is_true(tmp_path: Path) -> None:
    @metric(name="words shared", trained_on=())
    def shared(candidate: str, reference: str) -> float:
        return float(len({*candidate.split()} & {*reference.split()}))

    @metric(name="words", trained_on=())
    def counted(candidate: str, reference: str) -> float:
        return float(len(candidate.split()))

    options = OPTIONS | {"metrics": (shared, counted, "BLEU-1")}
    names = ("answer", "accuracy", "table", "outside")
    assert [*map(str, faults_of(DEMO, tmp_path / "report", options, names))] == []


@pytest.mark.parametrize(
    ("images", "origins", "systems", "triplets"),
    [
        (29, {"": (4, 0.0), "model": (6, 0.4)}, ("one", "two"), 0),
        (36, {"": (4, 0.0), "model": (6, 0.4), "b": (2, 0.0)}, ("model", "two"), 2),
        (36, {"Human": (1, 0.0), "model": (1, 0.0)}, ("", ""), 0),
        (160, {"human": (2, 0.9), "a model": (11, 0.0)}, ("a model", "b"), 12),
        (160, {"": (6, 0.0), "noise": (3, 1.0)}, ("human", "noise"), 1),
    ],
)
def test_every_sentence_about_origins_is_true(
    images: int,
    origins: Origins,
    systems: tuple[str, str],
    triplets: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worth, "DRAWS", 5)
    folder = tmp_path / "dataset"
    write(study(images, origins, images, systems, triplets=triplets), folder)
    options = OPTIONS | {"metrics": ("BLEU-1", "CIDEr-D", "length"), "draws": 1}
    told = faults_of(folder, tmp_path / "report", options, OF_ORIGINS)
    assert [*map(str, told)] == []


def test_every_sentence_about_abstract50s_is_true(
    abstract50s: Path, tmp_path: Path
) -> None:
    options = OPTIONS | {"counts": (1, 5, 48)}
    assert [*map(str, faults_of(abstract50s, tmp_path / "report", options))] == []


def test_every_sentence_about_flickr8k_is_true(flickr8k: Path, tmp_path: Path) -> None:
    assert [*map(str, faults_of(flickr8k, tmp_path / "report", OPTIONS))] == []


@pytest.mark.django_db
def test_every_sentence_of_a_study_is_true_before_and_after_exclusions(
    office: Client, administrator: User, tmp_path: Path
) -> None:
    study = import_dataset(load(DEMO), "demo", DEMO).studies.get()
    assert faults_of_site(study, office, tmp_path / "before") == []

    for person in study.annotators.order_by("pk")[:3]:
        exclude_annotator(person, administrator, "careless")
    assert faults_of_site(study, office, tmp_path / "after") == []


def faults_of_site(study: Study, office: Client, out: Path) -> list[str]:
    """Evaluate a study, export it, and read its page of results."""
    evaluation = request_evaluation(study)
    run(evaluation.pk, Options(**OPTIONS), NAMES)
    write(study_frames(study), out, study.dataset.folder)

    page = office.get(study.get_absolute_url()).content.decode()
    return [*map(str, read(evaluation.folder, out, page))]
