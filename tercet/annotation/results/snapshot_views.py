"""Pages of large studies, which show what the background worker has computed."""

from collections.abc import Mapping
from typing import Any

from tercet.annotation.models import Snapshot, Study, Worker
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.results.digests import is_large, state_of
from tercet.annotation.results.snapshots import take_snapshot
from tercet.annotation.results.tasks import request_snapshot

_NO_CHECKS: Mapping[str, Any] = {
    "people": [],
    "missed": [],
    "disputes": 0,
    "disputed": [],
}


def snapshot_of(study: Study, kind: EvaluationKind) -> Snapshot | None:
    """Return the snapshot that a page shows; None where the page computes it itself."""
    return request_snapshot(study, kind) if is_large(study) else None


def quality_of(study: Study) -> tuple[Mapping[str, Any], Snapshot | None]:
    """Return the checks of a study, and the snapshot that they are from."""
    content, snapshot = content_of(study, EvaluationKind.QUALITY)
    return content or _NO_CHECKS, snapshot


def content_of(
    study: Study, kind: EvaluationKind
) -> tuple[Mapping[str, Any], Snapshot | None]:
    """Return what is computed of a study, and the snapshot of it; empty before the first.

    Pages of other than large studies are right at once: they compute it anew, and store it, where
    the study has changed.
    """
    if is_large(study):
        snapshot = request_snapshot(study, kind)
        return snapshot.content or {}, snapshot

    stored, _ = study.snapshots.get_or_create(kind=kind)
    if stored.content is None or stored.state != state_of(study):
        take_snapshot(stored)
    return stored.content or {}, None


def snapshot_context(snapshot: Snapshot | None) -> dict[str, Any]:
    """Return what `results/snapshot.html` says: how old the snapshot is, or what it waits for."""
    return {
        "snapshot": snapshot,
        "has_changed": snapshot and snapshot.state != state_of(snapshot.study),
        "has_worker": snapshot is None or Worker.objects.alive().exists(),
    }
