import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.template import Context, RequestContext, Template
from django.test import Client
from django.test.signals import template_rendered
from django.utils import timezone, translation
from django.utils.safestring import SafeString
from pytest_django.fixtures import Settings

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.pair_scores import write_pair_scores
from tercet.analysis.report.folder import write_report
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.management.commands import load_demo
from tercet.annotation.models import Annotator, Dataset, Evaluation, Study
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.results import tasks
from tercet.annotation.results.digests import digest_of
from tercet.annotation.studies.creation import create_study
from tests.metrics.outside.programs import program
from tests.support.browsers import logged_in
from tests.support.drawing import draw_nothing
from tests.support.folders import dataset_folder, three_votes
from tests.support.once import once

_WORDS = """
def score(item):
    return len(item["candidate"].split())
"""
Enable = Callable[..., None]


@pytest.fixture(autouse=True)
def _no_language() -> None:
    """Forget the language of the last request of the test before."""
    translation.deactivate()


@pytest.fixture(scope="session", autouse=True)
def pages_only(django_test_environment: None) -> Iterator[None]:
    """Tell the test client of the template of a page only.

    Django copies the context of every template for it: of a form, this takes a third of the time.
    """

    def render(template: Template, context: Context) -> SafeString:
        is_page = isinstance(context, RequestContext) and context.template is template
        if is_page:
            template_rendered.send(template, template=template, context=context)
        return template.nodelist.render(context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", render)
        yield


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    """Uploads, images and reports of a test in a folder of its own, and nothing in the cache."""
    settings.MEDIA_ROOT = tmp_path / "data" / "media"
    settings.ERASURES = tmp_path / "data" / "erasures.txt"
    cache.clear()

    return tmp_path / "data"


@pytest.fixture(scope="session")
def small_frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    """Two images with three references each, four pairs, no votes; read once."""
    return load(dataset_folder(tmp_path_factory.mktemp("small", numbered=False)))


@pytest.fixture(scope="session")
def voted_frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    """The same with 36 votes, two of three for B; read once."""
    return load(
        dataset_folder(
            tmp_path_factory.mktemp("voted", numbered=False), votes=three_votes()
        )
    )


@pytest.fixture
def dataset(db: None, small_frames: Frames, tmp_path: Path) -> Dataset:
    return import_dataset(small_frames, "small", tmp_path)


@pytest.fixture
def study(dataset: Dataset) -> Study:
    """Twelve questions, three votes each, by a shared link for people at one place."""
    plan = Study(
        dataset=dataset, title="Small study", steps=[], link_users=LinkUsers.PLACE
    )
    return create_study(plan)


@pytest.fixture
def annotator(study: Study) -> Annotator:
    return new_annotator(study)


@pytest.fixture
def administrator(db: None) -> User:
    return User.objects.create_user("ada", is_staff=True)


@pytest.fixture
def person(db: None) -> User:
    """Somebody with an account who is no administrator."""
    return User.objects.create_user("ann")


@pytest.fixture
def office(administrator: User) -> Client:
    """The browser of an administrator."""
    return logged_in(administrator)


@pytest.fixture(scope="session")
def results(voted_frames: Frames, shared: Path) -> Path:
    """The report of three votes on every question of the small dataset, computed once.

    Its plots are files without a drawing: the site serves them as they are, and drawing takes long.
    """

    def write(report: Path) -> None:
        evaluated = evaluate(voted_frames, Options(resamples=100, flips=99))
        with pytest.MonkeyPatch.context() as patch:
            draw_nothing(patch)
            write_report(evaluated, report)

        write_pair_scores(evaluated, report)

    return once(shared / "results", write)


@pytest.fixture
def no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports whose plots are files without a drawing."""
    draw_nothing(monkeypatch)


@pytest.fixture
def few_metrics(monkeypatch: pytest.MonkeyPatch, no_drawings: None) -> None:
    """Evaluations of the site that do not take long: of two metrics, with plots as in `results`."""
    options = Options(metrics=("CIDEr", "length"), resamples=50, flips=19)
    monkeypatch.setattr(tasks, "DEFAULTS", options)
    compared = replace(options, metrics=("CIDEr", "BLEU-4", "length"))
    monkeypatch.setattr(load_demo, "FIRST_RESULT", compared)


@pytest.fixture
def voted(db: None, voted_frames: Frames, tmp_path: Path) -> Study:
    """Four pairs, twelve questions, all 36 votes, two of three for B; no evaluation yet."""
    return import_dataset(voted_frames, "voted", tmp_path).studies.get()


@pytest.fixture
def evaluated(voted: Study, results: Path) -> Study:
    done = Evaluation.objects.create(
        study=voted,
        state=JobState.DONE,
        progress=1,
        votes=36,
        digest=digest_of(voted),
        finished_at=timezone.now(),
    )
    copytree(results, done.folder)

    return voted


@pytest.fixture
def enable(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Enable:
    """Enable the metric of a program, with keys of its table."""
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))

    def enabled(keys: str = "", **declared: object) -> None:
        about = {"name": "words", "version": "1"} | declared
        words = program(tmp_path, f"ABOUT.update({about!r})\n{_WORDS}")
        file = tmp_path / f"metrics-{len(list(tmp_path.iterdir()))}.toml"
        file.write_text(f"[words]\ncommand = {json.dumps(words)}\n{keys}\n")
        settings.METRICS_FILE = str(file)

    return enabled
