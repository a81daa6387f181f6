"""Tasks of the background worker, which `python manage.py db_worker` runs."""

import shutil
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any, Self, TypeVar, cast

from django.contrib.auth.models import User
from django.core.files import File
from django.db import connection, connections, transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone
from django_tasks import task

from tercet import analysis
from tercet.analysis.dataset.winners import Winners
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.pair_scores import write_pair_scores
from tercet.analysis.evaluation.results import NothingToEvaluate
from tercet.analysis.progress import part
from tercet.analysis.scoring.enabled import ALL, MetricFailed, load_metrics
from tercet.analysis.scoring.options import Options, read_counts
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.challenges.references import metrics_for
from tercet.annotation.challenges.scoring import (
    people_state,
    score_submission,
    write_boards,
)
from tercet.annotation.challenges.submissions import Details, accept
from tercet.annotation.datasets.disk import is_disk_full
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import NameTaken
from tercet.annotation.datasets.uploading import Result, check_upload, import_upload
from tercet.annotation.models import (
    Challenge,
    Dataset,
    Evaluation,
    Snapshot,
    Study,
    Submission,
    Upload,
)
from tercet.annotation.models.computation import Computation, JobState
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.models.study import State
from tercet.annotation.models.upload import Work
from tercet.annotation.results.digests import digest_of, state_of
from tercet.annotation.results.methods import methods_text
from tercet.annotation.results.snapshots import take_snapshot
from tercet.annotation.results.variants import record_variants
from tercet.annotation.studies.progress import counted_annotators

SECONDS_BETWEEN_REPORTS = 0.3
PAUSE = timedelta(seconds=60)
"""Minimum time between evaluations, and leaderboards, that open pages request."""
DEFAULTS = Options()
UPLOADS = 20
"""The priority of uploads: people wait at their page for a check or an import."""
_SUBMISSIONS = 10
"""The priority of submissions to challenges, before evaluations and snapshots, which have 0."""
RESULTS = "results"
"""The queue of evaluations, which take minutes: a worker of the other queue begins none."""
REPORTS_KEPT = 3
"""Reports kept of each study: an open page may still show an earlier one."""


_SCORING_FAILED = (
    "The scoring stopped because of an error on the server. It does not count as an attempt: "
    "submit the file again, or tell the owners of the challenge."
)
_METRIC_FAILED = (
    "A metric from outside failed on the server. It does not count as an attempt: tell the owners "
    "of the challenge, and submit the file again later."
)
_IMPORT_FAILED = (
    "Something went wrong on the server, and nothing was saved. The server's log shows the "
    "cause."
)
_DISK_FULL = (
    "The disk of the server is full or almost full, so nothing was saved. Free space, then check "
    "the files again."
)

C = TypeVar("C", bound=Computation)


class Superseded(Exception):
    """Another worker has begun this computation again, since this one seemed dead."""


class Reporter:
    """Write progress to the database, at most every SECONDS_BETWEEN_REPORTS.

    Raises Superseded where the computation is no longer this worker's.
    """

    def __init__(self, computation: Computation) -> None:
        self.rows = attempt(computation)
        self.last = 0.0

    def __call__(self, share: float, doing: str) -> None:
        if time.monotonic() - self.last <= SECONDS_BETWEEN_REPORTS:
            return

        self.last = time.monotonic()
        now = timezone.now()
        if not self.rows.update(progress=share, message=doing, reported_at=now):
            raise Superseded


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


def attempt(computation: C) -> QuerySet[C]:
    """Select a computation, unless it has ended or begun again since."""
    rows = type(computation)._default_manager.filter(pk=computation.pk)
    return rows.filter(attempts=computation.attempts, state__in=JobState.unfinished())


@dataclass(frozen=True)
class Asked:
    """What people choose of an evaluation.

    `counts` are the reference counts to report, as `read_counts` takes them; `metrics` the enabled
    metrics from outside that take part.
    """

    counts: str = ""
    metrics: tuple[str, ...] = ()

    @classmethod
    def of(cls, evaluation: Evaluation | None) -> Self:
        """Return what was asked of an evaluation, of metrics that are still enabled for it."""
        if evaluation is None:
            return cls()

        enabled = metrics_for(evaluation.study)
        metrics = (name for name in evaluation.metrics if name in enabled)
        return cls(evaluation.counts, tuple(metrics))


@dataclass(frozen=True)
class Counted:
    """Which votes an evaluation has counted, as it is stored."""

    votes: int
    digest: str
    methods: str = ""


