"""Which variants of metrics from outside a user has tried on a dataset: a file of JSON lines.

Ten variants tried one after the other are a choice of the best of ten.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_data_path

from tercet.analysis.evaluation.results import Results
from tercet.metrics.core.caches import chosen_directory

_FILE = "variants.jsonl"
_FIELDS = ("dataset", "family", "name", "version")
_Line = tuple[str, ...]


class Variant(NamedTuple):
    """A version of a metric from outside; its family is its name unless it declares one."""

    family: str
    name: str
    version: str


def variants_of(results: Results) -> list[Variant]:
    """Return the metrics from outside that were evaluated."""
    return [
        Variant(each.stated_family, each.name, each.stated_version)
        for each in results.outside.values()
    ]


def tried_by_family(
    evaluated: Iterable[Variant], known: Iterable[Variant]
) -> dict[str, int]:
    """Count the variants of the families of those that were evaluated, with all known ones."""
    variants = {*evaluated, *known}
    families = sorted({each.family for each in evaluated})
    return {
        family: sum(each.family == family for each in variants) for family in families
    }


def record_variants(results: Results) -> None:
    """Record the metrics from outside that were evaluated, and how many were tried so far.

    The numbers by family are written to the provenance of the results.
    """
    evaluated = variants_of(results)
    if not evaluated:
        return

    directory = chosen_directory() or user_data_path("tercet")
    file = directory / _FILE
    try:
        known = _recorded(file, results.dataset.sha256, evaluated)
    except OSError as error:
        note = f"Note: the variants tried are not recorded: {error}."
        print(note, file=sys.stderr)
        return

    results.provenance["variants_tried"] = tried_by_family(evaluated, known)


def _recorded(file: Path, dataset: str, evaluated: Iterable[Variant]) -> list[Variant]:
    """Add variants to a file; return those of a dataset, by its digest, that it already had.

    The file is made where it is missing; lines that are none of its own are left alone.
    """
    known = set(_read(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        for variant in evaluated:
            line = (dataset, *variant)
            if line not in known:
                named = dict(zip(_FIELDS, line, strict=True))
                written = json.dumps(named)
                lines.write(f"{written}\n")

    return [Variant(*line[1:]) for line in known if line[0] == dataset]


def _read(file: Path) -> Iterator[_Line]:
    """Yield what the lines of a file say, where it is there."""
    if not file.exists():
        return

    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                described = json.loads(line)
                yield tuple(str(described[name]) for name in _FIELDS)
            except (ValueError, KeyError, TypeError):
                continue
