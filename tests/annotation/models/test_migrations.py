"""A database of an earlier version becomes one of this version, and loses nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from pytest_django.fixtures import Settings

from tercet.annotation.models import Annotator, Answer, Challenge, Question, Study
from tercet.annotation.models.study import Step
from tercet.annotation.operations.deletion.purging import purge_due
from tercet.annotation.results.tasks import compute

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

FIRST = [("annotation", "0005_the_way_to_an_open_triplet")]
SECOND = [
    ("annotation", "0042_challenge_daily_limit"),
    ("django_tasks_database", "0021_conditional_partial_index_ordering"),
]

THIRD = [("annotation", "0058_remove_webhooks")]
MOVED = (
    *("compute", "compute_snapshot", "compute_scores", "compute_boards"),
    "process_upload",
)
"""Tasks that had one module until 0.3."""


@pytest.fixture
def migrate() -> Iterator[Any]:
    """Go to a state of the database; gives the models as they were there.

    The database is without tables at first: the way back to the first version takes longest.
    """
    drop_tables()

    def go(target: list[tuple[str, str]]) -> Any:
        executor = MigrationExecutor(connection)
        executor.loader = MigrationLoader(connection, replace_migrations=False)
        executor.migrate(target)

        return executor.loader.project_state(target).apps

    yield go
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def drop_tables() -> None:
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cascade = "" if connection.vendor == "sqlite" else "CASCADE"
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)} {cascade}")


def old_study(apps: Any) -> None:
    """One triplet of three votes, two for B, two of them with B left; one vote undone."""
    model = {name: apps.get_model("annotation", name) for name in NAMES}
    triplet = old_triplet(model)
    votes = model["Vote"].objects
    annotators = model["Annotator"].objects
    people = [
        annotators.create(study=triplet.study, name=name, step=Step.JUDGING, judged=1)
        for name in "xyz"
    ]

    cast = (("B", "left"), ("B", "left"), ("C", "right"))
    for person, (choice, b_side) in zip(people, cast, strict=True):
        vote = {"choice": choice, "b_side": b_side, "status": "valid"}
        votes.create(triplet=triplet, annotator=person, **vote)

    undone = {"choice": "C", "b_side": "left", "status": "superseded"}
    votes.create(
        triplet=triplet, annotator=people[0], created_at=timezone.now(), **undone
    )


def old_triplet(model: dict[str, Any]) -> Any:
    """A triplet whose counters say that it has three votes, with its study and dataset."""
    dataset = model["Dataset"].objects.create(name="d", title="d")
    image = model["Image"].objects.create(dataset=dataset, name="i")
    b, c = (
        model["Candidate"].objects.create(image=image, caption=text) for text in "bc"
    )
    pair = model["Pair"].objects.create(
        dataset=dataset, name="p", image=image, b=b, c=c, category="HM"
    )
    reference = model["Reference"].objects.create(image=image, number=1, caption="a")
    study = model["Study"].objects.create(dataset=dataset, name="s", title="s")

    subject = {"study": study, "pair": pair, "reference": reference}
    counters = {"needed": 3, "votes": 3, "lead": 1, "lean": 1}
    return model["Triplet"].objects.create(position=0, **subject, **counters)


NAMES = (
    *("Dataset", "Image", "Candidate", "Pair", "Reference"),
    *("Study", "Triplet", "Annotator", "Vote"),
)


def old_job(name: str) -> DBTaskResult[Any, Any]:
    """A job as version 0.2 left it in the queue."""
    arguments = {"args": [1], "kwargs": {}}
    return DBTaskResult.objects.create(
        task_path=name, args_kwargs=arguments, backend_name="default"
    )


def old_webhook(apps: Any) -> None:
    """A webhook of an account, with a message."""
    user = apps.get_model("auth", "User").objects.create(username="ann")
    study = apps.get_model("annotation", "Study").objects.get()
    webhook = study.webhooks.create(
        url="https://example.org/hook", secret="hush", created_by=user
    )
    webhook.deliveries.create(what="test", content={})


def old_bonus(apps: Any) -> None:
    """A bonus for half of the gold questions; two of three people have finished."""
    model = {name: apps.get_model("annotation", name) for name in NAMES}
    model["Study"].objects.update(bonus=0.5, bonus_gold=0.5)
    model["Triplet"].objects.update(answer="B")
    model["Annotator"].objects.exclude(name="y").update(outcome="done")
    model["Annotator"].objects.filter(name="x").update(excluded_at=timezone.now())


def old_challenge(apps: Any) -> None:
    """A challenge with the ladder and an announcement."""
    dataset = apps.get_model("annotation", "Dataset").objects.create(name="h")
    challenge = apps.get_model("annotation", "Challenge").objects.create(
        dataset=dataset, name="c", title="C", metrics=[], counts=[], ladder=True
    )
    challenge.announcements.create(title="Extended", text="By **a week**.")


def test_studies_of_the_first_version_and_jobs_of_the_second_go_on(
    migrate: Any, settings: Settings, tmp_path: Path
) -> None:
    """One way through all versions: each migration takes long."""
    settings.DATA_DIR = tmp_path
    apps = migrate(FIRST)
    old_study(apps)
    apps.get_model("annotation", "Study").objects.update(most=40, fastest=2.5)

    apps = migrate(SECOND)
    old_webhook(apps)
    old_bonus(apps)
    job = old_job("annotation.tasks.compute")
    old_job("annotation.webhooks.deliver")
    old_challenge(migrate(THIRD))
    jobs = [old_job(f"tercet.annotation.tasks.{name}") for name in MOVED]
    migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())

    check_study()
    assert set(DBTaskResult.objects.all()) == {job, *jobs}
    job.refresh_from_db()
    assert job.task.func is compute.func
    for each in jobs:
        each.refresh_from_db()
        assert each.task.module_path == each.task_path
    assert dict(Annotator.objects.values_list("name", "bonus")) == BONUSES
    check_removed(tmp_path / "removed-0.3")


BONUSES = {"x": 0.5, "y": 0, "z": 0}
"""By who has finished, although excluded since, and was right about gold."""


def check_removed(folder: Path) -> None:
    """What removed features held is in files; accounts and studies can still be deleted."""
    [webhook] = json.loads((folder / "webhooks.json").read_text())
    assert webhook["created_at"]
    assert webhook | {"created_at": ""} == {
        "study__name": "s",
        "url": "https://example.org/hook",
        "created_at": "",
        "created_by__username": "ann",
    }

    [rule] = json.loads((folder / "bonuses.json").read_text())
    assert rule == {"name": "s", "bonus": 0.5, "bonus_gold": 0.5}

    [announcement] = json.loads((folder / "announcements.json").read_text())
    assert announcement.pop("created_at")
    assert announcement == {
        "challenge__name": "c",
        "title": "Extended",
        "text": "By **a week**.",
    }
    ladders = json.loads((folder / "ladders.json").read_text())
    assert ladders == [{"name": "c", "title": "C"}]

    User.objects.all().delete()
    Study.objects.update(purge_at=timezone.now())
    Challenge.objects.update(purge_at=timezone.now())
    assert purge_due() == 2


def check_study() -> None:
    """The study of `old_study` has its votes, people and settings."""
    question, study = Question.objects.get(), Study.objects.get()

    assert (question.answers, question.lead, question.lean) == (3, 1, 1)
    assert study.is_open
    assert Answer.objects.count() == 4

    assert set(Annotator.objects.values_list("step", "judged")) == {(Step.JUDGING, 1)}
    assert (study.max_judgments, study.min_seconds) == (40, 2.5), "renamed since"
