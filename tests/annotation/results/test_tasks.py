"""Evaluations: one at a time, by a worker that may stop."""

import json
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.analysis.evaluation.results import NothingToEvaluate
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation import jobs
from tercet.annotation.challenges.tasks import compute_scores
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.datasets.tasks import process_upload
from tercet.annotation.jobs import Reporter
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.quotas import recount
from tercet.annotation.models import Evaluation, Image, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.study import State
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.results import tasks
from tercet.annotation.results.digests import digest_of
from tercet.annotation.results.tasks import (
    PAUSE,
    REPORTS_KEPT,
    RESULTS,
    Asked,
    Counted,
    compute,
    is_due,
    other_study,
    request_evaluation,
    request_evaluations_of_ends,
    request_final_evaluation,
)
from tercet.annotation.studies.creation import create_study
from tests.annotation.judging.ballots import crowd
from tests.annotation.judging.children import child

pytestmark = pytest.mark.django_db

WORKER = """
import django
django.setup()

from dataclasses import replace
from django.core.management import call_command
from pytest import MonkeyPatch
from tercet.annotation.results import tasks
from tests.support.drawing import draw_nothing

draw_nothing(MonkeyPatch())
tasks.DEFAULTS = replace(tasks.DEFAULTS, metrics=("CIDEr", "length"), resamples=50, flips=19)
call_command("db_worker", "--batch", "--no-startup-delay", verbosity=0)
"""
"""A worker whose evaluations do not take long. That of all metrics, drawn, is in test_make.py."""


@pytest.fixture
def voted(db: None, voted_frames: Frames, tmp_path: Path) -> Study:
    return import_dataset(voted_frames, "voted", tmp_path).studies.get()


def now(evaluation: Evaluation) -> Evaluation:
    return Evaluation.objects.get(pk=evaluation.pk)


@pytest.mark.voting
@pytest.mark.django_db(transaction=True)
def test_the_worker_computes_what_was_asked_for(voted: Study) -> None:
    evaluation = request_evaluation(voted)
    assert evaluation.state == JobState.WAITING

    worker = child("-c", WORKER)
    assert worker.returncode == 0, worker.stderr

    done = now(evaluation)
    assert (done.state, done.progress, done.votes) == (JobState.DONE, 1, 36)

    assert done.finished_at is not None
    written = {path.name for path in done.folder.iterdir()}

    assert {
        "accuracy.csv",
        "winners.csv",
        "report.json",
        "index.html",
        "accuracy.pdf",
    } <= written


def test_a_request_waits_for_the_worker(voted: Study) -> None:
    request_evaluation(voted)
    assert DBTaskResult.objects.ready().count() == 1


def test_what_people_wait_for_comes_before_results(voted: Study, study: Study) -> None:
    request_evaluation(voted)
    compute_scores.enqueue(1)
    process_upload.enqueue("1")
    request_evaluation(study)

    waiting = [
        result.task_path.rpartition(".")[2] for result in DBTaskResult.objects.ready()
    ]

    assert waiting == ["process_upload", "compute_scores", "compute", "compute"]


def test_results_have_a_queue_of_their_own(voted: Study) -> None:
    request_evaluation(voted)
    compute_scores.enqueue(1)
    process_upload.enqueue("1")

    others = DBTaskResult.objects.exclude(queue_name=RESULTS)
    waiting = {result.task_path.rpartition(".")[2] for result in others}

    assert waiting == {"process_upload", "compute_scores"}


def test_a_second_request_is_the_evaluation_under_way(voted: Study) -> None:
    first = request_evaluation(voted)
    assert request_evaluation(voted) == first

    Evaluation.objects.update(state=JobState.RUNNING)
    assert request_evaluation(voted) == first


def test_asked_for_again_while_it_waits_it_is_computed_once(
    voted: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Evaluation] = []

    def report(evaluation: Evaluation, *_chosen: object) -> Counted:
        reported.append(evaluation)
        return Counted(36, "")

    monkeypatch.setattr(tasks, "report", report)
    first = request_evaluation(voted)

    assert request_evaluation(voted) == first

    for _ in range(2):
        compute.call(first.pk)

    assert now(first).state == JobState.DONE
    assert reported == [first]


