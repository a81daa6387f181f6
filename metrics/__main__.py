"""Score captions in a shell: ``python -m metrics --references R --candidates C --out SCORES.csv``.

Prints the corpus figures of the COCO caption evaluation, and writes each caption's scores.
"""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple, TypeAlias, get_args

import numpy as np
from tqdm import tqdm

from metrics import (
    COCO,
    COCO_NAMES,
    Documents,
    DocumentsMode,
    Tokenize,
    check_documents,
    compare,
    file_order,
    names,
    plain,
    ptb,
    read_documents,
    select,
)
from metrics.batches import count, documents_of, split
from metrics.corpus import gather
from metrics.corpus_scores import Totals
from metrics.files import InputError, Table, check_images, load
from metrics.inputs import Inputs, check

HEADER = ("image", "caption", "metric", "reference_count", "score")
TOKENIZERS: dict[str, Tokenize] = {"ptb": ptb, "plain": plain}
PATIENCE_SECONDS = 2.0

Note: TypeAlias = Callable[[str], None]


class Figure(NamedTuple):
    """A metric's figure for all candidates together; without a count, with all references."""

    metric: str
    coco_name: str
    reference_count: int | None
    captions: int
    score: float


@dataclass(frozen=True, eq=False)
class Scored:
    """Candidates with their scores; totals: with each number of references, or with all."""

    candidates: Table
    totals: list[Totals]

    def rows(self) -> Iterator[tuple[str, str, str, int, float]]:
        """The lines of the output: each candidate by each metric with each number of references
        that its image has."""
        names, images = list(self.totals[0].scores), list(self.candidates.images)
        places = self.candidates.image.tolist()
        for place, caption in enumerate(self.candidates.captions):
            for name in names:
                for each in self.totals:
                    if used := int(each.used[place]):
                        yield (
                            images[places[place]],
                            caption,
                            name,
                            used,
                            float(each.scores[name][place]),
                        )

    def figures(self) -> Iterator[Figure]:
        """The corpus figures with each number of references."""
        for each in self.totals:
            captions = int(np.count_nonzero(each.used))
            for name, score in each.figures().items():
                yield Figure(name, COCO_NAMES.get(name, ""), each.k, captions, score)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if it went well, 2 with a message on standard error if not."""
    options = _parser().parse_args(arguments)
    try:
        _check(options)
        scored = score_files(options)
        _write_outputs(scored, options)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"python -m metrics: {error}", file=sys.stderr)
        return 2
    print(_table(list(scored.figures())))
    return 0


def score_files(options: argparse.Namespace) -> Scored:
    """Score the candidates of one file by the references of another."""
    with _progress() as note:
        note("reading")
        given, wanted = _read(options)
        return _score(given, wanted, options, note)


def _score(given: Inputs, wanted: Table, options: argparse.Namespace, note: Note) -> Scored:
    tokenize, names = TOKENIZERS[options.tokenizer], options.metrics
    chosen = _documents(options.documents)
    check_documents(given, chosen, names)
    parts = split(given, chosen)
    note("counting document frequencies")
    if options.write_documents is not None:
        count(parts, tokenize).write(options.write_documents)
    documents = documents_of(parts, names, tokenize, chosen)
    totals = [Totals(len(wanted.captions), names, k) for k in options.counts or (None,)]
    for number, part in enumerate(parts, start=1):
        note(f"comparing, part {number} of {len(parts)}")
        gathered = gather(part, tokenize, documents)
        compared, rank = compare(gathered, names), file_order(gathered)
        curves = compared.accumulate(rank)
        for each in totals:
            each.add(part.candidate_number, compared, rank, curves)
    return Scored(wanted, totals)


def _read(options: argparse.Namespace) -> tuple[Inputs, Table]:
    """The captions to compare, and the candidates as they stand in their file."""
    known, wanted = load(options.references), load(options.candidates)
    try:
        check_images(wanted, known.images, options.several, options.subset)
    except InputError as error:
        raise InputError(f"{options.candidates} against {options.references}: {error}") from error
    used = [image for image in known.images if image in wanted.images or not options.subset]
    references = known.by_image(np.array([known.images[image] for image in used]))
    most = int(references.sizes.max())
    if options.counts and max(options.counts) > most:
        raise InputError(
            f"--counts {max(options.counts)}: no image of {options.references} has more than "
            f"{most} references; give {most} or less"
        )
    places = {image: place for place, image in enumerate(used)}
    images = np.array([places[image] for image in wanted.images])[wanted.image]
    return check(references, wanted.captions, images), wanted


def _documents(chosen: str) -> Documents:
    modes: dict[str, DocumentsMode] = {mode: mode for mode in get_args(DocumentsMode)}
    return modes[chosen] if chosen in modes else read_documents(chosen)


def _check(options: argparse.Namespace) -> None:
    """Whatever can be known to be wrong before the work begins."""
    select(options.metrics)
    read = {options.references.resolve(), options.candidates.resolve()}
    if options.documents == COCO and options.tokenizer != "ptb":
        raise ValueError(f"--documents {COCO} holds PTB tokens; leave --tokenizer out")
    for path in (options.out, options.figures, options.write_documents):
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"{path}: there is no folder {path.parent}; make it first")
    for path in (options.out, options.figures, options.write_documents):
        if path is not None and path.resolve() in read:
            raise ValueError(f"{path} is read: write to another file")
    if options.figures is not None and options.figures.suffix.lower() not in (".csv", ".json"):
        raise ValueError(f"--figures {options.figures}: name it .csv or .json")


def _write_outputs(scored: Scored, options: argparse.Namespace) -> None:
    if options.out is not None:
        _write_csv(options.out, HEADER, scored.rows())
    if options.figures is not None and options.figures.suffix.lower() == ".csv":
        _write_csv(options.figures, Figure._fields, scored.figures())
    elif options.figures is not None:
        figures = [figure._asdict() for figure in scored.figures()]
        chosen = {"tokenizer": options.tokenizer, "documents": options.documents}
        text = json.dumps({**chosen, "figures": figures}, indent=1)
        options.figures.write_text(text + "\n", encoding="utf-8")


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _table(figures: list[Figure]) -> str:
    """The figures as text: a line a metric, a column a number of references."""
    columns: dict[str, dict[str, str]] = {}
    for figure in figures:
        head = (
            "all references" if figure.reference_count is None else f"k = {figure.reference_count}"
        )
        columns.setdefault(head, {})[figure.metric] = f"{figure.score:.3f}"
    lines = [f"{'metric':<12}{'COCO name':<11}" + "".join(f"{head:>16}" for head in columns)]
    for name in dict.fromkeys(figure.metric for figure in figures):
        cells = "".join(f"{column[name]:>16}" for column in columns.values())
        lines.append(f"{name:<12}{COCO_NAMES.get(name, ''):<11}{cells}")
    return "\n".join(lines)


@contextmanager
def _progress() -> Iterator[Note]:
    """A function that names the next step; shown on a terminal once the work takes seconds."""
    finished = Event()
    with tqdm(disable=None, delay=PATIENCE_SECONDS, leave=False) as bar:

        def note(step: str) -> None:
            bar.set_description(step, refresh=False)
            bar.update()

        def show() -> None:
            if not finished.wait(PATIENCE_SECONDS):
                bar.refresh()
                while not finished.wait(1):
                    bar.refresh()

        watcher = Thread(target=show, daemon=True)
        watcher.start()
        try:
            yield note
        finally:
            finished.set()
            watcher.join()


def _counts(text: str) -> list[int]:
    """The numbers of "5,40" or "1-48", ascending and each once."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    if not numbers or min(numbers) < 1:
        raise ValueError(text)
    return sorted(numbers)


