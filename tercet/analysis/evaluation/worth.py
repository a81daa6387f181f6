"""Hits of metrics with references of people, of another origin, and of both, over many orders.

Arrays: P pairs of the evaluation, N pairs on images with enough references of both origins, R
references, K reference counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, product

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.bootstrap import EVERY
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.scoring import COMPARISONS
from tercet.analysis.scoring.options import COINS, WORTH, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.sources import Sources, collect
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.stats.draws import uniform_by_name
from tercet.analysis.stats.resampling import group_count
from tercet.analysis.stats.worth import HitMean
from tercet.analysis.tables.rows import captions_by_image
from tercet.analysis.tables.schema import HUMAN, origins
from tercet.metrics import (
    Corpus,
    FloatArray,
    IntArray,
    Order,
    count_documents,
    order_by,
)
from tercet.metrics.corpora.corpus import Documents
from tercet.metrics.corpora.document_frequencies import COCO
from tercet.metrics.outside.measured import Sets
from tercet.metrics.registry import name_of
from tercet.metrics.score_tables import batches_of
from tercet.metrics.selection import Selection
from tercet.metrics.text.tokenizers import whole_captions_said

DRAWS = 200
"""Orders of the references of each image and origin."""
MIXED = (1, 2, 5)
"""References of people that others are added to."""
LEAST_IMAGES = 30
"""Images with both origins, below which nothing is said."""

_Given = tuple[str, int]
"""The origin of the references that a metric is given, after some by people."""
_Hits = Mapping[tuple[str, _Given], FloatArray]
"""Mean hits (P, K) by metric, and by which references it is given."""


@dataclass(frozen=True)
class OriginHits:
    """Mean hits with the references of people and of another origin.

    `most` are the largest counts of either, `is_kept` says which pairs (P,) are on images that have
    them, `image` and `group` (N,) number their images and categories; other images are `left_out`.
    """

    origin: str
    most: tuple[int, int]
    is_kept: NDArray[np.bool_]
    image: IntArray
    group: IntArray
    left_out: int
    hits: _Hits = field(default_factory=dict)

    @property
    def images(self) -> int:
        return group_count(self.image)

    def human(self, metric: str) -> FloatArray:
        """Return the hits (N, K) with 1 to K references of people."""
        return self.hits[metric, (HUMAN, 0)][self.is_kept, : self.most[0]]

    def other(self, metric: str) -> FloatArray:
        """Return the hits (N, K) with 1 to K references of the origin."""
        return self.hits[metric, (self.origin, 0)][self.is_kept, : self.most[1]]

    def added(self, metric: str, people: int) -> FloatArray:
        """Return what 1 to K of the origin add (N, K) to the hits with some of people."""
        of_all = self.hits[metric, (self.origin, people)]
        hits = of_all[self.is_kept, people - 1 :]
        with_others = hits[:, 1 : self.most[1] + 1]
        return with_others - hits[:, :1]

    def mean(
        self, hits: FloatArray, pairs: NDArray[np.bool_] | slice = EVERY
    ) -> HitMean:
        """Return the mean of hits (N, K), or of differences of hits, over some pairs (N,)."""
        image = _numbered(self.image[pairs])
        group = _numbered(self.group[pairs])
        return HitMean.of(hits[pairs], image, group)


def measured_metrics(results: Results) -> list[str]:
    """Return the main metrics that captions can be scored by again, with other references."""
    measured = [each for each in results.sources.measured if not isinstance(each, Sets)]
    names = {*map(name_of, measured)}
    return [name for name in results.main_metrics if name in names]


def valued_origins(results: Results) -> list[OriginHits]:
    """Return the origins that enough images have beside people's references, without hits.

    Their counts are those that 9 in 10 of these images have; pairs on the others are left out.
    """
    pairs, references = results.samples.pairs, results.references
    counts = pd.crosstab(references["image"], origins(references))
    named = counts.columns.union([HUMAN])
    counts = counts.reindex(columns=named, fill_value=0)
    of_pairs = counts.loc[pairs.table["image"]]
    category = np.argmax([*pairs.groups.values()], axis=0)  # the last group is of all
    found = []
    for origin in of_pairs.columns.drop(HUMAN):
        of_both = of_pairs[[HUMAN, origin]].to_numpy()
        has_references = (of_both > 0).all(axis=1)
        has_both = pairs.is_counted & has_references
        images, first = np.unique(pairs.image[has_both], return_index=True)
        if len(images) < LEAST_IMAGES:
            continue

        of_images = of_both[has_both][first]
        descending = -np.sort(-of_images, axis=0)
        nine_tenths = -(-9 * len(images) // 10)
        most = descending[nine_tenths - 1]
        has_most = (of_both >= most).all(axis=1)
        is_kept = has_both & has_most
        image = _numbered(pairs.image[is_kept])
        group = _numbered(category[is_kept])
        counted = pairs.image[pairs.is_counted]
        left_out = len({*counted}) - group_count(image)
        counts_of_both = int(most[0]), int(most[1])
        found.append(
            OriginHits(origin, counts_of_both, is_kept, image, group, left_out)
        )
    return found


def hits_by_origin(results: Results) -> list[OriginHits]:
    """Score the pairs with the references of each origin, and with some of people before them."""
    every = valued_origins(results)
    others = product([each.origin for each in every], (0, *MIXED))
    hits = _mean_hits(results, [(HUMAN, 0), *others])
    return [replace(each, hits=hits) for each in every]


def _numbered(values: IntArray) -> IntArray:
    """Number values from 0 without gaps, in their order."""
    return np.unique(values, return_inverse=True)[1]


def _mean_hits(results: Results, given: list[_Given]) -> _Hits:
    """Score all pairs, batch by batch, on all processors or where `joblib` is set to work."""
    pairs, options = results.samples.pairs, results.options.named
    names = tuple(measured_metrics(results))
    measured = [each for each in results.sources.measured if name_of(each) in names]
    selection = Selection(names, outside=results.sources.selection.outside)
    sources = Sources(selection, measured)
    parts, documents = batches_of(
        pairs.captions, measured, options.tokenize, _documents(results), COMPARISONS
    )
    image = pd.factorize(results.references["image"])[0]
    in_order = np.argsort(image, kind="stable")
    by_row = origins(results.references).to_numpy()
    origin = pd.Series(by_row[in_order], pairs.names)
    score = joblib.delayed(_hits_of_batch)
    jobs = []
    for rows, batch in pairs.batches(parts):
        own = sources.of(rows, batch.captions)
        of_batch = origin.loc[pd.Index(batch.names)]
        named = of_batch.to_numpy(dtype=object)
        jobs.append(score(batch, own, named, given, options, documents))
    scored = joblib.Parallel()(jobs)
    return {key: np.concatenate([hits[key] for hits in scored]) for key in scored[0]}


@whole_captions_said()
def _hits_of_batch(
    pairs: Pairs,
    sources: Sources,
    origin: NDArray[np.object_],
    given: list[_Given],
    options: Options,
    documents: Documents,
) -> dict[tuple[str, _Given], FloatArray]:
    """Score a batch in every order.

    A tie is half a hit where options toss a coin or drop it: coins would only add noise.
    """
    ties = pairs.human.metric_ties
    kept_ties = ties if ties in ("wrong", "first") else "half"
    human = replace(pairs.human, human_ties="half", metric_ties=kept_ties)
    keys = product(sources.names, given)
    hits = {key: np.zeros(pairs.sides.shape) for key in keys}
    draw = partial(_orders, pairs=pairs, origin=origin, given=given, seed=options.seed)
    tables = collect(pairs, sources, options, documents, draw)

    for table, own in zip(tables, cycle(given), strict=False):
        for name, scores in table.scores.items():
            resolution = sources.selection.resolution_of(name)
            preferred = preference(*scores[..., :-1], resolution=resolution)
            earned, _ = human.earned(preferred, options.generator(COINS))
            hits[name, own] += earned / DRAWS
    return hits


def _orders(
    corpus: Corpus,
    pairs: Pairs,
    origin: NDArray[np.object_],
    given: list[_Given],
    seed: int,
) -> Iterator[Order]:
    """Yield, for each draw, an order for each of `given`, in which its references come first."""
    is_human = origin == HUMAN
    for draw in range(DRAWS):
        keys = uniform_by_name(pairs.names, (seed, WORTH, draw))
        place = order_by(corpus, keys + ~is_human).rank
        for own, people in given:
            is_first = is_human & (place < people)
            later = np.where(origin == own, 1, 2)
            stage = np.where(is_first, 0, later)
            yield order_by(corpus, keys + stage, draw)


def _documents(results: Results) -> Documents:
    """Return the document frequencies of the references by people, unless they are COCO's."""
    options = results.options
    if options.documents == COCO:
        return options.documents_of_all

    references = results.references
    by_people = references[origins(references) == HUMAN]
    captions = captions_by_image(by_people)
    return count_documents([*captions.values()], options.tokenize)
