"""Which metric for what: columns of a bench by use, references and length, in words."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from tercet.analysis.bench.kept import PAIRWISE, KeptSet
from tercet.analysis.bench.pair_columns import ACCURACY
from tercet.analysis.bench.sentences import ranking
from tercet.analysis.bench.system_columns import ORDER, SOFT_ACCURACY
from tercet.analysis.bench.tied_columns import ACC_EQ
from tercet.analysis.number_texts import counted
from tercet.analysis.superlatives import listed
from tercet.analysis.values import span

_RANK, _CHOOSE = "rank systems", "choose between two captions of one image"
_USES = (_RANK, _CHOOSE, "detect a wrong word", "judge audio captions")
REFERENCES = {"none": (0, 1), "one": (1, 2), "2 to 9": (2, 10), "10 or more": (10, inf)}
WORDS = {"under 30 words": (0, 30), "30 words or more": (30, inf)}
"""Names of numbers, from the first bound to below the second."""


class Evidence(NamedTuple):
    """A row of uses.csv: what answers a use, with medians over its images and captions."""

    use: str
    references: float
    words: float
    set: str
    column: str
    sentence: str


def evidence(sets: Sequence[KeptSet]) -> Iterator[Evidence]:
    """Yield the columns of the sets that answer a use, in the order of the sets."""
    for kept in sets:
        systems = kept.columns_of(SOFT_ACCURACY) + kept.columns_of(ORDER)
        found = [(kept.use or _CHOOSE, column) for column in _of_captions(kept)]
        found += [(kept.use or _RANK, column) for column in systems]
        for use, column in found:
            asked = kept.references[column], kept.words
            yield Evidence(use, *asked, kept.name, column, sentence(kept, column))


def uses(found: Sequence[Evidence]) -> list[str]:
    """Return the uses that are asked for, which no set may answer, and further ones of sets."""
    return list(dict.fromkeys([*_USES, *(each.use for each in found)]))


def _of_captions(kept: KeptSet) -> list[str]:
    """Return the first accuracy of each number of references; without any, acc_eq of ratings."""
    first: dict[float, str] = {}
    for column in kept.columns_of(ACCURACY):
        first.setdefault(kept.references[column], column)
    return [*first.values()] or kept.columns_of(ACC_EQ)


def sentence(kept: KeptSet, column: str) -> str:
    """Say which metrics are the best in a column, and by how much others are worse."""
    behind = {row[2]: row for row in kept.best if row[1] == column}
    if behind:
        return "; ".join(_compared(kept, column, behind)) + "."

    cells = kept.in_column(column)
    first = ranking(cells).first
    if not first:
        return "No metric has a value."
    unit = "pair" if kept.scales[column] in PAIRWISE else "system"
    on = f"on {counted(cells[first[0]].rows, unit)}"
    return f"The highest value {on} is that of {listed(first)}; differences are not tested here."


def _compared(
    kept: KeptSet, column: str, behind: Mapping[str, Sequence[Any]]
) -> Iterator[str]:
    """Yield the parts of the sentence, from the rows of the metrics that are not the best."""
    cells = kept.in_column(column)
    best = next(iter(behind.values()))[3]
    of_best = {*cells[best].letters}
    level = [name for name in behind if of_best.intersection(cells[name].letters)]
    alike = [best, *(name for name in level if cells[name].is_best)]

    on = f"on {counted(cells[best].rows, 'pair')}"
    several = f"{listed(alike)} cannot be told apart {on}"
    yield several if len(alike) > 1 else f"{best} has the highest value {on}"
    if near := [name for name in level if name not in alike]:
        yield f"{listed(near)} cannot be told apart from {best} either"
    for name, row in behind.items():
        if name not in level:
            yield f"{name} is worse than {best} by {span(*row[5:])} points"