def _metrics(text: str) -> list[str]:
    return list(names()) if text == "all" else text.split(",")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m metrics",
        description="Score candidate captions by the references of their images.",
    )
    kinds = "CSV with the columns image and caption, or COCO JSON"
    parser.add_argument("--references", type=Path, required=True, help=kinds)
    parser.add_argument("--candidates", type=Path, required=True, help=f"{kinds}; one an image")
    parser.add_argument(
        "--several", action="store_true", help="candidates: any number an image, or none"
    )
    parser.add_argument(
        "--subset", action="store_true", help="leave out images without candidates, CIDEr's too"
    )
    parser.add_argument(
        "--metrics",
        nargs="+",
        action=_Joined,
        type=_metrics,
        default=[name for name in COCO_NAMES if name in names()],
        metavar="METRIC",
        help=f"those of COCO without it; all; or of {', '.join(names())}",
    )
    parser.add_argument(
        "--counts", type=_counts, default=[], help="first k references: 5,40 or 1-48; all without"
    )
    parser.add_argument("--tokenizer", choices=TOKENIZERS, default="ptb")
    parser.add_argument(
        "--documents",
        default="pool",
        metavar=f"pool|k|rows|{COCO}|FILE",
        help="CIDEr's document frequencies: of all references (pool), of the first k, of all with "
        "an image counted once for each candidate (rows), or those of a table",
    )
    parser.add_argument("--out", type=Path, help="CSV of each caption's scores")
    parser.add_argument("--figures", type=Path, help="CSV or JSON of the corpus figures")
    parser.add_argument(
        "--write-documents", type=Path, metavar="FILE", help="table of the references, to keep"
    )
    return parser


class _Joined(argparse.Action):
    """Lists given one after the other, as one list."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, list)
        setattr(namespace, self.dest, [name for part in values for name in part])


if __name__ == "__main__":
    sys.exit(main())
