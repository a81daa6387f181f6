"""How often each metric prefers a correct caption to a distractor, and what should not matter."""

from functools import partial

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.bootstrap import image_weights
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.points import robustness_figure
from tercet.analysis.findings.finding import Content, Need, Plot, finding
from tercet.analysis.findings.first_sentence import NONE, best_in_words, best_metric
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.findings.table import worst_in_words
from tercet.analysis.number_texts import fixed, percent, written
from tercet.analysis.scoring.pairs import Arranged
from tercet.analysis.scoring.sources import Known, Sources, measured_by, score_once
from tercet.analysis.stats.resampling import mean_and_interval, share
from tercet.analysis.superlatives import Ranking, Wording, quoted
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import MEAN
from tercet.lab.robustness.tasks import CORRECT, INVARIANT, TASKS
from tercet.metrics.text.inputs import check

MEANING = (
    "Accuracy in % on each task of a suite of distractors: how often the metric scores the correct"
    " caption higher, ties counting half; t: ties in %. Where `length` has 0 or 100, the task is a"
    " test of length, too. Invariance is the mean absolute change of the score when a caption is"
    " written in another way, in standard deviations of the scores of the correct captions: the"
    " smaller, the better. Intervals are over images."
)
_SHOWS = "Accuracy of each metric on each task of a suite of distractors"
_PREFERS = Wording(
    one="{best} prefers the correct caption in {mean} % of pairs, as the mean over {number} tasks, "
    "and least often in {last} ({low} %).",
    several="{best} prefers the correct caption in {mean} % of pairs, as the mean over {number} "
    "tasks, and least often in {last} ({low} %).",
    level="{best} prefers the correct caption in {mean} % of pairs of each of {number} tasks.",
)
LENGTH = "length"
MOST_RESAMPLES = 1_000
"""Of images, for the intervals of changes."""
NUMBERS = ["accuracy", "low", "high", "ties"]


def _is_suite(results: Results) -> bool:
    pairs = results.dataset.pairs
    names = [task.name for task in TASKS]
    sources = pairs["source_b"], pairs["source_c"]
    return any(each.isin(names).any() for each in sources)


DISTRACTORS = Need("The dataset is no suite of distractors.", _is_suite)


@finding(
    title="Robustness to distractors",
    source="Hodosh and Hockenmaier, 2016; NNEval, section 5.3",
    meaning=MEANING,
    needs=(PAIRS, DISTRACTORS),
    place=81,
)
def robustness(results: Results) -> Content:
    """Tabulate accuracy and ties by task, and how much scores change where they should not."""
    numbers = _numbers(results)
    is_task = numbers["task"] != MEAN
    of_tasks = numbers[is_task]
    draw = partial(robustness_figure, of_tasks)
    return Content(
        tables={
            "robustness": _in_words(numbers),
            "invariance": _invariance(results),
            "robustness_numbers": numbers,
        },
        plots={"robustness": Plot(draw, _SHOWS)},
        notes=with_cut_note(results),
        sentence=_sentence(results, of_tasks),
    )


def _metrics(results: Results) -> list[str]:
    """Return the headline metrics, and the length."""
    names = [*results.headline, LENGTH]
    return [name for name in dict.fromkeys(names) if name in results.metrics]


def _numbers(results: Results) -> pd.DataFrame:
    """Return a row for each task and metric, with all references; the mean comes last."""
    names = _metrics(results)
    at_last = where(results.all_counts, reference_count=results.last_count)
    known = [task.name for task in TASKS if task.name in results.groups]
    groups = [*known, MEAN] if len(known) > 1 else known
    shown = where(at_last, metric=names, category=groups)

    columns = ["category", "metric", "pairs", *NUMBERS]
    ties = shown["metric_ties"] / shown["pairs"]
    shown = shown.assign(ties=ties)[columns]
    place = shown["category"].map(groups.index)
    rank = shown["metric"].map(names.index)
    ordered = shown.assign(place=place, rank=rank).sort_values(["place", "rank"])

    kept = ordered.drop(columns=["place", "rank"]).reset_index(drop=True)
    return kept.rename(columns={"category": "task"})