@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED])
def test_after_the_end_of_one_there_is_another(voted: Study, state: JobState) -> None:
    first = request_evaluation(voted)
    Evaluation.objects.filter(pk=first.pk).update(state=state)
    assert request_evaluation(voted) != first


def test_studies_are_evaluated_beside_each_other(voted: Study) -> None:
    other = create_study(Study(dataset=voted.dataset, title="Other"))
    assert request_evaluation(voted) != request_evaluation(other)


def test_the_database_refuses_two_at_a_time(voted: Study) -> None:
    Evaluation.objects.create(study=voted, state=JobState.RUNNING)
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.create(study=voted)


def test_a_study_without_votes_says_so(study: Study) -> None:
    evaluation = request_evaluation(study)
    compute.call(evaluation.pk)
    failed = now(evaluation)

    assert failed.state == JobState.FAILED
    assert "No pair has a winner yet" in failed.message

    assert failed.finished_at is not None


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("the disk is full"), "the disk is full"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_a_failure_is_told_and_raised_to_the_worker(
    voted: Study, monkeypatch: pytest.MonkeyPatch, error: BaseException, told: str
) -> None:
    def fail(evaluation: Evaluation, *_chosen: object) -> int:
        raise error

    monkeypatch.setattr(tasks, "report", fail)
    evaluation = request_evaluation(voted)

    with pytest.raises(type(error)):
        compute.call(evaluation.pk)

    failed = now(evaluation)
    assert (failed.state, failed.message) == (
        JobState.FAILED,
        f"The computation stopped: {told}",
    )


