"""Read scores that capevalkit 0.1.3 wrote: of a runner, or of a benchmark.

A runner writes ``{NAME: {"score": number, "per_item": {id: number}}}`` or ``{NAME: number,
"per_item": {id: {NAME: number}}}``. A benchmark has either in ``raw_metric_output``, with items
``{"score", "scores", "caption", "image"}``.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from tercet.analysis.tables.csv_tables import Problem, Problems, Sheet, Table
from tercet.analysis.tables.sheets import rows_of, sheet_of
from tercet.metrics.json_lines import candidates_by_id, lines_of

PREFIX = "capevalkit:"
"""Of a file of scores that capevalkit wrote."""
_COLUMNS = ["metric", "image", "caption", "score"]

_Items = Mapping[str, Mapping[str, Any]]


def read_scores(
    path: Path, table: Table, images: Collection[str], predictions: Path | None
) -> Sheet:
    """Read the scores of captions.

    Parameters
    ----------
    path
        The JSON file.
    table
        The columns of scores.csv under the name of the file.
    images
        The images of the dataset; one may be named by the path of its file.
    predictions
        A file of JSON Lines with the caption, and perhaps the image, of each id; without an image,
        the id names it.
    """
    problems = Problems()
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
        return table.unreadable(Problem(path.name, what, "Name another file"))

    entries = enumerate(_captioned(scores, captions, images, problems, path.name), 1)
    rows = rows_of(_COLUMNS, entries, path.name, problems, _COLUMNS)
    return sheet_of(rows, table, problems)


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
    problems: Problems,
    file: str,
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of scores.csv; an id without a caption is a problem."""
    for metric, id, item, score in scores:
        known = captions.get(id) or (item if isinstance(item, dict) else {})
        if "caption" not in known:
            remedy = "Name the file with its caption: --predictions FILE"
            problems.add([Problem(file, "has no caption", remedy, value=id)])
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
