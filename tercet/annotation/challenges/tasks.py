"""Tasks of the worker: scores of submissions to challenges, and their leaderboards."""

from django.contrib.auth.models import User
from django.core.files import File
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django_tasks import task

from tercet.analysis.scoring.enabled import MetricFailed
from tercet.annotation.challenges.scoring import (
    people_state,
    score_submission,
    write_boards,
)
from tercet.annotation.challenges.submissions import Details, accept
from tercet.annotation.jobs import Reporter, begin, failure_stored, finish
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.results.tasks import PAUSE

_PRIORITY = 10
"""After uploads, before evaluations and snapshots, which have 0."""
_SCORING_FAILED = (
    "The scoring stopped because of an error on the server. It does not count as an attempt: "
    "submit the file again, or tell the owners of the challenge."
)
_METRIC_FAILED = (
    "A metric from outside failed on the server. It does not count as an attempt: tell the owners "
    "of the challenge, and submit the file again later."
)


@transaction.atomic
def accept_submission(
    challenge: Challenge,
    user: User,
    details: Details,
    file: "File[bytes]",
    splits: list[str],
) -> Submission:
    """Accept a checked submission, and ask the worker to score it; raises NotPossible."""
    submission = accept(challenge, user, details, file, splits)
    compute_scores.enqueue(submission.pk)
    return submission


@task(priority=_PRIORITY)
def compute_scores(pk: int) -> None:
    """Score a submission, and ask for a new leaderboard. Idempotent."""

    submission = begin(Submission, pk)
    if submission is None:
        return

    with failure_stored(submission, _why_not_scored):
        signature = score_submission(submission, Reporter(submission))
        with transaction.atomic():
            if finish(submission, signature=signature, message=""):
                request_boards(submission.challenge)


def _why_not_scored(error: Exception) -> str:
    """Return what a submission says; the error itself could quote references."""
    return _METRIC_FAILED if isinstance(error, MetricFailed) else _SCORING_FAILED


def request_boards(challenge: Challenge) -> None:
    """Ask the worker for new leaderboards of a challenge."""
    with transaction.atomic():
        rows = Challenge.objects.filter(pk=challenge.pk)
        rows.update(revision=F("revision") + 1)
        compute_boards.enqueue(challenge.pk)


def renew_boards(challenge: Challenge) -> None:
    """Request new leaderboards if people have judged since the last, at most once in PAUSE."""
    is_due = (
        challenge.board_at is not None
        and challenge.board_revision >= challenge.revision
        and challenge.board_at + PAUSE <= timezone.now()
    )
    if is_due and challenge.board_people != people_state(challenge):
        request_boards(challenge)
        challenge.refresh_from_db(fields=["revision"])


@task(priority=_PRIORITY)
def compute_boards(pk: int) -> None:
    """Compute the leaderboards of a challenge, unless they are up to date. Idempotent."""
    write_boards(Challenge.everything.get(pk=pk))
