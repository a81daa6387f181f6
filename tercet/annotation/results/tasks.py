"""Tasks of the worker: evaluations of studies, and snapshots of large ones."""

import shutil
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Self, cast

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django_tasks import task

from tercet import analysis
from tercet.analysis.dataset.winners import Winners
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.pair_scores import write_pair_scores
from tercet.analysis.evaluation.results import NothingToEvaluate
from tercet.analysis.progress import part
from tercet.analysis.scoring.enabled import ALL, load_metrics
from tercet.analysis.scoring.options import Options, read_counts
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.challenges.references import metrics_for
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.jobs import Reporter, begin, fail, failure_stored, finish
from tercet.annotation.judging.kinds import KINDS, kind_of
from tercet.annotation.models import Evaluation, Snapshot, Study
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.models.study import State
from tercet.annotation.results.digests import digest_of, state_of
from tercet.annotation.results.methods import methods_text
from tercet.annotation.results.snapshots import take_snapshot
from tercet.annotation.results.variants import record_variants
from tercet.annotation.studies.progress import counted_annotators

PAUSE = timedelta(seconds=60)
"""Minimum time between evaluations, and leaderboards, that open pages request."""
DEFAULTS = Options()
RESULTS = "results"
"""The queue of evaluations, which take minutes: a worker of the other queue begins none."""
REPORTS_KEPT = 3
"""Reports kept of each study: an open page may still show an earlier one."""


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
    elsewhere, or people review the answers, or the end of the study has already started an
    evaluation of them.
    """
    if study.collected_elsewhere or kind_of(study).is_reviewed:
        return None
    if not study.questions.progress()["votes"]:
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

    evaluation = begin(Evaluation, pk)
    if evaluation is None:
        return

    with failure_stored(evaluation, _reason):
        try:
            counted = report(evaluation, options, findings)
        except NothingToEvaluate as error:
            fail(evaluation, str(error))
        else:
            _complete(evaluation, counted)


def _reason(error: Exception) -> str:
    return f"The computation stopped: {str(error) or type(error).__name__}"


@transaction.atomic
def _complete(evaluation: Evaluation, counted: Counted) -> None:
    study = evaluation.study
    if not finish(evaluation, **asdict(counted)):
        return

    if _is_finished(study):  # perhaps meanwhile, with other votes
        request_final_evaluation(study)


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
    votes = study.questions.progress()["votes"]
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
    choosing = [kind.name for kind in KINDS.values() if kind.chooses]
    if study.protocol not in choosing:
        return None
    studies = Study.objects.filter(protocol__in=choosing).exclude(
        protocol=study.protocol
    )
    counted = studies.annotate(cast=Sum("questions__answers"))
    others = counted.filter(dataset=study.dataset, cast__gt=0)
    return others.order_by("-cast", "pk").first()


def studies(study: Study, other: Study | None) -> dict[str, str]:
    """Return what a report says about the studies that it is made of."""
    return {"study": study.name} | ({"other_study": other.name} if other else {})


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
