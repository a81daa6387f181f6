"""Check and accept submissions, as many as a challenge allows."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.contrib.auth.models import User
from django.core.files import File
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from tercet.analysis.leaderboard.result_files import ResultFile, read_results
from tercet.analysis.number_texts import plural
from tercet.annotation.challenges.references import images_of
from tercet.annotation.challenges.teams import team_of
from tercet.annotation.models import Challenge, Dataset, Submission
from tercet.annotation.models.challenge import HIDDEN, ChallengeProgress
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import is_owner

LONGEST_NAME = 60
"""Characters of the name of a temporary file; file systems allow 255 bytes."""


@dataclass(frozen=True)
class Attempts:
    """How many submissions of an account count, and how many more it may make; None: any."""

    today: int
    in_all: int
    left: int | None


@dataclass(frozen=True)
class Details:
    """What a submitter says about a system."""

    system: str
    description: str = ""
    link: str = ""
    training: str = ""


def attempts_of(user: User, challenge: Challenge) -> Attempts:
    """Count the attempts of an account, or of its team. A day begins at midnight UTC.

    The limit in all is one of captions of the hidden split, so the development phase has none.
    """
    counted = challenge.submissions.of(user, team_of(user, challenge)).counted()
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    since_midnight = counted.filter(created_at__gte=midnight)
    today = since_midnight.count()
    splits = counted.values_list("splits", flat=True)
    in_all = sum(HIDDEN in each for each in splits)

    limits = [(challenge.per_day, today)]
    if challenge.progress != ChallengeProgress.DEVELOPMENT:
        limits.append((challenge.in_all, in_all))
    left = [max(0, limit - used) for limit, used in limits if limit]
    is_limited = left and not is_owner(user, challenge)
    return Attempts(today, in_all, min(left) if is_limited else None)


def check_may_submit(user: User, challenge: Challenge) -> None:
    """Check dates and limits, which do not hold for owners; raises NotPossible.

    An archived challenge takes no submissions, not even of its owners.
    """
    if challenge.archived_at:
        raise NotPossible("This challenge is archived.")
    if is_owner(user, challenge):
        return

    progress = challenge.progress
    if progress == ChallengeProgress.PLANNED:
        raise NotPossible("This challenge is not open yet.")
    if progress == ChallengeProgress.CLOSED:
        raise NotPossible("This challenge is closed.")
    attempts = attempts_of(user, challenge)
    if attempts.left == 0:
        raise NotPossible(_limit_message(challenge, attempts))


def _limit_message(challenge: Challenge, attempts: Attempts) -> str:
    limits = []
    if challenge.per_day:
        words = plural(
            challenge.per_day,
            "%(count)s submission per day (UTC)",
            "%(count)s submissions per day (UTC)",
        )
        limits.append(words % {"count": challenge.per_day})
    if challenge.in_all:
        words = plural(challenge.in_all, "%(count)s in all", "%(count)s in all")
        limits.append(words % {"count": challenge.in_all})

    message = "You have no attempt left: this challenge allows %(limits)s."
    said = message % {"limits": ", ".join(limits)}
    if challenge.in_all and attempts.in_all >= challenge.in_all:
        return said

    later = "You have new ones after midnight (UTC)."
    return f"{said} {later}"


def check_file(
    path: Path, splits: Mapping[str, Dataset], closed: Collection[str] = ()
) -> ResultFile:
    """Read a result file of these splits and find all its problems.

    It has to have the first split that is not closed, and none that is.
    """
    images = {split: images_of(dataset) for split, dataset in splits.items()}
    taken = [split for split in splits if split not in closed]
    return read_results(path, images, taken[:1], closed)


@contextmanager
def on_disk(file: "File[bytes]") -> Iterator[Path]:
    """Yield the path of a temporary copy of an uploaded file, under its own name."""
    name = Path(file.name or "").name or "file"

    with TemporaryDirectory() as folder:
        path = Path(folder) / name[-LONGEST_NAME:]
        with path.open("wb") as copy:
            copy.writelines(_chunks(file))
        yield path


def _check_is_new(submission: Submission) -> None:
    """Check that the file has not been submitted before; raises NotPossible."""
    of_challenge = submission.challenge.submissions
    counted = of_challenge.of(submission.user, submission.team).counted()
    same = counted.filter(digest=submission.digest).first()
    if same is None:
        return

    message = (
        "You have submitted this file before: number %(number)s, %(system)s. Its name and "
        "description can be changed on its page."
    )
    raise NotPossible(message, number=same.number, system=same.system)


def _chunks(file: "File[bytes]") -> Iterable[Any]:
    file.seek(0)
    return file.chunks()


@transaction.atomic
def accept(
    challenge: Challenge,
    user: User,
    details: Details,
    file: "File[bytes]",
    splits: Iterable[str],
) -> Submission:
    """Save a checked submission; raises NotPossible. The lock makes limits exact."""
    locked = challenge.lock()
    check_may_submit(user, locked)

    digest = sha256()
    for chunk in _chunks(file):
        digest.update(chunk)

    last = locked.submissions.aggregate(last=Max("number", default=0))["last"]
    submission = Submission(
        challenge=challenge,
        number=last + 1,
        user=user,
        team=team_of(user, locked),
        **vars(details),
        file_name=Path(file.name or "").name[-200:],
        digest=digest.hexdigest(),
        splits=list(splits),
    )
    _check_is_new(submission)
    file.seek(0)
    submission.file.save(submission.file_name, file, save=False)
    submission.save()
    return submission
