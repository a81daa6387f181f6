"""The names of the files of a report, and of its main parts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tercet.analysis.figures.formats import plot_files

REPORT, VIEW, PAGE, SIGNATURE = (
    "report.json",
    "view.json",
    "index.html",
    "signature.txt",
)
WINNERS = ("winners.csv", "triplets.csv")
ANSWER, MAIN_PLOT = "answer", "accuracy"
LEADING = (ANSWER, "ratings")
"""The findings whose sentence leads a report: of the first that has one."""
EVIDENCE = ("ratings_sources", "ratings_raters", "ratings_table")
"""The tables that answer what a report of ratings is asked, beside its figure."""
_PLAIN = re.compile(r"[\w-]+(\.(md|tex))?")


def files_of(folder: Path) -> set[str]:
    """Return the names of the files of the report in a folder; empty without one."""
    try:
        written = (folder / REPORT).read_text(encoding="utf-8")
        described = json.loads(written)
        named = {name for each in described["findings"] for name in _files_of(each)}
    except (OSError, ValueError, LookupError, TypeError):
        return set()

    listed = {REPORT, VIEW, PAGE, SIGNATURE, *WINNERS} | named
    return {name for name in listed if (folder / name).is_file()}


def _files_of(finding: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the file names of a finding; names with a path are left out."""
    yield from _plain(finding["texts"])
    yield from (f"{name}.csv" for name in _plain(finding["tables"]))
    for name in _plain(finding["plots"]):
        yield from plot_files(name)


def _plain(names: Sequence[str]) -> list[str]:
    return [name for name in names if _PLAIN.fullmatch(name)]
