"""A report as its reader has it: the page, the tables beside it, and the options."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

Row = Mapping[str, str]
BASELINES = {"length", "random"}


def read(path: Path) -> list[Row]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Report:
    """The tables of a folder, and what the options say."""

    folder: Path

    @cached_property
    def options(self) -> dict[str, Any]:
        described = json.loads(
            (self.folder / "report.json").read_text(encoding="utf-8")
        )
        options: dict[str, Any] = described["options"]
        return options

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """The rows of each table, by the name of its file."""
        limit = csv.field_size_limit(1 << 30)
        try:
            return {path.stem: read(path) for path in sorted(self.folder.glob("*.csv"))}
        finally:
            csv.field_size_limit(limit)  # it holds for the whole process

    def rows(self, table: str, **wanted: str) -> list[Row]:
        """Return the rows of a table with these values; none where it is not there."""
        return [
            row
            for row in self.tables.get(table, [])
            if all(row.get(name) == value for name, value in wanted.items())
        ]

    def row(self, table: str, **wanted: str) -> Row:
        """Return the only row of a table with these values."""
        found = self.rows(table, **wanted)
        if len(found) != 1:
            raise LookupError(f"{len(found)} rows of {table}.csv have {wanted}")
        return found[0]

    @cached_property
    def groups(self) -> list[str]:
        """The groups of pairs, in the order of the table of accuracies."""
        return list(dict.fromkeys(row["category"] for row in self.rows("accuracy")))

    @property
    def categories(self) -> list[str]:
        return [name for name in self.groups if name not in ("mean", "all")]

    @property
    def main_group(self) -> str:
        """What stands for all: the mean over categories, or else the only one."""
        return "mean" if len(self.categories) > 1 else self.groups[0]

    @property
    def counts(self) -> list[str]:
        """The reference counts of the short tables, in ascending order."""
        rows = self.rows("table_numbers") or self.rows("answer")
        return list(dict.fromkeys(row["reference_count"] for row in rows))

    @property
    def last_count(self) -> str:
        if not self.counts:
            return list(
                dict.fromkeys(row["reference_count"] for row in self.rows("accuracy"))
            )[-1]
        return "all" if "all" in self.counts else max(self.counts, key=int)

    @property
    def metrics(self) -> list[str]:
        """The evaluated metrics, but the coin."""
        rows = self.rows("accuracy") or self.rows("ratings")
        names = dict.fromkeys(row["metric"] for row in rows)
        return [name for name in names if name not in ("random", "one rater")]

    @cached_property
    def main_metrics(self) -> list[str]:
        """The metrics that are compared with each other, without baselines."""
        rows = self.rows("differences", compared="main metrics") or self.rows("answer")
        names = dict.fromkeys(
            row[side] for row in rows for side in ("metric_a", "metric_b")
        )
        return [name for name in names or self.metrics if name not in BASELINES]

    def accuracy(self, metric: str, group: str, reference_count: str) -> Row | None:
        """Return the row of a metric in the table of accuracies."""
        found = self.rows(
            "accuracy", metric=metric, category=group, reference_count=reference_count
        ) or self.rows(
            "table_numbers",
            metric=metric,
            category=group,
            reference_count=reference_count,
        )
        return found[0] if found else None

    def compared(self) -> Iterator[Row]:
        """Yield the comparisons of the first group and count of the answer."""
        rows = self.rows("answer")
        for row in rows:
            first = rows[0]["category"], rows[0]["reference_count"]
            if (row["category"], row["reference_count"]) == first:
                yield row


def number(row: Row, column: str) -> Decimal | None:
    """Return a number of a table; None where the cell is empty."""
    text = row.get(column, "")
    return Decimal(text) if text and text.lower() != "nan" else None


def known(row: Row, column: str) -> Decimal:
    """Return a number of a table that must be there."""
    value = number(row, column)
    if value is None:
        raise LookupError(f"the table has no {column} in {dict(row)}")
    return value
