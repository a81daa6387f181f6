"""Pages of large studies show what the worker has computed, and say how old it is."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.annotation.judging.quotas import recount
from tercet.annotation.models import Snapshot, Study
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.results import digests, tasks
from tercet.annotation.results.digests import state_of
from tests.annotation.judging.ballots import crowd

pytestmark = pytest.mark.django_db

PAGES = [
    (EvaluationKind.QUALITY, "study_quality"),
    (EvaluationKind.PROGRESS, "study_progress"),
]


@pytest.fixture
def large(study: Study, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study with more votes than pages count themselves."""
    crowd(study, ["good", "good", "contrary"])
    recount(study.questions.all())
    monkeypatch.setattr(digests, "MAX_LIVE_VOTES", 35)

    return study


def page(office: Client, study: Study, name: str) -> str:
    answer = office.get(reverse(name, args=[study.name]))
    assert answer.status_code == 200

    return " ".join(answer.getvalue().decode().split())


def compute(study: Study, kind: EvaluationKind) -> Snapshot:
    snapshot = Snapshot.objects.get(study=study, kind=kind)
    tasks.compute_snapshot.call(snapshot.pk)
    snapshot.refresh_from_db()

    return snapshot


def people(shown: str) -> str:
    """The table of annotators."""
    return shown.partition("<tbody>")[2].partition("</tbody>")[0]


@pytest.mark.parametrize(("kind", "name"), PAGES)
def test_a_large_study_waits_for_the_worker_and_then_shows_the_same(
    office: Client,
    large: Study,
    monkeypatch: pytest.MonkeyPatch,
    kind: EvaluationKind,
    name: str,
) -> None:
    assert "Waiting for the background worker" in page(office, large, name)

    page(office, large, name)
    assert DBTaskResult.objects.count() == 1

    compute(large, kind)
    shown = page(office, large, name)

    assert "because the study is large" in shown

    monkeypatch.setattr(digests, "MAX_LIVE_VOTES", 36)
    live = page(office, large, name)

    assert "because the study is large" not in live
    assert people(live) == people(shown) != ""


def test_a_small_study_needs_no_worker(office: Client, study: Study) -> None:
    [person] = crowd(study, ["good"])
    assert person.name in people(page(office, study, "study_quality"))
    assert not DBTaskResult.objects.exists()


def test_a_small_study_reads_its_votes_again_only_where_they_changed(
    office: Client, study: Study
) -> None:
    crowd(study, ["good", "contrary"])
    recount(study.questions.all())
    before = people(page(office, study, "study_quality"))
    with CaptureQueriesContext(connection) as queries:
        page(office, study, "study_quality")
    assert not [each for each in queries if '."gold"' in each["sql"]]

    [late] = crowd(study, ["good"])
    recount(study.questions.all())
    assert late.name not in before
    assert late.name in people(page(office, study, "study_quality"))


def test_a_new_result_is_requested_once_where_the_study_has_changed(
    large: Study,
) -> None:
    snapshot = tasks.request_snapshot(large, EvaluationKind.QUALITY)
    compute(large, EvaluationKind.QUALITY)
    tasks.request_snapshot(large, EvaluationKind.QUALITY)

    assert DBTaskResult.objects.count() == 1, "nothing has changed"

    exclude_annotator(large.annotators.all()[0], None, "careless")
    tasks.request_snapshot(large, EvaluationKind.QUALITY)

    assert DBTaskResult.objects.count() == 1, "the result is recent"

    earlier = timezone.now() - Snapshot.PAUSE
    Snapshot.objects.filter(pk=snapshot.pk).update(computed_at=earlier)
    for _ in range(3):
        tasks.request_snapshot(large, EvaluationKind.QUALITY)

    assert DBTaskResult.objects.count() == 2


def test_a_request_whose_worker_died_is_made_again(large: Study) -> None:
    snapshot = tasks.request_snapshot(large, EvaluationKind.PROGRESS)
    lost = timezone.now() - Snapshot.PATIENCE - timedelta(seconds=1)
    Snapshot.objects.filter(pk=snapshot.pk).update(requested_at=lost)

    tasks.request_snapshot(large, EvaluationKind.PROGRESS)
    assert DBTaskResult.objects.count() == 2


def test_the_excluded_leave_the_page_at_once(office: Client, large: Study) -> None:
    tasks.request_snapshot(large, EvaluationKind.QUALITY)
    compute(large, EvaluationKind.QUALITY)
    person = large.annotators.all()[0]

    exclude_annotator(person, None, "careless")
    shown = page(office, large, "study_quality")
    assert person.name not in people(shown)


def test_a_page_says_that_votes_have_changed_since_its_snapshot(
    office: Client, large: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "MAX_LIVE_VOTES", 11)
    tasks.request_snapshot(large, EvaluationKind.QUALITY)
    compute(large, EvaluationKind.QUALITY)
    told = "Votes or settings have changed since."
    assert told not in page(office, large, "study_quality")

    exclude_annotator(large.annotators.all()[0], None, "careless")
    assert told in page(office, large, "study_quality")


def test_a_snapshot_names_nobody(large: Study) -> None:
    for kind in (EvaluationKind.PROGRESS, EvaluationKind.QUALITY):
        tasks.request_snapshot(large, kind)
        content = str(compute(large, kind).content)
        assert not any(person.name in content for person in large.annotators.all())


def test_the_state_changes_with_votes_and_with_actions(study: Study) -> None:
    states = [state_of(study)]
    [person] = crowd(study, ["good"])
    recount(study.questions.all())
    states.append(state_of(study))

    exclude_annotator(person, None, "careless")
    assert len({*states, state_of(study)}) == 3
