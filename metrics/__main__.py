"""Score captions in a shell: ``python -m metrics --references R --candidates C --out SCORES.csv``.

R and C are CSV files with the columns image and caption, in any order and among others, or COCO
JSON: a list of {"image_id": ..., "caption": ...}, or an object with such a list as "annotations".
"""

import argparse
import csv
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple, TextIO

from metrics import compare, corpus, file_order, names, select

HEADER = ("image", "caption", "metric", "reference_count", "score")


class Line(NamedTuple):
    """A caption of an image, from a file."""

    image: str
    caption: str


class Row(NamedTuple):
    """A score of a candidate, for the output."""

    image: str
    caption: str
    metric: str
    reference_count: int
    score: float


class InputError(ValueError):
    """A file that cannot be read as captions; says which, where, and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if it went well, 2 with a message on standard error if not."""
    options = _parser().parse_args(arguments)
    try:
        select(options.metrics)
        rows = list(score_files(options.references, options.candidates, options.metrics))
        _write(rows, options.out)
    except (OSError, ValueError) as error:
        print(f"python -m metrics: {error}", file=sys.stderr)
        return 2
    return 0


def score_files(references: Path, candidates: Path, metrics: Sequence[str]) -> Iterator[Row]:
    """The score of each candidate by each metric, in the order of the candidates' file."""
    captions: dict[str, list[str]] = {}
    for line in read(references):
        captions.setdefault(line.image, []).append(line.caption)
    wanted = read(candidates)
    _check_images(wanted, captions, references, candidates)
    places = {image: place for place, image in enumerate(captions)}
    images = [places[line.image] for line in wanted]
    gathered = corpus(list(captions.values()), [line.caption for line in wanted], images)
    curves = compare(gathered, metrics).accumulate(file_order(gathered))
    scores = {name: gathered.at_all_references(curve) for name, curve in curves.items()}
    for place, line in enumerate(wanted):
        for name, values in scores.items():
            yield Row(*line, name, len(captions[line.image]), float(values[place]))


def read(path: Path) -> list[Line]:
    """The captions of a CSV or JSON file (by its ending); InputError says what is wrong with it."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(_json_lines(file) if path.suffix.lower() == ".json" else _csv_lines(file))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8, save it as UTF-8: {error}") from error
    except InputError as error:
        raise InputError(f"{path}, {error}") from error
    if not lines:
        raise InputError(f"{path}: there are no captions in it")
    return lines


def _json_lines(file: TextIO) -> Iterator[Line]:
    content = json.load(file)
    entries = content.get("annotations") if isinstance(content, dict) else content
    if not isinstance(entries, list):
        raise InputError('top level: give a list, or an object with a list as "annotations"')
    for number, entry in enumerate(entries, start=1):
        yield _json_line(entry, number)


def _json_line(entry: object, number: int) -> Line:
    if not isinstance(entry, dict) or not {"image_id", "caption"} <= entry.keys():
        raise InputError(f'entry {number}: give it an "image_id" and a "caption"')
    if not isinstance(entry["caption"], str):
        raise InputError(f'entry {number}: its "caption" is not a string')
    if not isinstance(entry["image_id"], int | str):
        raise InputError(f'entry {number}: its "image_id" is not a whole number or a string')
    return Line(str(entry["image_id"]), entry["caption"])


def _csv_lines(file: TextIO) -> Iterator[Line]:
    header = file.readline()
    delimiter = max(",;\t", key=header.count)
    file.seek(0)
    rows = csv.reader(file, delimiter=delimiter, strict=True)
    try:
        columns = [name.strip() for name in next(rows, [])]
        for row in rows:
            if row:
                yield _csv_line(row, columns, rows.line_num)
    except csv.Error as error:
        raise InputError(f"line {rows.line_num}: not CSV: {error}") from error


def _csv_line(row: list[str], columns: list[str], number: int) -> Line:
    missing = [name for name in Line._fields if name not in columns]
    if missing:
        raise InputError(f"line 1: no column {' and no column '.join(missing)}; name it there")
    if len(row) != len(columns):
        raise InputError(f"line {number}: {len(row)} fields for {len(columns)} columns; quote them")
    line = Line(row[columns.index("image")], row[columns.index("caption")])
    if not line.image:
        raise InputError(f"line {number}: no image; say which image the caption is of")
    return line


def _check_images(
    lines: list[Line], known: Collection[str], references: Path, candidates: Path
) -> None:
    unknown = list(dict.fromkeys(line.image for line in lines if line.image not in known))
    if unknown:
        more = f" and {len(unknown) - 10} more" if len(unknown) > 10 else ""
        raise InputError(
            f"{candidates}: images without references in {references}: "
            f"{', '.join(unknown[:10])}{more}; add references, or leave them out"
        )


def _write(rows: Iterable[Row], out: Path | None) -> None:
    opened = (
        nullcontext(sys.stdout)
        if out is None
        else out.open("w", encoding="utf-8", errors="backslashreplace", newline="")
    )
    with opened as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m metrics",
        description="Score candidate captions by the references of their images.",
        epilog="CIDEr weighs words by the images of the references file, all of them.",
    )
    kinds = "CSV with the columns image and caption, or COCO JSON"
    parser.add_argument("--references", type=Path, required=True, help=kinds)
    parser.add_argument("--candidates", type=Path, required=True, help=kinds)
    parser.add_argument(
        "--metrics", nargs="+", default=list(names()), metavar="METRIC", help=", ".join(names())
    )
    parser.add_argument("--out", type=Path, help="the CSV to write; standard output without it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