def test_a_computation_that_was_begun_again_elsewhere_stops(
    voted: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = request_evaluation(voted)

    def begin_again(evaluation: Evaluation, *_chosen: object) -> int:
        Evaluation.objects.update(attempts=2, message="Elsewhere")
        Reporter(evaluation)(0.5, "Here")
        raise AssertionError("not reached")

    monkeypatch.setattr(tasks, "report", begin_again)
    compute.call(evaluation.pk)

    assert (now(evaluation).state, now(evaluation).message) == (
        JobState.RUNNING,
        "Elsewhere",
    )


def test_an_evaluation_is_running_while_it_is_computed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def look(evaluation: Evaluation, *_chosen: object) -> int:
        seen.append(now(evaluation).state)
        raise NothingToEvaluate("nothing")

    monkeypatch.setattr(tasks, "report", look)
    compute.call(request_evaluation(study).pk)

    assert seen == [JobState.RUNNING]


def test_reports_of_progress_are_signs_of_life(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "SECONDS_BETWEEN_REPORTS", 0)
    evaluation = request_evaluation(study)
    Evaluation.objects.update(reported_at=timezone.now() - timedelta(seconds=55))
    Reporter(evaluation)(0.5, "Half done")

    heard = now(evaluation)
    assert (heard.progress, heard.message) == (0.5, "Half done")
    assert timezone.now() - heard.reported_at < timedelta(seconds=50)


def test_progress_is_written_no_oftener_than_anybody_looks(
    study: Study, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    report = Reporter(request_evaluation(study))
    with django_assert_num_queries(1):  # type: ignore[operator]
        for number in range(100):
            report(number / 100, "Going on")


# The other protocol


def pairwise(voted: Study, title: str, votes: int) -> Study:
    """A pairwise study of the same pairs with so many votes of one person."""
    Image.objects.filter(dataset=voted.dataset).update(
        url="https://example.org/picture.png"
    )
    study = create_study(
        Study(dataset=voted.dataset, title=title, protocol="pairwise", votes=1)
    )
    person = new_annotator(study)

    for _ in range(votes):
        lease = claim(person)
        assert lease is not None
        vote(lease.key, Side.LEFT)

    return study


def test_a_study_is_compared_with_the_one_of_the_other_protocol_that_has_most_votes(
    voted: Study,
) -> None:
    assert other_study(voted) is None

    pairwise(voted, "None", 0)
    assert other_study(voted) is None

    pairwise(voted, "Few", 2)
    most = pairwise(voted, "Most", 4)
    create_study(Study(dataset=voted.dataset, title="Triplets again"))

    assert other_study(voted) == most
    assert other_study(most) == voted


@pytest.mark.usefixtures("few_metrics")
def test_the_report_compares_the_protocols_and_names_the_other_study(
    voted: Study,
) -> None:
    other = pairwise(voted, "Most", 4)
    evaluation = request_evaluation(voted)
    compute.call(evaluation.pk)

    report = json.loads((evaluation.folder / "report.json").read_text())
    assert (report["study"], report["other_study"]) == (voted.name, other.name)
    assert (evaluation.folder / "protocols.csv").is_file()


# Reference counts


@pytest.mark.usefixtures("few_metrics")
def test_the_result_reports_the_counts_that_were_asked_for(voted: Study) -> None:
    evaluation = request_evaluation(voted, Asked("1"))
    compute.call(evaluation.pk)
    provenance = json.loads((evaluation.folder / "report.json").read_text())

    assert provenance["options"]["counts"] == [1]
    assert set(pd.read_csv(evaluation.folder / "answer.csv")["reference_count"]) <= {1}


def test_counts_are_kept_until_others_are_asked_for(voted: Study) -> None:
    first = request_evaluation(voted, Asked("1,2"))
    Evaluation.objects.update(state=JobState.DONE)
    again = request_evaluation(voted)

    assert (again != first, again.counts) == (True, "1,2")

    assert request_evaluation(voted, Asked("")) == again
    assert now(again).counts == ""

    Evaluation.objects.filter(pk=again.pk).update(state=JobState.RUNNING)
    assert request_evaluation(voted, Asked("1")).counts == ""


# The end of a study


@pytest.fixture
def ended(study: Study) -> Study:
    """A closed study in which every question has its votes."""
    crowd(study, ["good", "good", "contrary"])
    recount(study.questions.all())
    study.state = State.CLOSED
    study.save()

    return study


def refilled(study: Study) -> None:
    """Exclude the first person, whose votes another gives again: for the other caption."""
    person = study.annotators.order_by("pk").first()
    assert person is not None
    exclude_annotator(person, None, "careless")
    crowd(study, ["contrary"])
    recount(study.questions.all())


def test_the_end_of_a_study_starts_one_evaluation(ended: Study) -> None:
    evaluation = request_final_evaluation(ended)
    assert evaluation is not None

    assert evaluation.state == JobState.WAITING
    assert evaluation.final_digest == digest_of(ended)
    assert DBTaskResult.objects.ready().count() == 1


@pytest.mark.parametrize("state", JobState.values)
def test_an_end_with_the_same_votes_starts_no_other(
    ended: Study, state: JobState
) -> None:
    request_final_evaluation(ended)
    Evaluation.objects.update(state=state)

    for _ in range(3):
        assert request_final_evaluation(ended) is None
    assert Evaluation.objects.count() == 1


def test_an_end_with_as_many_other_votes_starts_another(ended: Study) -> None:
    digest = digest_of(ended)
    request_final_evaluation(ended)
    Evaluation.objects.update(state=JobState.DONE, votes=36, digest=digest)
    refilled(ended)

    assert ended.questions.progress()["votes"] == 36
    assert request_final_evaluation(ended) is not None
    assert Evaluation.objects.count() == 2


def test_an_end_starts_nothing_where_the_result_is_current(ended: Study) -> None:
    digest = digest_of(ended)
    Evaluation.objects.create(study=ended, state=JobState.DONE, votes=36, digest=digest)
    assert request_final_evaluation(ended) is None


def test_an_evaluation_of_an_earlier_version_is_due_again(ended: Study) -> None:
    Evaluation.objects.create(study=ended, state=JobState.DONE, votes=36)
    assert request_final_evaluation(ended) is not None


def test_an_end_without_a_vote_starts_nothing(study: Study) -> None:
    Study.objects.update(state=State.CLOSED)
    assert request_final_evaluation(study) is None


def test_votes_that_were_collected_elsewhere_are_not_computed_by_themselves(
    voted: Study,
) -> None:
    request_evaluations_of_ends()
    assert request_final_evaluation(voted) is None


def test_a_study_that_ends_while_a_result_is_computed_gets_another(
    ended: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = iter([Counted(36, "of others"), Counted(36, digest_of(ended))])
    monkeypatch.setattr(tasks, "report", lambda *_: next(seen))
    first = request_evaluation(ended)
    compute.call(first.pk)

    last = ended.evaluations.first()
    assert last is not None

    assert (last.final_digest, last.state) == (digest_of(ended), JobState.WAITING)

    compute.call(last.pk)
    assert ended.evaluations.count() == 2


@pytest.mark.parametrize(
    ("state", "people", "asked"),
    [
        (State.OPEN, 3, 1),
        (State.PAUSED, 3, 1),
        (State.OPEN, 2, 0),
        (State.DRAFT, 3, 0),
        (State.CLOSED, 3, 0),
    ],
)
def test_workers_notice_when_a_study_has_all_its_votes(
    study: Study, state: State, people: int, asked: int
) -> None:
    crowd(study, ["good"] * people)
    recount(study.questions.all())
    Study.objects.update(state=state)
    for _ in range(2):
        request_evaluations_of_ends()

    assert Evaluation.objects.count() == asked


# Again and again


@pytest.mark.parametrize(
    ("state", "is_current", "ago", "due"),
    [
        (JobState.DONE, False, PAUSE, True),
        (JobState.DONE, True, PAUSE, False),
        (JobState.DONE, False, PAUSE / 2, False),
        (JobState.FAILED, False, PAUSE, False),
        (JobState.RUNNING, False, PAUSE, False),
        (JobState.WAITING, False, PAUSE, False),
    ],
)
def test_an_evaluation_is_due_when_other_votes_count_and_a_while_has_passed(
    voted: Study, state: JobState, is_current: bool, ago: timedelta, due: bool
) -> None:
    latest = Evaluation(study=voted, state=state, finished_at=timezone.now() - ago)
    assert is_due(latest, is_current=is_current) is due


def test_the_first_evaluation_is_for_people_to_ask_for() -> None:
    assert not is_due(None, is_current=False)


def test_votes_that_change_while_they_are_read_leave_no_digest(
    voted: Study, few_metrics: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = iter(["before", "after"])
    monkeypatch.setattr(tasks, "digest_of", lambda _study: next(seen))
    evaluation = request_evaluation(voted)
    compute.call(evaluation.pk)

    assert now(evaluation).digest == ""


def test_an_evaluation_has_the_digest_and_the_methods_text_of_its_votes(
    ended: Study, few_metrics: None
) -> None:
    digest = digest_of(ended)
    evaluation = request_evaluation(ended)
    compute.call(evaluation.pk)
    done = now(evaluation)

    assert (done.votes, done.digest) == (36, digest)
    assert done.methods.startswith("3 people gave 36 votes")
    signature = (done.folder / "signature.txt").read_text()
    assert f"digest of votes {digest[:12]}" in signature


def test_old_reports_of_a_study_are_removed_and_no_others(
    voted: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(result: object, folder: Path, *_chosen: object) -> None:
        folder.mkdir(parents=True)

    monkeypatch.setattr("tercet.analysis.write_report", write)
    monkeypatch.setattr(tasks, "evaluate", lambda *_: Result())
    other = create_study(Study(dataset=voted.dataset, title="Other"))
    made = [
        request_and_compute(study) for study in (other, *[voted] * (REPORTS_KEPT + 2))
    ]

    kept = [evaluation.folder.is_dir() for evaluation in made]
    assert kept == [True, False, False, *[True] * REPORTS_KEPT]


class Result:
    """What `evaluate` gives, as far as it matters here."""

    def __init__(self) -> None:
        self.provenance: dict[str, object] = {}
        self.pair_samples = None
        self.outside: dict[str, object] = {}


def request_and_compute(study: Study) -> Evaluation:
    evaluation = request_evaluation(study)
    compute.call(evaluation.pk)
    return evaluation