def request_evaluation(
    study: Study, asked: Asked | None = None, final_digest: str = ""
) -> Evaluation:
    """Return the unfinished evaluation of a study, or a new one for the worker.

    Without `asked`, what was asked of the latest evaluation holds. An evaluation that still waits
    takes it over. `final_digest` is that of the votes of a study whose end is the reason.
    """
    if asked is None:
        asked = Asked.of(study.evaluations.first())
    values = asdict(asked)
    unfinished = Evaluation.objects.filter(state__in=JobState.unfinished())

    with transaction.atomic():
        defaults = values | {"final_digest": final_digest}
        evaluation, is_new = unfinished.get_or_create(study=study, defaults=defaults)
        if is_new:
            compute.enqueue(evaluation.pk)
        elif study.evaluations.filter(state=JobState.WAITING).update(**values):
            evaluation.refresh_from_db(fields=list(values))

    return evaluation


def request_final_evaluation(study: Study) -> Evaluation | None:
    """Request an evaluation of a study that has ended, unless there is one of the same votes.

    Returns None where nothing is to be computed: there are no votes, or they were collected
    elsewhere, or the end of the study has already started an evaluation of them.
    """
    if study.collected_elsewhere or not study.questions.progress()["votes"]:
        return None

    digest = digest_of(study)
    is_current = Q(state=JobState.DONE, digest=digest) | Q(final_digest=digest)
    with transaction.atomic():
        study.lock()
        if study.evaluations.filter(is_current).exists():
            return None
        return request_evaluation(study, final_digest=digest)


def request_evaluations_of_ends() -> None:
    """Request an evaluation of each study that has got all its votes."""
    underway = Study.objects.filter(state__in=(State.OPEN, State.PAUSED))
    for study in underway.filter(archived_at=None, collected_elsewhere=False):
        if _is_finished(study):
            request_final_evaluation(study)


def _is_finished(study: Study) -> bool:
    """Return whether a study has ended: it is closed, or has all votes that it needs."""
    if study.state == State.CLOSED:
        return True

    missing = study.questions.lacking()
    return not missing.exists()


def request_snapshot(study: Study, kind: EvaluationKind) -> Snapshot:
    """Return the latest snapshot of a study; a worker is asked for the next where it is due."""
    snapshot, _ = Snapshot.objects.get_or_create(study=study, kind=kind)

    if snapshot.is_due(state_of(study)):
        rows = Snapshot.objects.filter(pk=snapshot.pk)
        unclaimed = rows.filter(requested_at=snapshot.requested_at)
        with transaction.atomic():
            if unclaimed.update(requested_at=timezone.now()):
                compute_snapshot.enqueue(snapshot.pk)

    return snapshot


@task()
def compute_snapshot(pk: int) -> None:
    """Compute what the page of a large study shows. Idempotent."""
    take_snapshot(Snapshot.objects.get(pk=pk))


def is_due(latest: Evaluation | None, *, is_current: bool) -> bool:
    """Return whether an open page should request an evaluation: other votes count now.

    People start the first evaluation themselves, and the next one after a failure.
    """
    if latest is None or latest.state != JobState.DONE or latest.finished_at is None:
        return False

    return not is_current and latest.finished_at + PAUSE <= timezone.now()


@task(queue_name=RESULTS)
def compute(pk: int) -> None:
    """Compute an evaluation and write its report; its page shows failures. Idempotent."""
    run(pk, DEFAULTS)


def run(pk: int, options: Options, findings: Collection[str] = ()) -> None:
    """Do what `compute` does, with options of its own, and perhaps only some findings."""

    evaluation = _begin(Evaluation, pk)
    if evaluation is None:
        return

    with _failure_stored(evaluation, _reason):
        try:
            counted = report(evaluation, options, findings)
        except NothingToEvaluate as error:
            _fail(evaluation, str(error))
        else:
            _complete(evaluation, counted)


def _reason(error: Exception) -> str:
    return f"The computation stopped: {str(error) or type(error).__name__}"


@transaction.atomic
def _complete(evaluation: Evaluation, counted: Counted) -> None:
    study = evaluation.study
    if not _finish(evaluation, **asdict(counted)):
        return

    if _is_finished(study):  # perhaps meanwhile, with other votes
        request_final_evaluation(study)


def _begin(model: type[C], pk: int | str) -> C | None:
    """Take a computation that waits; None where none does.

    One whose worker ends meanwhile stays unfinished, and is begun again.
    """
    rows = model._default_manager.filter(pk=pk)
    now = timezone.now()
    waiting = rows.filter(state=JobState.WAITING)
    if not waiting.update(
        state=JobState.RUNNING, attempts=F("attempts") + 1, reported_at=now
    ):
        return None
    return rows.get()


@contextmanager
def _failure_stored(
    computation: Computation, reason: Callable[[Exception], str]
) -> Iterator[None]:
    """Store why a computation fails."""
    try:
        yield
    except Superseded:
        return
    except Exception as error:
        _fail(computation, reason(error))
        raise


