"""What pages about large studies show: computed by the background worker, and kept as JSON."""

from collections.abc import Callable
from typing import Any

from django.db.models import Max, Sum
from django.utils import timezone

from tercet.annotation.models import Snapshot, Study
from tercet.annotation.models.evaluation import Kind
from tercet.annotation.quality.checks import quality_content
from tercet.annotation.studies.progress import progress_content

MAX_LIVE_VOTES = 20_000
"""Up to so many votes, pages compute what they show themselves."""

Content = dict[str, Any]

_CONTENTS: dict[Kind, Callable[[Study], Content]] = {
    Kind.QUALITY: quality_content,
    Kind.PROGRESS: progress_content,
}


def is_large(study: Study) -> bool:
    """Return whether pages show snapshots of a study."""
    return _votes(study) > MAX_LIVE_VOTES


def state_of(study: Study) -> str:
    """Return a text that changes with the votes and the audit log of a study."""
    judged = study.annotators.aggregate(judged=Sum("judged", default=0))
    last_event = study.events.aggregate(last_event=Max("pk"))
    votes = {"votes": _votes(study)}
    return str(votes | judged | last_event)


def _votes(study: Study) -> int:
    return int(study.questions.aggregate(n=Sum("answers", default=0))["n"])


def take_snapshot(snapshot: Snapshot) -> None:
    """Compute a snapshot anew."""
    state = state_of(snapshot.study)
    snapshot.content = _CONTENTS[Kind(snapshot.kind)](snapshot.study)

    snapshot.state = state
    snapshot.computed_at = timezone.now()
    snapshot.requested_at = None
    snapshot.save()
