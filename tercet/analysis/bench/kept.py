"""What is kept of each set: a bench that was stopped goes on with the sets that it has not done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from tercet.analysis.bench.cells import BenchCell, BenchColumn, beside_length
from tercet.analysis.bench.pair_columns import ACCURACY
from tercet.analysis.bench.tied_columns import ACC_EQ
from tercet.analysis.stats.significance import SignArray

PAIRWISE = (ACCURACY, ACC_EQ)
BEST_COLUMNS = ("set", "column", "metric", "best", "difference", "low", "high")
LENGTH_COLUMNS = ("set", "column", "metric", "difference", "p", "p_adjusted")


@dataclass(frozen=True)
class KeptSet:
    """A set after its evaluation.

    Attributes
    ----------
    name, title, signature
        Of the set; the signature is one line with all that made its values.
    scales
        Of its columns, that which stands for the set first.
    cells
        The rows of bench.csv.
    length
        The rows of `LENGTH_COLUMNS`: each metric less the length of the caption.
    best
        The rows of `BEST_COLUMNS`: the best metric less each other, in columns that are `PAIRWISE`.
    contributions
        By scale, what each image contributes to each metric in the first column of the scale.
    notes
        Why there is no column of some scale, and why metrics have no value.
    use, words, references, needs
        What the set answers (`PublishedSet`), the median words of a caption, the median references
        of an image by column, and what metrics need that are computed here.
    """

    name: str
    title: str
    signature: str
    scales: Mapping[str, str]
    cells: Sequence[BenchCell]
    length: Sequence[Sequence[Any]]
    best: Sequence[Sequence[Any]]
    contributions: Mapping[str, Mapping[str, Sequence[float]]]
    notes: Sequence[str] = ()
    use: str = ""
    words: float = 0.0
    references: Mapping[str, float] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        signature: str,
        columns: Sequence[tuple[BenchColumn, SignArray]],
        notes: Sequence[str] = (),
    ) -> Self:
        """Keep what a report needs of the columns, each with the signs of its tests."""
        cells: list[BenchCell] = []
        length: list[tuple[Any, ...]] = []
        best: list[tuple[Any, ...]] = []
        contributions: dict[str, dict[str, list[float]]] = {}
        for column, signs in columns:
            tests = column.tests(signs)
            cells += column.cells(name, tests)
            length += [(name, column.name, *row) for row in beside_length(tests)]
            if len(tests) and column.scale in PAIRWISE:
                behind = column.behind_best(signs)
                best += [(name, column.name, *row) for row in behind]
            if len(tests) and column.scale not in contributions:
                of_metrics = column.by_image.items()
                contributions[column.scale] = {
                    metric: each.tolist() for metric, each in of_metrics
                }
        scales = {column.name: column.scale for column, _ in columns}
        tables = cells, length, best
        return cls(name, title, signature, scales, *tables, contributions, notes)

    @property
    def leading(self) -> str:
        """The column that stands for the set."""
        return next(iter(self.scales))

    def first_of(self, scale: str) -> str:
        """Return the first column of a scale."""
        return self.columns_of(scale)[0]

    def columns_of(self, scale: str) -> list[str]:
        return [name for name, each in self.scales.items() if each == scale]

    def in_column(self, column: str) -> dict[str, BenchCell]:
        """Return the cells of a column, by metric."""
        return {each.metric: each for each in self.cells if each.column == column}

    def write(self, file: Path, key: str) -> None:
        """Write the set, whole or not at all; the key is the digest of all that made it."""
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        described = {"key": key} | asdict(self)
        text = json.dumps(described, default=np.generic.item)
        part.write_text(text, encoding="utf-8")
        part.replace(file)

    @classmethod
    def read(cls, file: Path, key: str) -> Self | None:
        """Read a set that was kept; None if it was not, or with another key."""
        try:
            described = json.loads(file.read_text(encoding="utf-8"))
            if described.pop("key") != key:
                return None
            cells = [BenchCell(**each) for each in described.pop("cells")]
            return cls(**described, cells=cells)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
