"""Tasks of the worker: check uploads, and import them."""

from concurrent.futures import ThreadPoolExecutor
from typing import Self

from django.db import connection, connections, transaction
from django_tasks import task

from tercet.annotation.datasets.disk import is_disk_full
from tercet.annotation.datasets.dry_run import Result
from tercet.annotation.datasets.importing import NameTaken
from tercet.annotation.datasets.uploading import check_upload, import_upload
from tercet.annotation.jobs import Reporter, Superseded, begin, failure_stored, finish
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Dataset, Upload
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.upload import Work
from tercet.annotation.results.tasks import request_evaluation

_PRIORITY = 20
"""Before everything else: people wait at their page for a check or an import."""
_IMPORT_FAILED = (
    "Something went wrong on the server, and nothing was saved. The server's log shows the "
    "cause."
)
_DISK_FULL = (
    "The disk of the server is full or almost full, so nothing was saved. Free space, then check "
    "the files again."
)


class ReporterOutside(Reporter):
    """Write progress beside the transaction of an import on PostgreSQL, where all may read it."""

    def __enter__(self) -> Self:
        self.thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.submit(connections.close_all).result()
        self.thread.shutdown()

    def __call__(self, share: float, doing: str) -> None:
        report = super().__call__
        is_hidden = connection.in_atomic_block
        if is_hidden and connection.vendor == "postgresql":
            self.thread.submit(report, share, doing).result()
        elif not is_hidden:
            report(share, doing)


@transaction.atomic
def request_work(upload: Upload, work: Work) -> None:
    """Ask the worker to check or import an upload, unless it is at work."""
    idle = Upload.objects.filter(pk=upload.pk).exclude(state__in=JobState.unfinished())
    asked = idle.update(
        work=work,
        state=JobState.WAITING,
        progress=0,
        attempts=0,
        message="",
        choices=upload.choices,
        order=upload.order,
    )
    if asked:
        process_upload.enqueue(upload.task_key)


@task(priority=_PRIORITY)
def process_upload(key: str) -> None:
    """Check or import an upload. Idempotent."""
    upload = begin(Upload, key)
    if upload is None:
        return

    with failure_stored(upload, _why_not_imported), ReporterOutside(upload) as progress:
        _process(upload, progress)


def _why_not_imported(error: Exception) -> str:
    return _DISK_FULL if is_disk_full(error) else _IMPORT_FAILED


def _process(upload: Upload, progress: Reporter) -> None:
    """Do the work; where an import is not possible, the upload is one that was checked."""
    if upload.work == Work.CHECK:
        result = check_upload(upload, progress)
        finish(upload, result=result, message="")
        return

    def confirm(dataset: Dataset, result: Result) -> None:
        if not finish(upload, result=result, dataset=dataset, message=""):
            raise Superseded

    try:
        problems = import_upload(upload, progress, confirm)
    except NameTaken as error:
        finish(upload, work=Work.CHECK, message=str(error))
        return

    if problems:
        finish(upload, work=Work.CHECK, result=problems, message="")
        return

    upload.refresh_from_db()
    upload.file.delete()
    if upload.dataset:
        for study in upload.dataset.studies.all():
            if not kind_of(study).is_reviewed:
                request_evaluation(study)
