"""Tasks of the background worker, which `python manage.py db_worker` runs."""

import shutil
import time
from datetime import timedelta

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django_tasks import task

import analysis
from analysis.evaluation.options import Options
from analysis.evaluation.results import NothingToEvaluate, evaluate
from analysis.progress import part
from annotation.exchange.exporting import study_frames
from annotation.models import Evaluation, Study
from annotation.models.evaluation import State

SECONDS_BETWEEN_REPORTS = 0.3
PAUSE = timedelta(seconds=60)
"""Minimum time between evaluations that open pages request."""
REPORTS_KEPT = 3
"""Reports kept of each study: an open page may still show an earlier one."""


class Reporter:
    """Write progress to the database, at most every SECONDS_BETWEEN_REPORTS."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.rows = Evaluation.objects.filter(pk=evaluation.pk)
        self.last = 0.0

    def __call__(self, share: float, doing: str) -> None:
        if time.monotonic() - self.last > SECONDS_BETWEEN_REPORTS:
            self.last = time.monotonic()
            self.rows.update(
                progress=share, message=doing, reported_at=timezone.now()
            )


def request_evaluation(study: Study) -> Evaluation:
    """Return the unfinished evaluation of a study, or a new one for the worker."""
    Evaluation.objects.filter(study=study).give_up_silent()
    unfinished = Evaluation.objects.filter(state__in=State.unfinished())

    with transaction.atomic():
        evaluation, _ = unfinished.get_or_create(study=study)
        if evaluation.state == State.WAITING:
            compute.enqueue(evaluation.pk)

    return evaluation


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
    """Compute an evaluation and write its report; its page shows failures. Idempotent."""
    evaluation = Evaluation.objects.get(pk=pk)
    rows = Evaluation.objects.filter(pk=pk)

    waiting = rows.filter(state=State.WAITING)
    if not waiting.update(state=State.RUNNING, reported_at=timezone.now()):
        return

    try:
        votes = report(evaluation)
    except NothingToEvaluate as error:
        rows.update(
            state=State.FAILED, message=str(error), finished_at=timezone.now()
        )
    except BaseException as error:
        message = (
            f"The computation stopped: {str(error) or type(error).__name__}"
        )
        rows.update(
            state=State.FAILED, message=message, finished_at=timezone.now()
        )
        raise
    else:
        rows.update(
            state=State.DONE,
            progress=1,
            votes=votes,
            finished_at=timezone.now(),
        )


def report(evaluation: Evaluation) -> int:
    """Write the report folder; return the number of votes it is made of."""
    study = evaluation.study
    frames, other = study_frames(study), other_study(study)
    reporter = Reporter(evaluation)
    result = evaluate(
        frames,
        Options(),
        part(reporter, 0, 0.5),
        study_frames(other) if other else None,
    )
    result.provenance.update(studies(study, other))
    analysis.write_report(result, evaluation.folder, part(reporter, 0.5, 1))
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
