"""Score a system's captions, and held-out references, with every reference count of a challenge.

With a reference count k, the images that have k references are scored with the first k of each.
Figures are those that `metrics.score` gives for these images and references.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from tercet import metrics
from tercet.analysis.leaderboard.rules import Count, Rules, check_rules, images_with
from tercet.analysis.leaderboard.scores import CountScores, Sums, SystemScores
from tercet.analysis.number_texts import plural
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.stats.resampling import resampled_sums
from tercet.analysis.stats.significance import flipped_sums
from tercet.metrics import FloatArray
from tercet.metrics.core.arrays import AnyArray
from tercet.metrics.corpus_scores import exact_sum
from tercet.metrics.registry import measure_all
from tercet.metrics.score_tables import ScoreTable, score_tables
from tercet.metrics.text.inputs import Inputs, check

RESAMPLES = FLIPS = 1_000
BOOTSTRAP, SIGNS = range(2)
"""Purposes of chance: each draws from a stream of its own."""
Arrays: TypeAlias = Mapping[str, AnyArray]
SCORED = 0.9
"""Share of the work that is done when the captions are scored."""


def score_system(
    references: Sequence[Sequence[str]],
    captions: Sequence[str],
    rules: Rules,
    progress: Progress = silent,
) -> SystemScores:
    """Score a caption of each image.

    Parameters
    ----------
    references
        The references of each image, one or more.
    captions
        The system's caption of each image.
    rules
        Metrics and reference counts.
    progress
        Takes the share that is done.

    Raises
    ------
    ValueError
        If the rules do not suit the references (`check_rules`), or a metric cannot score the
        captions.
    """
    check_rules(references, rules)
    columns = {
        count: _Column(count, images_with(references, count)) for count in rules.counts
    }
    return _score_columns(columns, references, captions, rules, progress)


def score_held_out(references: Sequence[Sequence[str]], rules: Rules) -> SystemScores:
    """Score the last reference of each image by the others: the human row.

    With a reference count k, it is scored by the first k, where every image of the column has
    more than k references, otherwise by the first k - 1 (`CountScores.used`); with all references,
    by all others. Images with a single reference are left out, and so is the count 1 where that
    leaves no reference. Parameters are as for `score_system`.

    Notes
    -----
    Chen et al. (Microsoft COCO Captions, 2015, table 1) scored one more human caption of each
    image as if it were a system's.
    """
    columns = {}

    for count in rules.counts:
        images = images_with(references, count or 2)
        fewest = min((len(references[image]) for image in images), default=0)
        used = count - (fewest == count) if count else None
        if used != 0 and images:
            columns[count] = _Column(used, images)

    others = [captions[:-1] for captions in references]
    held_out = [captions[-1] for captions in references]
    return _score_columns(columns, others, held_out, rules, silent)


class _Column(NamedTuple):
    """How many references of an image are used, and the indexes of the images."""

    used: Count
    images: Sequence[int]


def _score_columns(
    columns: Mapping[Count, _Column],
    references: Sequence[Sequence[str]],
    captions: Sequence[str],
    rules: Rules,
    progress: Progress,
) -> SystemScores:
    """Score a caption of each image (G,) with every reference count."""
    by_count = {}

    for number, (count, column) in enumerate(columns.items()):
        shown = [references[image][: column.used] for image in column.images]
        chosen = [captions[image] for image in column.images]
        begin = number / len(columns)
        end = (number + 1) / len(columns)
        watched = part(progress, begin, end)

        found = _score_column(column, check(shown, chosen), rules, watched)
        by_image = {}
        for name, values in found.captions.items():
            by_image[name] = np.full(len(references), np.nan)
            by_image[name][column.images] = values
        by_count[count] = replace(found, captions=by_image)

    return SystemScores(rules, len(references), by_count)


def _score_column(
    column: _Column, inputs: Inputs, rules: Rules, progress: Progress
) -> CountScores:
    """Score a caption of each image of a column (N,) by all the references that are given."""
    doing = "Scoring with all references"
    if column.used is not None:
        doing = plural(
            column.used,
            "Scoring with one reference",
            f"Scoring with {column.used} references",
        )

    scores, summands = _compare(inputs, rules, doing, part(progress, 0, SCORED))
    totals = _total(summands)
    families = metrics.figures_of_sums(totals)
    means = {name: each for name, each in scores.items() if name not in families}
    by_image = {**summands, **means}

    doing = "Computing the intervals"
    progress(SCORED, str(doing))
    values = np.column_stack(list(by_image.values()))
    bootstrap = rules.generator(BOOTSTRAP)
    signs = rules.generator(SIGNS)
    resampled = resampled_sums(values, RESAMPLES, bootstrap)
    flipped = flipped_sums(values, FLIPS, signs)

    return CountScores(
        used=column.used,
        images=len(column.images),
        families=tuple(summands),
        sums=_total(by_image),
        resampled=_parts(resampled, by_image),
        flipped=_parts(flipped, by_image),
        captions=scores,
    )


def _compare(
    inputs: Inputs, rules: Rules, doing: str, progress: Progress
) -> tuple[Arrays, Arrays]:
    """Compute the scores (N,) by metric, and the summands (N, n) by family."""

    def note(number: int, batches: int) -> None:
        share = (number - 1) / batches
        progress(share, str(doing))

    measured = measure_all(rules.metrics, inputs, "pool", [-1], note)
    tables = score_tables(inputs, measured, metrics.ptb, "pool", note=note)
    scores, summands = zip(*map(_of_all_references, tables), strict=True)
    return _joined(scores), _joined(summands)


def _of_all_references(table: ScoreTable) -> tuple[Arrays, Arrays]:
    """Return the scores and the summands of a batch with all references."""
    corpus = table.compared.corpus
    scores = {
        name: corpus.at_all_references(curve) for name, curve in table.scores.items()
    }
    counts = corpus.reference_counts
    return scores, metrics.summands(table.compared, table.order, counts)


def _joined(batches: Sequence[Arrays]) -> dict[str, AnyArray]:
    """Put the arrays of all batches one after the other."""
    return {
        name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]
    }


def _total(by_image: Arrays) -> Sums:
    """Sum over the images, scores without rounding, as the corpus figures of captions."""
    total: dict[str, AnyArray] = {}
    for name, each in by_image.items():
        is_score = each.ndim == 1
        total[name] = np.array(exact_sum(each), float) if is_score else each.sum(axis=0)
    return total


def _parts(columns: FloatArray, like: Arrays) -> Sums:
    """Cut columns (B, C) into those that the arrays (N,) or (N, n) of `like` had."""
    parts = {}
    start = 0

    for name, each in like.items():
        width = each[0].size
        part = columns[:, start : start + width]
        if each.ndim == 1:
            part = part[:, 0]
        parts[name] = part
        start += width

    return parts
