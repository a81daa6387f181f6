"""What pages about large studies show: computed by the background worker, and kept as JSON."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from tercet.annotation.models import Snapshot, Study
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.quality.checks import quality_content
from tercet.annotation.results.digests import state_of
from tercet.annotation.results.sentences import sentences_content
from tercet.annotation.studies.progress import progress_content

Content = dict[str, Any]

_CONTENTS: dict[EvaluationKind, Callable[[Study], Content]] = {
    EvaluationKind.QUALITY: quality_content,
    EvaluationKind.PROGRESS: progress_content,
    EvaluationKind.SENTENCES: sentences_content,
}


def take_snapshot(snapshot: Snapshot) -> None:
    """Compute a snapshot anew."""
    state = state_of(snapshot.study)
    snapshot.content = _CONTENTS[EvaluationKind(snapshot.kind)](snapshot.study)

    snapshot.state = state
    snapshot.computed_at = timezone.now()
    snapshot.requested_at = None
    snapshot.save()
