"""Which variants of metrics from outside a user has tried on a dataset: a file of JSON lines.

Ten variants tried one after the other are a choice of the best of ten.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from platformdirs import user_data_path

from tercet.analysis.evaluation.results import Results
from tercet.analysis.texts import gettext as _
from tercet.metrics import TextMetric
from tercet.metrics.core.caches import chosen_directory

_FILE = "variants.jsonl"
_FIELDS = ("dataset", "family", "name", "version")
_Line = tuple[str, ...]


def record_variants(results: Results) -> None:
    """Record the metrics from outside that were evaluated, and how many were tried so far.

    The numbers by family are written to the provenance of the results.
    """
    outside = list(results.outside.values())
    if not outside:
        return

    directory = chosen_directory() or user_data_path("tercet")
    file = directory / _FILE
    try:
        tried = _variants_tried(file, results.dataset.sha256, outside)
    except OSError as error:
        note = _("Note: the variants tried are not recorded: {error}.", error=error)
        print(note, file=sys.stderr)
        return

    results.provenance["variants_tried"] = tried


def _variants_tried(
    file: Path, dataset: str, metrics: Iterable[TextMetric]
) -> dict[str, int]:
    """Add metrics to a file, and count the variants of their families for a dataset.

    Parameters
    ----------
    file : Path
        Made where it is missing; lines that are none of its own are left alone.
    dataset : str
        Its digest.
    metrics : iterable of TextMetric
        One of another version is another variant.

    Returns
    -------
    dict of str to int
        By family, or the name of a metric without one.
    """
    known = set(_read(file))
    own = [
        (dataset, each.stated_family, each.name, each.stated_version)
        for each in metrics
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        for line in own:
            if line not in known:
                named = dict(zip(_FIELDS, line, strict=True))
                written = json.dumps(named)
                lines.write(f"{written}\n")

    known.update(own)
    families = {line[1] for line in own}
    return {
        family: sum(line[:2] == (dataset, family) for line in known)
        for family in sorted(families)
    }


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
