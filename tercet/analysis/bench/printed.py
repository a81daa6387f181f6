"""`tercet bench check-table`, `--reproduce` and `--published`: printed figures and their causes."""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tercet.analysis.bench.averages import check_table
from tercet.analysis.bench.search.explanation import grid_of, reproduce
from tercet.analysis.bench.verdicts import MISSING, verdicts_of
from tercet.analysis.report.folder import table_csv
from tercet.metrics.arguments import program


def print_check(arguments: Sequence[str]) -> int:
    """Run `tercet bench check-table TABLE`."""
    parser = argparse.ArgumentParser(
        prog=program("bench check-table"),
        description="Say which printed means their own cells exclude; no data are needed.",
    )
    parser.add_argument("table", type=Path, help="CSV file, a row for each metric")
    given = parser.parse_args(arguments)

    lines = check_table(given.table)
    print("\n".join(lines))
    return 0


def print_reproduction(arguments: Sequence[str]) -> int:
    """Run `tercet bench --reproduce TABLE FOLDER...`."""
    parser = argparse.ArgumentParser(
        prog=program("bench --reproduce"),
        description="Search the settings that give the figures of a printed table.",
    )
    parser.add_argument("table", type=Path, help="CSV file, a row for each metric")
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    given = parser.parse_args(arguments)

    lines = reproduce(given.table, given.folders)
    print("\n".join(lines))
    return 0


def print_verdicts(arguments: Sequence[str]) -> int:
    """Run `tercet bench --published [FOLDER...] --out FILE`."""
    parser = argparse.ArgumentParser(
        prog=program("bench --published"),
        description="Give a verdict on every printed figure that is known.",
    )
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    given = parser.parse_args(arguments)

    folders = given.folders
    grids = dict(map(grid_of, folders))
    found = [*verdicts_of((), grids)]
    rows = [each.as_row() for each in found]
    given.out.write_bytes(table_csv(pd.DataFrame(rows)))

    verdicts = [row["verdict"] for row in rows]
    counts = Counter(verdicts)
    sources = {each.figure.place.source for each in found if each.verdict != MISSING}
    said = ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
    print(f"{len(found):,} printed figures: {said}.")
    print(f"Sources with a verdict: {len(sources)}. The table is {given.out}.")
    return 0
