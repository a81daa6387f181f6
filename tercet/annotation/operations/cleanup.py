"""Delete what a site no longer needs: it is run daily, and while people vote."""

import shutil
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db.models import CharField, Value
from django.db.models.functions import Concat
from django.utils import timezone

from tercet.annotation.datasets.hidden_rows import without_leftovers
from tercet.annotation.judging.pace import MAX_QUEUE
from tercet.annotation.models import (
    Access,
    Arrivals,
    Evaluation,
    RateLimit,
    Study,
    Ticket,
    Upload,
    Worker,
)
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.deletion.purging import purge_due
from tercet.annotation.results.tasks import REPORTS_KEPT

_FORGOTTEN = "forgotten-"
_KEEP_WORKERS = timedelta(days=1)
_KEEP_ORPHANS = timedelta(days=1)
"""Files that no row names may be about to be named."""


def clean_up() -> dict[str, int]:
    """Delete what is outdated; return how many of each were deleted."""
    now = timezone.now()
    outdated = now - MAX_QUEUE
    tickets = Ticket.objects.filter(enters_at__lt=outdated)
    arrivals = Arrivals.objects.filter(full_until__lt=outdated, queued=0)
    workers = Worker.objects.filter(heard_at__lt=now - _KEEP_WORKERS)
    accesses = Access.objects.filter(at__lt=now - settings.KEEP_ACCESS)

    with without_leftovers():
        call_command("clearsessions")
    call_command(
        "prune_db_task_results",
        queue_name="*",
        min_age_days=settings.KEEP_TASKS.days,
        verbosity=0,
    )
    return {
        "uploads": delete_old_uploads(now),
        "tickets": tickets.delete()[0],
        "arrivals": arrivals.delete()[0],
        "addresses": _forget_addresses(outdated),
        "workers": workers.delete()[0],
        "limits": RateLimit.objects.filter(empty_at__lt=now).delete()[0],
        "upload files": _delete_orphaned_uploads(now),
        "logins and downloads": accesses.delete()[0],
        "deleted studies, datasets and challenges": purge_due(),
        "reports": _delete_old_evaluations(now),
        "report folders": _delete_orphaned_reports(now),
    }


def _forget_addresses(outdated: datetime) -> int:
    """Forget from which addresses people had to wait, but not how many; return how many rows."""
    rows = Arrivals.objects.filter(full_until__lt=outdated)
    known = rows.exclude(address__startswith=_FORGOTTEN)
    address = Concat(Value(_FORGOTTEN), "pk", output_field=CharField())
    return known.update(address=address)


def delete_old_uploads(now: datetime) -> int:
    """Delete uploads that nobody has imported for days; return how many."""
    old = Upload.objects.filter(created_at__lt=now - settings.KEEP_UPLOADS).exclude(
        state__in=JobState.unfinished()
    )
    for upload in old:
        delete_upload(upload)

    return len(old)


def delete_upload(upload: Upload) -> None:
    """Delete an upload with its files."""
    upload.problems_file.unlink(missing_ok=True)
    upload.file.delete(save=False)
    upload.delete()


def _delete_old_evaluations(now: datetime) -> int:
    """Delete old evaluations but the last of each study, with their reports; return how many."""
    old = Evaluation.objects.filter(
        created_at__lt=now - settings.KEEP_REPORTS,
        state__in=[JobState.DONE, JobState.FAILED],
    )
    kept: set[int] = set()
    for study in Study.everything.filter(evaluations__in=old).distinct():
        rows = study.evaluations.all()
        kept.update(row.pk for row in rows[:1])
        kept.update(row.pk for row in rows.filter(state=JobState.DONE)[:REPORTS_KEPT])

    outdated = list(old.exclude(pk__in=kept))
    for evaluation in outdated:
        shutil.rmtree(evaluation.folder, ignore_errors=True)
        evaluation.delete()

    return len(outdated)


def _delete_orphaned_reports(now: datetime) -> int:
    """Delete the folders of reports whose evaluations are deleted; return how many."""
    known = {str(key) for key in Evaluation.objects.values_list("pk", flat=True)}
    folders = _orphans("reports", known, now)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)

    return len(folders)


def _delete_orphaned_uploads(now: datetime) -> int:
    """Delete the files of uploads that are deleted, or were never stored; return how many.

    An upload goes with the account of who made it, and its files stay behind.
    """
    known = set()
    for upload in Upload.objects.all():
        known |= {Path(upload.file.name or "").name, upload.problems_file.name}

    files = _orphans("uploads", known, now)
    for file in files:
        file.unlink(missing_ok=True)

    return len(files)


def _orphans(folder: str, known: Collection[str], now: datetime) -> list[Path]:
    """Return what is in a folder, is old, and has none of the known names."""
    oldest = (now - _KEEP_ORPHANS).timestamp()
    return [
        path
        for path in (settings.MEDIA_ROOT / folder).glob("*")
        if path.name not in known and path.stat().st_mtime < oldest
    ]
