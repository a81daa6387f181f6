"""Pages of large studies, which show what the background worker has computed."""

from typing import Any

from tercet.annotation.models import Snapshot, Study, Worker
from tercet.annotation.models.evaluation import Kind
from tercet.annotation.results.digests import is_large, state_of
from tercet.annotation.tasks import request_snapshot


def snapshot_of(study: Study, kind: Kind) -> Snapshot | None:
    """Return the snapshot that a page shows; None where the page computes it itself."""
    return request_snapshot(study, kind) if is_large(study) else None


def snapshot_context(snapshot: Snapshot | None) -> dict[str, Any]:
    """Return what `results/snapshot.html` says: how old the snapshot is, or what it waits for."""
    return {
        "snapshot": snapshot,
        "has_changed": snapshot and snapshot.state != state_of(snapshot.study),
        "has_worker": snapshot is None or Worker.objects.alive().exists(),
    }
