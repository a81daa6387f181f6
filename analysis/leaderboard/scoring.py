"""Score a system's captions, and held-out references, with every reference count of a challenge.

With a reference count k, the images that have k references are scored with the first k of each.
Figures are those that `metrics.score` gives for these images and references.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tercet import metrics
from tercet.analysis.leaderboard.rules import Count, Rules, check_rules, images_with
from tercet.analysis.leaderboard.scores import CountScores, Sums, SystemScores
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.stats.resampling import resampled_sums
from tercet.analysis.stats.significance import flipped_sums
from tercet.analysis.texts import Text, ngettext
from tercet.analysis.texts import gettext as _
from tercet.metrics import FloatArray
from tercet.metrics.core.arrays import AnyArray
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
    by_count = {}

    for number, count in enumerate(rules.counts):
        images = images_with(references, count)
        shown = [references[image][:count] for image in images]
        chosen = [captions[image] for image in images]

        column = _Column(rules, count, images, len(references))
        watched = _of_count(progress, number, len(rules.counts))
        by_count[count] = column.score(shown, chosen, watched)

    return SystemScores(rules, len(references), by_count)


def score_held_out(
    references: Sequence[Sequence[str]], rules: Rules, progress: Progress = silent
) -> SystemScores:
    """Score the last reference of each image by the others: the human row.

    With a reference count k, it is scored by the first k, where every image of the column has
    more than k references, otherwise by the first k - 1 (`CountScores.used`); with all references,
    by all others. Images with a single reference are left out, and so is the count 1 where that
    leaves no reference.

    Parameters
    ----------
    references
        The references of each image, one or more.
    rules
        Metrics and reference counts.
    progress
        Takes the share that is done.

    Notes
    -----
    Chen et al. (Microsoft COCO Captions, 2015, table 1) scored one more human caption of each
    image as if it were a system's.
    """
    by_count = {}

    for number, count in enumerate(rules.counts):
        images = images_with(references, count or 2)
        fewest = min((len(references[image]) for image in images), default=0)
        used = count - (fewest == count) if count else None
        if used == 0 or not images:
            continue

        others = [references[image][:-1][:used] for image in images]
        held_out = [references[image][-1] for image in images]

        column = _Column(rules, used, images, len(references))
        watched = _of_count(progress, number, len(rules.counts))
        by_count[count] = column.score(others, held_out, watched)

    return SystemScores(rules, len(references), by_count)


def _of_count(progress: Progress, number: int, counts: int) -> Progress:
    return part(progress, number / counts, (number + 1) / counts)


@dataclass(frozen=True)
class _Column:
    """The images that are scored with a reference count, by their indexes among `total`."""

    rules: Rules
    used: Count
    images: Sequence[int]
    total: int

    def score(
        self,
        references: Sequence[Sequence[str]],
        captions: Sequence[str],
        progress: Progress,
    ) -> CountScores:
        """Score a caption of each image by all the references (N,)."""
        inputs = check(references, captions)
        scores, summands = self._compare(inputs, part(progress, 0, SCORED))

        summed = metrics.figures_of_sums(_total(summands))
        means = {name: scores[name] for name in scores if name not in summed}
        by_image = {**summands, **means}

        progress(SCORED, str(_("Computing the intervals")))
        columns = np.column_stack(list(by_image.values()))
        chance = self.rules.generator
        resampled = resampled_sums(columns, RESAMPLES, chance(BOOTSTRAP))
        flipped = flipped_sums(columns, FLIPS, chance(SIGNS))

        return CountScores(
            self.used,
            len(self.images),
            tuple(summands),
            _total(by_image),
            _parts(resampled, by_image),
            _parts(flipped, by_image),
            self._of_all_images(scores),
        )

    def _compare(self, inputs: Inputs, progress: Progress) -> tuple[Arrays, Arrays]:
        """Compute the scores (N,) by metric, and the summands (N, n) by family."""

        def note(number: int, batches: int) -> None:
            progress((number - 1) / batches, str(self._doing()))

        tables = score_tables(
            inputs, self.rules.metrics, metrics.ptb, "pool", note=note
        )
        scores, summands = zip(*map(_of_all_references, tables), strict=True)
        return _joined(scores), _joined(summands)

    def _doing(self) -> Text:
        if self.used is None:
            return _("Scoring with all references")

        return ngettext(
            "Scoring with one reference", "Scoring with {count} references", self.used
        )

    def _of_all_images(self, scores: Arrays) -> dict[str, FloatArray]:
        """Put scores (N,) at the indexes of their images (G,)."""
        placed = {}
        for name, values in scores.items():
            placed[name] = np.full(self.total, np.nan)
            placed[name][self.images] = values

        return placed


def _of_all_references(table: ScoreTable) -> tuple[Arrays, Arrays]:
    """Return the scores and the summands of a batch with all references."""
    corpus = table.compared.corpus
    scores = {
        name: corpus.at_all_references(curve) for name, curve in table.scores.items()
    }
    return scores, metrics.summands(
        table.compared, table.order, corpus.reference_counts
    )


def _joined(batches: Sequence[Arrays]) -> dict[str, AnyArray]:
    """Put the arrays of all batches one after the other."""
    return {
        name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]
    }


def _total(by_image: Arrays) -> Sums:
    """Sum over the images."""
    return {name: each.sum(axis=0) for name, each in by_image.items()}


def _parts(columns: FloatArray, like: Arrays) -> Sums:
    """Cut columns (B, C) into those that the arrays (N,) or (N, n) of `like` had."""
    parts = {}
    start = 0

    for name, each in like.items():
        width = each[0].size
        part = columns[:, start : start + width]
        parts[name] = part if each.ndim > 1 else part[:, 0]
        start += width

    return parts
