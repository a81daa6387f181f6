"""Work of the background worker: `python manage.py db_worker` runs it."""

import time

import pandas as pd
from django.db import transaction
from django.utils import timezone
from django_tasks import task

from analysis.evaluation import NothingToEvaluate, evaluate
from analysis.options import Options
from analysis.plots import DARK, LIGHT, accuracy_figure, plotted, render
from analysis.progress import part
from analysis.report import write_report
from annotation.exporting import study_frames
from annotation.models import Evaluation, Study
from annotation.models.evaluation import State

THEMES = {"light": LIGHT, "dark": DARK}
SECONDS_BETWEEN_REPORTS = 0.3


class Reporter:
    """Progress into the database, not more often than anybody looks at it."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.rows = Evaluation.objects.filter(pk=evaluation.pk)
        self.last = 0.0

    def __call__(self, share: float, doing: str) -> None:
        if time.monotonic() - self.last > SECONDS_BETWEEN_REPORTS:
            self.last = time.monotonic()
            self.rows.update(progress=share, message=doing, reported_at=timezone.now())


def request_evaluation(study: Study) -> Evaluation:
    """The evaluation that is under way, or a new one for the worker."""
    Evaluation.objects.filter(study=study).give_up_silent()
    unfinished = Evaluation.objects.filter(state__in=State.unfinished())
    with transaction.atomic():
        evaluation, _ = unfinished.get_or_create(study=study)
        if evaluation.state == State.WAITING:
            compute.enqueue(evaluation.pk)
    return evaluation


@task()
def compute(pk: int) -> None:
    """Compute one evaluation and write its report; failures are told on the page.

    Asked for twice, an evaluation is computed once.
    """
    evaluation = Evaluation.objects.get(pk=pk)
    rows = Evaluation.objects.filter(pk=pk)
    waiting = rows.filter(state=State.WAITING)
    if not waiting.update(state=State.RUNNING, reported_at=timezone.now()):
        return
    try:
        votes = report(evaluation)
    except NothingToEvaluate as error:
        rows.update(state=State.FAILED, message=str(error), finished_at=timezone.now())
    except BaseException as error:
        message = f"The computation stopped: {str(error) or type(error).__name__}"
        rows.update(state=State.FAILED, message=message, finished_at=timezone.now())
        raise
    else:
        rows.update(state=State.DONE, progress=1, votes=votes, finished_at=timezone.now())


def report(evaluation: Evaluation) -> int:
    """Write the report folder; gives the number of votes it is made of."""
    frames = study_frames(evaluation.study)
    reporter = Reporter(evaluation)
    result = evaluate(frames, Options(), part(reporter, 0, 0.6))
    write_report(result, evaluation.folder, part(reporter, 0.6, 1))
    for name, content in page_plots(result.accuracy).items():
        (evaluation.folder / name).write_bytes(content)
    return len(frames.valid_votes)


def page_plots(accuracy: pd.DataFrame) -> dict[str, bytes]:
    """The plots as the results page shows them: the signature is text of the page."""
    return {
        page_plot(plot, name): render(
            accuracy_figure(accuracy[accuracy["metric"].isin(metrics)], "", theme), "svg"
        )
        for plot, metrics in plotted(list(accuracy["metric"].unique())).items()
        for name, theme in THEMES.items()
    }


def page_plot(plot: str, theme: str) -> str:
    return f"{plot}-{theme}.svg"
