"""Large sets by command: the time, and the most memory of any process.

``python -m benchmarks.memory metrics`` scores 1,000,000 candidates with 5 references each;
``python -m benchmarks.memory analysis`` judges 100,000 pairs of 2,000 images with 50 references
each, 10,000,000 comparisons. Captions are made of halves of real ones of COCO val2014.
``--former FOLDER`` runs another version as well.
"""

import argparse
import csv
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from scripts.coco_documents import annotations, installed_file
from tercet.analysis.tables.schema import CATEGORIES

ROOT = Path(__file__).resolve().parents[1]
REFERENCES = 5
MANY_REFERENCES = 50
PAIRS = 50
"""Of an image."""


def captions(count: int, generator: np.random.Generator) -> Iterator[str]:
    """The first half of one caption and the second half of another, again and again."""
    words = [each.caption.split() for each in annotations(installed_file())]
    for first, second in generator.integers(len(words), size=(count, 2)).tolist():
        head, tail = words[first], words[second]
        yield " ".join([*head[: len(head) // 2], *tail[len(tail) // 2 :]])


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def of_images(
    images: int, each: int, generator: np.random.Generator
) -> Iterator[tuple[int, str]]:
    """So many captions of each image."""
    return (
        (n // each, text) for n, text in enumerate(captions(images * each, generator))
    )


def scoring(folder: Path, size: int) -> list[str]:
    """The files of so many candidates, and the command that scores them."""
    generator = np.random.default_rng(0)
    for name, each in (("references", REFERENCES), ("candidates", 1)):
        rows = of_images(size, each, generator)
        write(folder / f"{name}.csv", ("image", "caption"), rows)
    files = [f"--{name}={folder / name}.csv" for name in ("references", "candidates")]
    return ["metrics", *files, f"--out={folder / 'scores.csv'}"]


def judging(folder: Path, size: int) -> list[str]:
    """The dataset of so many images, and the command that judges the metrics by it."""
    generator = np.random.default_rng(0)
    rows = of_images(size, MANY_REFERENCES, generator)
    write(folder / "references.csv", ("image", "caption"), rows)
    both = captions(2 * PAIRS * size, generator)
    pairs = (
        (n, n // PAIRS, next(both), next(both), CATEGORIES[n % 4], "BC"[n % 7 % 2])
        for n in range(PAIRS * size)
    )
    columns = ("pair", "image", "candidate_b", "candidate_c", "category", "winner")
    write(folder / "pairs.csv", columns, pairs)
    options = [
        "--draws=5",
        "--resamples=1000",
        "--flips=1000",
        "--only=accuracy,table,differences",
    ]
    return ["analysis", str(folder), f"--out={folder / 'report'}", *options]


WORK = {"metrics": (scoring, 1_000_000), "analysis": (judging, 2_000)}


def main() -> None:
    """Make the files, run the command, print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("work", choices=WORK)
    parser.add_argument("--images", type=int, help="fewer, or more")
    parser.add_argument("--former", type=Path, help="a checkout to run as well")
    given = parser.parse_args()
    prepare, size = WORK[given.work]
    size = given.images or size
    versions = {"present": ROOT}
    if given.former:
        versions["former"] = given.former.resolve()

    with TemporaryDirectory() as folder:
        command = prepare(Path(folder), size)
        for name, root in versions.items():
            print(f"{size:,} images, {name}: {cost(command, root)}", flush=True)


def cost(command: Sequence[str], root: Path) -> str:
    """Run a command of a version; say its seconds, by clock and processor, and its memory."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    before = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=root,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)

    seconds = perf_counter() - before
    processor = used.ru_utime + used.ru_stime
    peak = used.ru_maxrss / 1024**2
    return f"{seconds:.0f} s, {processor:.0f} s of the processor, {peak:.2f} GB at most"


if __name__ == "__main__":
    main()
