"""Tasks of the background worker, which `python manage.py db_worker` runs."""

import shutil
import time
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone
from django_tasks import task

import analysis
from analysis.evaluation.options import Options
from analysis.evaluation.pair_scores import write_pair_scores
from analysis.evaluation.results import NothingToEvaluate, evaluate
from analysis.progress import part
from annotation.exchange.exporting import study_frames
from annotation.models import Evaluation, Snapshot, Study
from annotation.models.evaluation import State
from annotation.models.snapshot import Kind
from annotation.studies.snapshots import state_of, take_snapshot

SECONDS_BETWEEN_REPORTS = 0.3
PAUSE = timedelta(seconds=60)
"""Minimum time between evaluations that open pages request."""
DEFAULTS = Options()
REPORTS_KEPT = 3
"""Reports kept of each study: an open page may still show an earlier one."""


class Superseded(Exception):
    """Another worker has begun this evaluation again, since this one seemed dead."""


class Reporter:
    """Write progress to the database, at most every SECONDS_BETWEEN_REPORTS.

    Raises Superseded where the evaluation is no longer this worker's.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.rows = attempt(evaluation)
        self.last = 0.0

    def __call__(self, share: float, doing: str) -> None:
        if time.monotonic() - self.last <= SECONDS_BETWEEN_REPORTS:
            return

        self.last = time.monotonic()
        is_current = self.rows.update(
            progress=share, message=doing, reported_at=timezone.now()
        )
        if not is_current:
            raise Superseded


def attempt(evaluation: Evaluation) -> QuerySet[Evaluation]:
    """Select an evaluation, unless it has ended or begun again since."""
    return Evaluation.objects.filter(
        pk=evaluation.pk,
        attempts=evaluation.attempts,
        state__in=State.unfinished(),
    )


def request_evaluation(study: Study) -> Evaluation:
    """Return the unfinished evaluation of a study, or a new one for the worker."""
    unfinished = Evaluation.objects.filter(state__in=State.unfinished())

    with transaction.atomic():
        evaluation, is_new = unfinished.get_or_create(study=study)
        if is_new:
            compute.enqueue(evaluation.pk)

    return evaluation


def request_snapshot(study: Study, kind: Kind) -> Snapshot:
    """Return the latest snapshot of a study; a worker is asked for the next where it is due."""
    snapshot, _ = Snapshot.objects.get_or_create(study=study, kind=kind)

    if snapshot.is_due(state_of(study)):
        unclaimed = Snapshot.objects.filter(
            pk=snapshot.pk, requested_at=snapshot.requested_at
        )
        with transaction.atomic():
            if unclaimed.update(requested_at=timezone.now()):
                compute_snapshot.enqueue(snapshot.pk)

    return snapshot


@task()
def compute_snapshot(pk: int) -> None:
    """Compute what the page of a large study shows. Idempotent."""
    take_snapshot(Snapshot.objects.get(pk=pk))


def is_due(latest: Evaluation | None, votes: int) -> bool:
    """Return whether an open page should request an evaluation: there are new votes.

    People start the first evaluation themselves, and the next one after a failure.
    """
    if (
        latest is None
        or latest.state != State.DONE
        or latest.finished_at is None
    ):
        return False

    return (
        latest.votes != votes and latest.finished_at + PAUSE <= timezone.now()
    )


@task()
def compute(pk: int) -> None:
    """Compute an evaluation and write its report; its page shows failures. Idempotent.

    An evaluation whose worker ends meanwhile stays unfinished, and is begun again.
    """
    run(pk)


def run(
    pk: int, options: Options = DEFAULTS, findings: Collection[str] = ()
) -> None:
    """Do what `compute` does, with options and some findings of its own."""
    waiting = Evaluation.objects.filter(pk=pk, state=State.WAITING)
    if not waiting.update(
        state=State.RUNNING,
        attempts=F("attempts") + 1,
        reported_at=timezone.now(),
    ):
        return

    evaluation = Evaluation.objects.get(pk=pk)
    try:
        votes = report(evaluation, options, findings)
    except Superseded:
        return
    except NothingToEvaluate as error:
        _fail(evaluation, str(error))
    except Exception as error:
        reason = str(error) or type(error).__name__
        _fail(evaluation, f"The computation stopped: {reason}")
        raise
    else:
        attempt(evaluation).update(
            state=State.DONE,
            progress=1,
            votes=votes,
            finished_at=timezone.now(),
        )


def _fail(evaluation: Evaluation, message: str) -> None:
    attempt(evaluation).update(
        state=State.FAILED, message=message, finished_at=timezone.now()
    )


def report(
    evaluation: Evaluation, options: Options, findings: Collection[str]
) -> int:
    """Write the report folder; return the number of votes it is made of."""
    study = evaluation.study
    frames, other = study_frames(study), other_study(study)
    reporter = Reporter(evaluation)
    result = evaluate(
        frames,
        replace(options, winners=study.winners),
        part(reporter, 0, 0.5),
        study_frames(other) if other else None,
    )
    result.provenance.update(studies(study, other))
    analysis.write_report(
        result, evaluation.folder, part(reporter, 0.5, 1), findings
    )
    write_pair_scores(result, evaluation.folder)
    _remove_old_reports(study)
    return len(frames.valid_votes)


def other_study(study: Study) -> Study | None:
    """Return the study of the same dataset under the other protocol that has most votes."""
    others = Study.objects.filter(dataset=study.dataset).exclude(
        protocol=study.protocol
    )
    counted = others.annotate(cast=Sum("triplets__votes")).filter(cast__gt=0)
    return counted.order_by("-cast", "pk").first()


def studies(study: Study, other: Study | None) -> dict[str, str]:
    """Return what a report says about the studies that it is made of."""
    return {"study": study.name} | (
        {"other_study": other.name} if other else {}
    )


def _remove_old_reports(study: Study) -> None:
    """Delete the files of all but the latest reports: open pages request many."""
    for old in study.evaluations.filter(state=State.DONE)[REPORTS_KEPT - 1 :]:
        shutil.rmtree(old.folder, ignore_errors=True)
