"""Score a million candidates by the command, and print the most memory and the time it took.

``python -m benchmarks.memory`` writes captions made of halves of real ones of COCO val2014 into a
temporary folder, 5 references an image, and runs ``python -m metrics`` on them.
"""

import argparse
import csv
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from metrics.documents import coco_captions

REFERENCES = 5


def captions(count: int, generator: np.random.Generator) -> Iterator[str]:
    """The first half of one caption and the second half of another, again and again."""
    words = [caption.split() for _, caption in coco_captions()]
    for first, second in generator.integers(len(words), size=(count, 2)).tolist():
        head, tail = words[first], words[second]
        yield " ".join([*head[: len(head) // 2], *tail[len(tail) // 2 :]])


def write(path: Path, images: int, each: int, generator: np.random.Generator) -> None:
    """A file with so many captions of each image."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "caption"])
        for number, caption in enumerate(captions(images * each, generator)):
            writer.writerow([number // each, caption])


def main() -> None:
    """Make the files, run the command, print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--images", type=int, default=1_000_000)
    images = parser.parse_args().images
    generator = np.random.default_rng(0)
    with TemporaryDirectory() as folder:
        references, candidates = Path(folder, "references.csv"), Path(folder, "candidates.csv")
        write(references, images, REFERENCES, generator)
        write(candidates, images, 1, generator)
        files = ["--references", str(references), "--candidates", str(candidates)]
        command = [sys.executable, "-m", "metrics", *files, "--out", str(Path(folder, "out.csv"))]
        before = perf_counter()
        subprocess.run(command, check=True)
        seconds = perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    print(
        f"{images:,} candidates x {REFERENCES} references: {seconds:.0f} s, {peak:.2f} GB at most"
    )


if __name__ == "__main__":
    main()
