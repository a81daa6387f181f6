"""Bags of semantic tuples: what of its arguments a caption has, and how much two captions share."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from tercet.lab.tuples.extraction import Tuple
from tercet.lab.tuples.roles import SemanticTuple
from tercet.metrics.core.arrays import FloatArray, IntArray, ratio

Grounding: TypeAlias = Literal["lemma", "synset"] | Mapping[str, str]
"""What makes two values equal: their lemmas, a shared synset in METEOR's list, or a table."""

_PREDICATE, _PARTICIPANT, _LOCATIVE = range(3)
BAGS: Mapping[str, tuple[int, ...]] = {
    "predicate": (_PREDICATE,),
    "participant": (_PARTICIPANT,),
    "locative": (_LOCATIVE,),
    "predicate-participant": (_PREDICATE, _PARTICIPANT),
    "participant-locative": (_PARTICIPANT, _LOCATIVE),
    "predicate-locative": (_PREDICATE, _LOCATIVE),
    "triplet": (_PREDICATE, _PARTICIPANT, _LOCATIVE),
}
"""The seven bags, and the arguments of which their elements consist."""


@dataclass(frozen=True, eq=False)
class BagCounts:
    """How much of their bags candidates and references have in common: (..., 7) each.

    matched, size: elements of the candidate's bags that the references have, and all of them; the
    bags in the order of `BAGS`.
    recalled, reference_size: elements of the references' bags that the candidate has, and all.
    """

    matched: IntArray
    size: IntArray
    recalled: IntArray
    reference_size: IntArray

    @property
    def precision(self) -> FloatArray:
        """0..1; NaN where the candidate's bag is empty."""
        shares = ratio(self.matched, self.size)
        return np.where(self.size > 0, shares, np.nan)

    @property
    def recall(self) -> FloatArray:
        """0..1; NaN where the references' bag is empty."""
        shares = ratio(self.recalled, self.reference_size)
        return np.where(self.reference_size > 0, shares, np.nan)

    @property
    def f1(self) -> FloatArray:
        """0..1, 0 where one bag is empty; NaN where both are."""
        precision = ratio(self.matched, self.size)
        recall = ratio(self.recalled, self.reference_size)
        f1 = ratio(2 * precision * recall, precision + recall)

        return np.where(self.size + self.reference_size > 0, f1, np.nan)

    def of(self, candidates: IntArray) -> "BagCounts":
        """Choose candidates by their numbers."""
        return BagCounts(*(counts[candidates] for counts in vars(self).values()))

    def total(self) -> "BagCounts":
        """Sum over candidates: its precision, recall and F1 are micro-averages, (7,) each."""
        return BagCounts(*(counts.sum(axis=0) for counts in vars(self).values()))


def bags_of(tuples: Iterable[SemanticTuple]) -> dict[str, frozenset[Tuple]]:
    """Return the bags of semantic tuples by name: sets of one, two or three values each.

    Examples
    --------
    >>> bags = bags_of([SemanticTuple("play", "boy", "", "park")])
    >>> [sorted(bags[name]) for name in ("participant", "predicate-locative")]
    [[('boy',)], [('play', 'park')]]
    """
    found: dict[str, set[Tuple]] = {bag: set() for bag in BAGS}

    for each in tuples:
        predicate = (each.predicate,) if each.predicate else ()
        locative = (each.locative,) if each.locative else ()
        arguments = (predicate, each.participants, locative)

        for bag, places in BAGS.items():
            parts = [arguments[place] for place in places]
            if all(parts):
                found[bag].update(product(*parts))

    return {bag: frozenset(elements) for bag, elements in found.items()}


def read_grounding(path: Path) -> dict[str, str]:
    """Read a grounding table, the value of each span: a CSV file with the columns span and value.

    Parameters
    ----------
    path : Path
        UTF-8. Spans and values are read in lower case.

    Raises
    ------
    ValueError
        With file, line and remedy, if a column is missing, a cell is empty, or a span has two
        values.
    """
    table: dict[str, str] = {}

    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        missing = {"span", "value"} - set(rows.fieldnames or ())
        if missing:
            raise ValueError(
                f"{path.name}, line 1: no column {sorted(missing)[0]}. "
                "Give the columns span and value."
            )

        for row in rows:
            span, value = (
                (row[column] or "").strip().lower() for column in ("span", "value")
            )
            where = f"{path.name}, line {rows.line_num}"

            if not span or not value:
                raise ValueError(f"{where}: an empty cell. Fill it in.")
            if table.setdefault(span, value) != value:
                raise ValueError(
                    f"{where}: {span!r} has another value ({table[span]!r}) before. "
                    "Keep one of them."
                )

    return table
