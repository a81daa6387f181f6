"""Read scores that capevalkit 0.1.3 wrote: of a runner, or of a benchmark.

A runner writes ``{NAME: {"score": number, "per_item": {id: number}}}`` or ``{NAME: number,
"per_item": {id: {NAME: number}}}``. A benchmark has either in ``raw_metric_output``, with items
``{"score", "scores", "caption", "image"}``.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tercet.analysis.tables.csv_tables import Problem
from tercet.analysis.tables.file_tables import FileTable, table_of_values, unreadable
from tercet.metrics.json_lines import candidates_by_id, lines_of

PREFIX = "capevalkit:"
"""Of a file of scores that capevalkit wrote."""
_COLUMNS = ["metric", "image", "caption", "score"]

_Items = Mapping[str, Mapping[str, Any]]


def read_scores(
    path: Path, images: Collection[str], predictions: Path | None
) -> FileTable:
    """Read the scores of captions.

    Parameters
    ----------
    path
        The JSON file.
    images
        The images of the dataset; one may be named by the path of its file.
    predictions
        A file of JSON Lines with the caption, and perhaps the image, of each id; without an image,
        the id names it.
    """
    captions: _Items = {}
    if predictions is not None:
        with lines_of(predictions) as lines:
            captions = candidates_by_id(lines)

    try:
        output = json.loads(path.read_text(encoding="utf-8"))
        output = output.get("raw_metric_output", output)
        scores = list(_scores(output))
    except (ValueError, AttributeError, RecursionError):
        scores = []

    if not scores:
        what = "has no scores of items as capevalkit writes them"
        return unreadable(path.name, Problem(path.name, what, "Name another file"))

    unknown: list[Problem] = []
    entries = enumerate(_captioned(scores, captions, images, unknown, path.name), 1)
    table = table_of_values(path.name, _COLUMNS, entries, is_entry=True)
    return replace(table, problems=(*unknown, *table.problems))


def _scores(output: Mapping[str, Any]) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield metric, id, item and score."""
    alone = [name for name, value in output.items() if isinstance(value, int | float)]
    for metric, value in output.items():
        own = value.get("per_item") if isinstance(value, dict) else None
        for id, item in (own or {}).items():
            yield metric, id, item, item["score"] if isinstance(item, dict) else item

    shared = output.get("per_item")
    for id, item in (shared or {}).items():
        scores = item.get("scores") or {
            name: item.get(name, item.get("score")) for name in alone
        }
        for metric, score in scores.items():
            yield metric, id, item, score


def _captioned(
    scores: list[tuple[str, str, Any, Any]],
    captions: _Items,
    images: Collection[str],
    unknown: list[Problem],
    file: str,
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of scores.csv; an id without a caption is a problem."""
    for metric, id, item, score in scores:
        known = captions.get(id) or (item if isinstance(item, dict) else {})
        if "caption" not in known:
            remedy = "Name the file with its caption: --predictions FILE"
            unknown.append(Problem(file, "has no caption", remedy, value=id))
            continue

        image = str(known.get("image") or id)
        spellings = (image, Path(image).name, Path(image).stem)
        named = next((name for name in spellings if name in images), image)
        yield {
            "metric": metric,
            "image": named,
            "caption": known["caption"],
            "score": score,
        }
