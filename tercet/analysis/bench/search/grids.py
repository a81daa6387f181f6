"""The values of a metric under every setting that is searched, as arrays with an axis a choice.

A setting with chance, of references or of ties, has a range that holds 99.9 % of its draws; others
have one value. Scores are computed once per own captions, tokens and documents.

Arrays: P pairs, C categories, K references of an image, D draws, V variants of a metric.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tercet.analysis.bench.search.variants import Curves, variant_curves, variants_of
from tercet.analysis.scoring.options import Documents
from tercet.metrics import (
    COCO,
    TOKENIZERS,
    FloatArray,
    Inputs,
    IntArray,
    Tokenize,
    file_order,
    gather,
    order_by,
    weighed,
)
from tercet.metrics.text.inputs import check
from tercet.metrics.text.tokenizers import tokenized

TOKENS = ("ptb", "plain")
DOCUMENTS: tuple[Documents, ...] = ("pool", "k", "rows", COCO)
FIRST, RANDOM, LEFT_OUT = "first", "random", "all but one"
ALL_OF_THEM = 0
"""As a number of references."""
DRAWS, DRAWS_OF_DOCUMENTS = 40, 10
"""Orders of the references; fewer where each has document frequencies of its own."""
_MOST_OF_DOCUMENTS = 5
_MOST_LEFT_OUT = 6
_DEVIATIONS = 3.3
_USUAL_COUNTS = (1, 4, 5, 10, 20)


class GivenReferences(NamedTuple):
    """Which references a candidate is compared with, and how many; 0 are all."""

    how: str
    number: int = ALL_OF_THEM

    def __str__(self) -> str:
        return f"{self.how} {self.number}" if self.number else "all"


class Values(NamedTuple):
    """Values (own captions, tokens, documents, ..., V, columns); NaN where there is none."""

    low: FloatArray
    high: FloatArray


class Grid:
    """A dataset under every setting.

    axes: labels by axis; `references` stands fourth. columns: names of what is printed.
    usual: our own setting, a label by axis. given: the references that are searched where a table
    does not say which.
    """

    axes: dict[str, Sequence[str]]
    columns: Sequence[str]
    usual: Mapping[str, str]
    given: Sequence[GivenReferences]

    def __init__(self) -> None:
        self._kept: dict[str, dict[GivenReferences, Values]] = {}

    def kept_values(
        self, metric: str, wanted: Iterable[GivenReferences]
    ) -> Mapping[GivenReferences, Values]:
        """Return the values of a metric with some references; they are kept for the next table."""
        kept = self._kept.setdefault(metric, {})
        if missing := [each for each in dict.fromkeys(wanted) if each not in kept]:
            kept |= self.values(metric, variants_of(metric), missing)
        return kept

    def values(
        self, metric: str, variants: Sequence[str], given: Sequence[GivenReferences]
    ) -> dict[GivenReferences, Values]:
        """Return the values of a metric with some references, without the axis of references."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Drawn:
    """Scores with the references in one order, whose places in their images are `rank`."""

    how: str
    rank: FloatArray
    curves: Curves


def usual_given(most: int, with_chance: bool) -> list[GivenReferences]:
    """Return the references that are searched where a table does not say which."""
    counts = [count for count in _USUAL_COUNTS if count < most]
    given = [
        GivenReferences(FIRST),
        *(GivenReferences(FIRST, count) for count in counts),
    ]
    if with_chance:
        given += [GivenReferences(RANDOM, count) for count in counts]
        given += (
            [GivenReferences(LEFT_OUT, most - 1)] if 1 < most <= _MOST_LEFT_OUT else []
        )
    return given


def documents_of(metric: str) -> Sequence[Documents]:
    """Return the documents that make a difference to a metric."""
    if weighed([metric]):
        return DOCUMENTS
    return DOCUMENTS[:1]


