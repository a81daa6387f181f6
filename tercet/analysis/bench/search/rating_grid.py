"""The correlations of metrics with ratings under every setting that is searched."""

from collections.abc import Sequence
from itertools import product
from math import nan

import numpy as np
import pandas as pd

from tercet.analysis.bench.search.grids import (
    DOCUMENTS,
    FIRST,
    TOKENS,
    GivenReferences,
    Grid,
    Values,
    columns_at,
    documents_of,
    scored,
    stacked,
    usual_given,
)
from tercet.analysis.scoring.options import Documents, Options
from tercet.analysis.stats.scores.correlation import COEFFICIENTS, coefficients
from tercet.analysis.stats.scores.ratings import (
    CONVENTIONS,
    Rated,
    RatingRows,
    without_rated,
)
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import FloatArray, Inputs
from tercet.metrics.text.inputs import check

_TAU_A = "tau_a"
_ALL_COEFFICIENTS = (*COEFFICIENTS, _TAU_A)
_OWN = {
    "left out": (False, False),
    "compared with the others": (True, False),
    "no references": (False, True),
    "references too": None,
}
"""What becomes of rated captions that are references: keep_own and for_all of `Rated.of`."""
_TAU = "tau"
_AS_HEADED = "as headed"


class RatingGrid(Grid):
    """The ratings of a dataset under every setting.

    Columns are coefficients, and aspects where ratings have some: `P`, or `P Pearson`.
    """

    def __init__(self, dataset: Dataset, options: Options, rows: str) -> None:
        ratings = dataset.valid_ratings
        ratings = ratings.assign(rating=ratings["rating"].astype(float))
        self._aspects = ratings["aspect"].unique().tolist()
        self._sets = {
            name: [
                _rated(dataset, ratings[ratings["aspect"] == aspect], how)
                for aspect in self._aspects
            ]
            for name, how in _OWN.items()
        }
        most = int(dataset.references.groupby("image").size().max())
        super().__init__()
        self.columns = self._named()
        self.given = usual_given(most, with_chance=False)
        self.axes = {
            "own captions": [*_OWN],
            "tokens": TOKENS,
            "documents": DOCUMENTS,
            "references": [*map(str, self.given)],
            "rows": CONVENTIONS,
            "coefficient": (_AS_HEADED, *_ALL_COEFFICIENTS),
        }
        own = "compared with the others" if options.exclude_identical else "left out"
        self.usual = {
            "own captions": "no references" if options.exclude_rated else own,
            "tokens": options.tokenizer,
            "documents": options.documents,
            "references": str(GivenReferences(FIRST)),
            "rows": rows if rows in CONVENTIONS else CONVENTIONS[0],
            "coefficient": _AS_HEADED,
        }

    def _named(self) -> list[str]:
        """Return the names that columns may have."""
        heads = [_TAU, *_ALL_COEFFICIENTS]
        aspects = [aspect for aspect in self._aspects if aspect]
        return [*heads, *aspects, *(" ".join(each) for each in product(aspects, heads))]

    def values(
        self, metric: str, variants: Sequence[str], given: Sequence[GivenReferences]
    ) -> dict[GivenReferences, Values]:
        """Return the correlations with some references.

        Their axes are own captions, tokens, documents, rows, coefficient, variants, and columns.
        """
        found: dict[GivenReferences, list[Values]] = {each: [] for each in given}
        for sets, tokens in product(self._sets.values(), TOKENS):
            for documents in documents_of(metric):
                by_aspect = [
                    _correlated(each, metric, variants, (tokens, documents), given)
                    for each in sets
                ]
                for number, each in enumerate(given):
                    table = np.stack([found[number] for found in by_aspect])
                    value = self._by_column(table)
                    found[each].append(Values(value, value))

        shape = (len(_OWN), len(TOKENS), len(documents_of(metric)))
        return {each: stacked(values, shape) for each, values in found.items()}

    def _by_column(self, table: FloatArray) -> FloatArray:
        """Arrange values (aspects, rows, V, coefficients) as (rows, coefficient, V, columns)."""
        columns = []
        for name in self.columns:
            first, _space, last = name.rpartition(" ")
            head = last if last in (_TAU, *_ALL_COEFFICIENTS) else _TAU
            aspect = first if head == last else name
            number = self._aspects.index(aspect) if aspect in self._aspects else 0
            headed = "tau_c" if head == _TAU else head
            order = [headed, *_ALL_COEFFICIENTS]
            columns.append(
                np.stack(
                    [
                        table[number, :, :, _ALL_COEFFICIENTS.index(each)]
                        for each in order
                    ],
                    axis=1,
                )
            )
        return np.stack(columns, axis=-1)


def _rated(
    dataset: Dataset, ratings: pd.DataFrame, how: tuple[bool, bool] | None
) -> tuple[RatingRows, Inputs] | None:
    """Return the ratings as rows, and their candidates with references."""
    references = dataset.references
    keep_own, for_all = how or (False, False)
    rated = Rated.of(
        ratings, references if how else references.iloc[:0], keep_own, for_all
    )
    if for_all:
        references = without_rated(references, ratings)
    if rated.candidates.empty:
        return None

    lists = references.groupby("image", sort=False)["caption"].agg(list)
    images = lists.index.get_indexer(pd.Index(rated.candidates["image"]))
    given, captions = lists.tolist(), rated.candidates["caption"].tolist()
    for own in np.flatnonzero(rated.is_own & keep_own):
        given.append([each for each in given[images[own]] if each != captions[own]])
        images[own] = len(given) - 1
    inputs = check(given, captions, images)
    return rated.rows, inputs


def _correlated(
    rated: tuple[RatingRows, Inputs] | None,
    metric: str,
    variants: Sequence[str],
    scoring: tuple[str, Documents],
    given: Sequence[GivenReferences],
) -> FloatArray:
    """Return the correlations (given, rows, V, coefficients) of one aspect; NaN without ratings."""
    shape = (len(given), len(CONVENTIONS), len(variants), len(_ALL_COEFFICIENTS))
    found = np.full(shape, nan)
    if rated is None:
        return found

    rows, inputs = rated
    counts = [each.number for each in given]
    available = inputs.reference_counts[inputs.candidate_image]
    summarised = [rows.summarised(each) for each in CONVENTIONS]
    for drawn in scored(inputs, metric, *scoring, given):
        for number, variant in enumerate(variants):
            scores = columns_at(drawn.curves[variant], available, counts)
            for which, column in enumerate(scores.T):
                for place, each in enumerate(summarised):
                    if np.isfinite(column).all():
                        found[which, place, number] = _coefficients(each, column)
    return found


def _coefficients(rows: RatingRows, scores: FloatArray) -> FloatArray:
    """Return all coefficients of the ratings with the scores of candidates; NaN of constants."""
    values = scores[rows.candidate]
    if np.ptp(values) == 0 or np.ptp(rows.rating) == 0:
        return np.full(len(_ALL_COEFFICIENTS), nan)

    found = coefficients(values, rows.rating, rows.image).value
    size = len(values)
    fewer = min(len(np.unique(values)), len(np.unique(rows.rating)))
    tau_c = found[COEFFICIENTS.index("tau_c")]
    tau_a = tau_c * (fewer - 1) / fewer * size / (size - 1)
    return np.append(found, tau_a)