def _in_words(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each task, a column for each metric, and the worst task last."""
    cells = map(_cell, numbers["accuracy"], numbers["ties"])
    named = numbers.assign(cell=list(cells))
    by_metric = named.set_index(["task", "pairs", "metric"])["cell"]
    wide = by_metric.unstack(sort=False).reset_index()
    wide = wide.rename_axis(columns=None)
    if MEAN not in set(numbers["task"]):
        return wide

    of_tasks = numbers[numbers["task"] != MEAN].dropna(subset="accuracy")
    names = {
        metric: worst_in_words(rows.set_index("task")["accuracy"])
        for metric, rows in of_tasks.groupby("metric")
    }
    last = pd.DataFrame([{"task": "worst", "pairs": "", **names}])
    return pd.concat([wide.astype(object), last], ignore_index=True)


def _cell(accuracy: float, ties: float) -> str:
    """Write an accuracy and the share of ties, in percent."""
    if np.isnan(accuracy):
        return "none"
    share = written(percent(accuracy), ".1f")
    tied = written(percent(ties), ".0f")
    return f"{share} t{tied}"


def _invariance(results: Results) -> pd.DataFrame:
    """Return how much each change moves the score of each metric; no row without changes."""
    candidates = results.dataset.candidates
    sources = set(candidates["source"])
    changes = [task.name for task in INVARIANT if task.name in sources]
    used = where(candidates, source=[CORRECT, *changes])
    scores = _scores(results, used) if changes else {}

    tables = []
    for name in _metrics(results):
        if name in scores:
            scored = used.assign(score=scores[name])
            tables.append(_changes(results, scored, changes, name))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _scores(results: Results, candidates: pd.DataFrame) -> Known:
    """Score candidates by the metrics of the evaluation that can, with all references."""
    by_image = results.references.groupby("image", sort=False)
    references = by_image["caption"].agg(list)
    images = references.index.get_indexer(pd.Index(candidates["image"]))
    captions = check(references.tolist(), candidates["caption"].tolist(), images)

    selection = results.samples.sources.selection
    scored = selection.available(selection.scored)
    arranged = Arranged.of_captions(captions)
    measured = measured_by(results.dataset, scored, captions, results.options, [-1])
    return score_once(arranged, Sources(scored, measured), results.options)


def _changes(
    results: Results, scored: pd.DataFrame, changes: list[str], metric: str
) -> pd.DataFrame:
    """Return the mean absolute change of a metric's score by each change."""
    correct = where(scored, source=CORRECT)
    before = correct.set_index("image")["score"]
    sd = float(before.std(ddof=1))
    rows = []

    for change in changes:
        after = where(scored, source=change)
        unchanged = before[after["image"]].to_numpy()
        moved = after["score"].to_numpy() - unchanged
        in_sds = share(np.abs(moved), np.full(len(moved), sd))
        images = np.arange(len(moved))
        weights = image_weights(results.options, len(images), MOST_RESAMPLES)
        estimate = mean_and_interval(in_sds, images, weights)
        mean, low, high = estimate.tolist()
        row = {
            "change": change,
            "metric": metric,
            "captions": len(after),
            "unchanged": float(np.mean(moved == 0)),
            "invariance": mean,
            "low": low,
            "high": high,
            "sd": sd,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _sentence(results: Results, numbers: pd.DataFrame) -> str:
    """Say how often the best metric is right, and on which task least often."""
    rows = where(numbers, metric=best_metric(results)).dropna(subset="accuracy")
    by_task = Ranking.of(rows.set_index("task")["accuracy"])
    if len(by_task.values) < 2:
        return NONE

    return _PREFERS.said(
        by_task,
        quoted,
        best=best_in_words(results),
        mean=fixed(percent(float(rows["accuracy"].mean())), 1),
        low=fixed(percent(by_task.lowest), 1),
    )