def _finish(computation: Computation, **results: Any) -> bool:
    """Store that a computation is done; False where it is no longer this worker's."""
    ended = {"progress": 1, "finished_at": timezone.now()}
    rows = attempt(computation)
    return bool(rows.update(state=JobState.DONE, **ended, **results))


def _fail(computation: Computation, message: str) -> None:
    now = timezone.now()
    attempt(computation).update(state=JobState.FAILED, message=message, finished_at=now)


def report(
    evaluation: Evaluation, options: Options, findings: Collection[str]
) -> Counted:
    """Write the report folder; return which votes it is made of."""
    study = evaluation.study
    frames, counted = _read_votes(study)
    other = other_study(study)
    reporter = Reporter(evaluation)
    result = evaluate(
        frames,
        _chosen(evaluation, options),
        part(reporter, 0, 0.5),
        study_frames(other) if other else None,
    )
    result.provenance.update(studies(study, other), digest_of_votes=counted.digest)
    record_variants(study, result)
    analysis.write_report(result, evaluation.folder, part(reporter, 0.5, 1), findings)
    write_pair_scores(result, evaluation.folder)
    # open pages may still request many files of the last ones
    for old in study.evaluations.filter(state=JobState.DONE)[REPORTS_KEPT - 1 :]:
        shutil.rmtree(old.folder, ignore_errors=True)

    return counted


def _read_votes(study: Study) -> tuple[Frames, Counted]:
    """Return the frames of a study, and which votes they have: without digest if these change."""
    digest = digest_of(study)
    frames = study_frames(study)
    votes = len(frames.valid_votes)
    methods = methods_text(study, counted_annotators(study).count(), votes)
    has_changed = digest_of(study) != digest
    return frames, Counted(votes, "" if has_changed else digest, methods)


def _chosen(evaluation: Evaluation, options: Options) -> Options:
    """Return options with what people chose."""
    counts = read_counts(evaluation.counts)
    metrics = options.metrics
    if evaluation.metrics:
        names = [*(metrics or [ALL]), *evaluation.metrics]
        metrics = load_metrics(metrics_for(evaluation.study), names)

    winners = cast(Winners, evaluation.study.winners)
    return replace(options, winners=winners, counts=counts, metrics=metrics)


def other_study(study: Study) -> Study | None:
    """Return the study of the same dataset under the other protocol that has most votes."""
    studies = Study.objects.exclude(protocol=study.protocol)
    counted = studies.annotate(cast=Sum("questions__answers"))
    others = counted.filter(dataset=study.dataset, cast__gt=0)
    return others.order_by("-cast", "pk").first()


def studies(study: Study, other: Study | None) -> dict[str, str]:
    """Return what a report says about the studies that it is made of."""
    return {"study": study.name} | ({"other_study": other.name} if other else {})


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


@task(priority=_SUBMISSIONS)
def compute_scores(pk: int) -> None:
    """Score a submission, and ask for a new leaderboard. Idempotent."""

    submission = _begin(Submission, pk)
    if submission is None:
        return

    with _failure_stored(submission, _why_not_scored):
        signature = score_submission(submission, Reporter(submission))
        with transaction.atomic():
            if _finish(submission, signature=signature, message=""):
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


@task(priority=_SUBMISSIONS)
def compute_boards(pk: int) -> None:
    """Compute the leaderboards of a challenge, unless they are up to date. Idempotent."""
    write_boards(Challenge.everything.get(pk=pk))


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


@task(priority=UPLOADS)
def process_upload(key: str) -> None:
    """Check or import an upload. Idempotent."""
    upload = _begin(Upload, key)
    if upload is None:
        return

    with (
        _failure_stored(upload, _why_not_imported),
        ReporterOutside(upload) as progress,
    ):
        _process(upload, progress)


def _why_not_imported(error: Exception) -> str:
    return _DISK_FULL if is_disk_full(error) else _IMPORT_FAILED


def _process(upload: Upload, progress: Reporter) -> None:
    """Do the work; where an import is not possible, the upload is one that was checked."""
    if upload.work == Work.CHECK:
        result = check_upload(upload, progress)
        _finish(upload, result=result, message="")
        return

    def confirm(dataset: Dataset, result: Result) -> None:
        if not _finish(upload, result=result, dataset=dataset, message=""):
            raise Superseded

    try:
        problems = import_upload(upload, progress, confirm)
    except NameTaken as error:
        _finish(upload, work=Work.CHECK, message=str(error))
        return

    if problems:
        _finish(upload, work=Work.CHECK, result=problems, message="")
        return

    upload.refresh_from_db()
    upload.file.delete()
    if upload.dataset:
        for study in upload.dataset.studies.all():
            request_evaluation(study)
