"""What is kept of each set: a bench that was stopped goes on with the sets that it has not done.

Arrays: M metrics, G images.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from tercet.analysis.bench.cells import BenchCell, TestedColumn
from tercet.metrics import FloatArray
from tercet.metrics.core import array_file

FOLDER = "sets"
_LENGTH = ("column", "metric", "difference", "p", "p_adjusted")


@dataclass(frozen=True)
class KeptColumn:
    """A column of a set: its name, scale, and the metrics that are compared in it."""

    name: str
    scale: str
    compared: Sequence[str]


@dataclass(frozen=True)
class KeptSet:
    """A set after its evaluation.

    Attributes
    ----------
    name, title, signature
        Of the set; the signature is one line with all that made its values.
    columns
        That which stands for the set first.
    cells
        The rows of bench.csv.
    beside_length
        The columns column, metric, difference, p, p_adjusted: each metric less the length of the
        caption.
    contributions
        What images contribute, by scale, of the first column of each scale: shape (M, G).
    key
        The digest of all that determines the rest.
    """

    name: str
    title: str
    signature: str
    columns: Sequence[KeptColumn]
    cells: Sequence[BenchCell]
    beside_length: pd.DataFrame
    contributions: Mapping[str, FloatArray]
    key: str = ""

    @classmethod
    def of(
        cls, name: str, title: str, signature: str, columns: Sequence[TestedColumn]
    ) -> Self:
        """Keep what a report needs of the columns."""
        contributions: dict[str, FloatArray] = {}
        tables = [pd.DataFrame(columns=list(_LENGTH))]
        for each in columns:
            column = each.column
            if column.by_image:
                contributions.setdefault(column.scale, column.contributions)
            table = each.beside_length().assign(column=column.name)
            tables.append(table[list(_LENGTH)])

        kept = [
            KeptColumn(each.column.name, each.column.scale, each.column.compared)
            for each in columns
        ]
        cells = [cell for each in columns for cell in each.cells(name)]
        beside_length = pd.concat([each for each in tables if len(each)] or tables[:1])
        return cls(name, title, signature, kept, cells, beside_length, contributions)

    @property
    def first_of_scale(self) -> dict[str, KeptColumn]:
        """The first column of each scale, whose contributions are kept."""
        first: dict[str, KeptColumn] = {}
        for each in self.columns:
            first.setdefault(each.scale, each)
        return {scale: first[scale] for scale in self.contributions}

    def write(self, folder: Path, key: str) -> None:
        """Write the set into the folder of a bench, whole or not at all."""
        base = folder / FOLDER
        base.mkdir(parents=True, exist_ok=True)
        arrays = {name: each.ravel() for name, each in self.contributions.items()}
        array_file.write(base / f"{self.name}.bin", arrays)
        described = {
            "key": key,
            "name": self.name,
            "title": self.title,
            "signature": self.signature,
            "columns": [asdict(each) for each in self.columns],
            "cells": [asdict(each) for each in self.cells],
            "beside_length": self.beside_length.to_dict("list"),
        }
        part = base / f".{self.name}.json.part"
        part.write_text(json.dumps(described, indent=1), encoding="utf-8")
        part.replace(base / f"{self.name}.json")

    @classmethod
    def read(cls, folder: Path, name: str, key: str) -> Self | None:
        """Read a set that was kept; None if it was not, or with another key."""
        base = folder / FOLDER
        try:
            text = (base / f"{name}.json").read_text(encoding="utf-8")
            described: dict[str, Any] = json.loads(text)
            arrays = array_file.read(base / f"{name}.bin")
            if described["key"] != key or arrays is None:
                return None
            columns = [KeptColumn(**each) for each in described.pop("columns")]
            cells = [BenchCell(**each) for each in described.pop("cells")]
            length = pd.DataFrame(described.pop("beside_length"), columns=list(_LENGTH))
            kept = cls(
                **described,
                columns=columns,
                cells=cells,
                beside_length=length,
                contributions={},
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return replace(kept, contributions=dict(kept._shaped(arrays)))

    def _shaped(
        self, arrays: Mapping[str, FloatArray]
    ) -> Iterator[tuple[str, FloatArray]]:
        """Yield each array with a row for each metric."""
        for scale, each in arrays.items():
            column = next(known for known in self.columns if known.scale == scale)
            yield scale, np.array(each).reshape(len(column.compared), -1)