def scored(
    inputs: Inputs,
    metric: str,
    tokens: str,
    documents: Documents,
    given: Sequence[GivenReferences],
) -> Iterator[_Drawn]:
    """Yield the scores of candidates by the variants of a metric, in every order that is needed."""
    sizes = inputs.reference_counts
    kinds = {each.how for each in given}
    keys = [*_keys(int(sizes.sum()), sizes, kinds, documents == "k")]
    tokenize = TOKENIZERS[tokens]
    if documents != DOCUMENTS[0]:
        inputs = _as_tokens(inputs, tokenize)

    if documents == COCO and tokens != "ptb":
        # there is no table of these documents in other tokens
        for drawn in scored(inputs, metric, tokens, DOCUMENTS[0], given):
            nothing = {name: each * np.nan for name, each in drawn.curves.items()}
            yield replace(drawn, curves=nothing)
        return
    if documents != "k":
        corpus = gather(inputs, tokenize, documents)
        orders = (order_by(corpus, key) for _how, key in keys)
        curves = variant_curves(corpus, metric, orders)
        for (how, key), each in zip(keys, curves, strict=True):
            yield _Drawn(how, key, each)
        return

    for how, key in keys:
        fewer = _first_of(inputs, key)
        corpus = gather(fewer, tokenize, "k")
        [each] = variant_curves(corpus, metric, [file_order(corpus)])
        yield _Drawn(how, key, each)


def _keys(
    size: int, sizes: IntArray, kinds: set[str], has_documents: bool
) -> Iterator[tuple[str, FloatArray]]:
    """Yield by what references are ordered: as in the file, at random, each of them last."""
    in_file = np.arange(size, dtype=float)
    if FIRST in kinds:
        yield FIRST, in_file
    if RANDOM in kinds:
        generator = np.random.default_rng(0)
        for _draw in range(DRAWS_OF_DOCUMENTS if has_documents else DRAWS):
            yield RANDOM, generator.random(size)
    if LEFT_OUT in kinds:
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        for place in range(int(sizes.max())):
            is_last = np.arange(size) - starts == place
            last = size * is_last
            yield LEFT_OUT, in_file + last


def _as_tokens(inputs: Inputs, tokenize: Tokenize) -> Inputs:
    """Return the captions as lists of tokens, which are not tokenized again."""
    ends = np.cumsum(inputs.reference_counts)
    references = tokenized([*map(str, inputs.all_references)], tokenize)
    return replace(
        inputs,
        references=[
            references[end - size : end]
            for end, size in zip(ends, inputs.reference_counts, strict=True)
        ],
        candidates=tokenized([*map(str, inputs.candidates)], tokenize),
    )


def _first_of(inputs: Inputs, key: FloatArray) -> Inputs:
    """Return the captions with the first references of each image by a key."""
    ends = np.cumsum(inputs.reference_counts)
    references = [
        [own[place] for place in np.argsort(keys)[:_MOST_OF_DOCUMENTS]]
        for own, keys in zip(inputs.references, np.split(key, ends[:-1]), strict=True)
    ]
    return check(references, inputs.candidates, inputs.candidate_image)


def columns_at(
    curve: FloatArray, available: IntArray, counts: Sequence[int]
) -> FloatArray:
    """Return the scores (candidates, counts) with numbers of references, or all, of a curve."""
    most = curve.shape[1]
    number = np.array([count or most for count in counts])
    used = np.where(np.array(counts) > 0, number, available[:, None])
    scores: FloatArray = np.take_along_axis(curve, np.minimum(used, most) - 1, axis=1)
    return np.where(number <= most, scores, np.nan)


def range_of(values: FloatArray, variance: FloatArray) -> Values:
    """Return the range of draws (D, ...), each with the variance of its coins."""
    mean = values.mean(axis=0)
    spread = _DEVIATIONS * np.sqrt(values.var(axis=0) + variance.mean(axis=0))
    low = mean - spread
    high = mean + spread
    return Values(low, high)


def stacked(values: Sequence[Values], shape: Sequence[int]) -> Values:
    """Return values of several scorings as arrays that begin with axes of this shape."""
    low, high = (
        np.stack(bounds).reshape(*shape, *bounds[0].shape)
        for bounds in zip(*values, strict=True)
    )
    return Values(low, high)
