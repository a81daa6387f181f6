"""Which parts of meaning the captions of a system get right, and which predicates it confuses.

Semantic tuples paper: Semantic Tuples for Evaluation of Image to Sentence Generation (2015).

Arrays: N captions, G images, B resamples.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from tercet.analysis.stats.resampling import Weights, share_and_interval
from tercet.lab.tuples.bags import BAGS, BagCounts
from tercet.lab.tuples.roles import SemanticTuple
from tercet.metrics import IntArray

SCORES = {"f1": "", "precision": "precision_", "recall": "recall_"}
"""The scores of a bag, and what the columns of their bounds begin with."""

Position = tuple[str, str]
"""A participant and a locative, "" where there is none."""


class _Confusion(NamedTuple):
    """A predicate of a candidate, and the one that references use in its place."""

    references_say: str
    candidate_says: str
    participant: str
    locative: str
    reference: int


def bag_profile(counts: BagCounts, image: IntArray, weights: Weights) -> pd.DataFrame:
    """Summarize the bags of N captions of one source.

    `image` (N,) has the index of each caption's image, `weights` (B, G) how often each resample
    holds each image.

    Returns
    -------
    DataFrame
        A row for each bag: captions (N); f1, precision and recall, means over the captions where
        they are defined, with the bounds of their 95 % intervals over resampled images (low and
        high, precision_low, ...); micro_f1, micro_precision and micro_recall, of the elements of
        all captions together; empty, the share of captions without any element. All 0..1.
    """
    table = pd.DataFrame({"bag": list(BAGS), "captions": len(counts.size)})
    total = counts.total()

    for name, prefix in SCORES.items():
        columns = [name, f"{prefix}low", f"{prefix}high"]
        values = getattr(counts, name)
        interval = share_and_interval(values, image, weights)
        table[columns] = interval.T

    for name in SCORES:
        table[f"micro_{name}"] = getattr(total, name)

    is_empty = counts.size == 0
    return table.assign(empty=is_empty.mean(axis=0))


def confusions(
    candidate: Iterable[SemanticTuple], references: Sequence[Iterable[SemanticTuple]]
) -> list[_Confusion]:
    """Find the predicates of a candidate that no reference has where one has another.

    Parameters
    ----------
    candidate, references
        The semantic tuples of a candidate, and those of each reference of its image.

    Returns
    -------
    list of Confusion
        One for each predicate of the candidate that no reference has, and each of its participants
        that a reference has with the same locative, or without one as the candidate: with the
        predicate that most of those references have, and the number of the first of them.
    """
    predicates = _predicates(references)
    known = {name for found in predicates.values() for name in found}
    confused = []

    for each in sorted(candidate):
        if not each.predicate or each.predicate in known:
            continue

        for participant in sorted(each.participants):
            position = participant, each.locative
            found = predicates.get(position)
            if found:
                usual = min(found, key=lambda name: (-len(found[name]), name))
                first = found[usual][0]
                confused.append(_Confusion(usual, each.predicate, *position, first))

    return confused


def _predicates(
    references: Sequence[Iterable[SemanticTuple]],
) -> Mapping[Position, Mapping[str, list[int]]]:
    """Return, by participant and locative, which references have which predicate."""
    found: dict[Position, dict[str, list[int]]] = defaultdict(dict)

    for number, tuples in enumerate(references):
        for each in sorted(tuples):
            for participant in each.participants:
                by_predicate = found[participant, each.locative]
                if each.predicate:
                    by_predicate.setdefault(each.predicate, []).append(number)

    return found
