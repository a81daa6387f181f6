"""From a result file to the leaderboard: time, processor time, and the most memory.

``python -m benchmarks.leaderboard`` scores a caption of each of the 40,504 images of COCO val2014
with five references by the seven metrics of the COCO caption evaluation, and puts the system on a
board with nine others. A caption is the first half of one reference and the second half of another.
"""

import argparse
import json
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from scripts.coco_documents import annotations, installed_file
from tercet.analysis.leaderboard.board import leaderboard
from tercet.analysis.leaderboard.result_files import read_results
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import score_system
from tercet.analysis.leaderboard.tables import to_json

REFERENCES = 5
RULES = Rules(counts=(REFERENCES,))


def references_of(images: int | None) -> dict[str, list[str]]:
    """The first captions of the first images, or of all."""
    captions: dict[str, list[str]] = {}
    for _, image, caption in annotations(installed_file()):
        captions.setdefault(str(image), []).append(caption)

    chosen = list(captions)[:images]
    return {image: captions[image][:REFERENCES] for image in chosen}


def mixed(captions: Sequence[str]) -> str:
    """The first half of the first caption and the second half of the second."""
    first, second = (caption.split() for caption in captions[:2])
    return " ".join([*first[: len(first) // 2], *second[len(second) // 2 :]])


def write_results(path: Path, references: dict[str, list[str]]) -> None:
    """Write a result file, as it is uploaded."""
    results = [
        {"image_id": int(image), "caption": mixed(captions)}
        for image, captions in references.items()
    ]
    path.write_text(json.dumps(results), encoding="utf-8")


def submit(path: Path, references: dict[str, list[str]]) -> SystemScores:
    """Read, check and score a result file, and keep its scores."""
    with timed("read and check"):
        read = read_results(path, {"hidden": list(references)})

    with timed("score"):
        scores = score_system(list(references.values()), read.captions["hidden"], RULES)

    with timed("save"):
        scores.save(path.with_suffix(".npz"))

    return scores


def make_board(path: Path, systems: int) -> str:
    """Read the scores of all systems, and compare them."""
    with timed(f"board of {systems} systems"):
        read = {str(number): SystemScores.load(path) for number in range(systems)}
        return to_json(leaderboard(RULES, read))


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long some work took, by the clock and of the processors."""
    clock, processor = perf_counter(), process_time()
    yield
    print(
        f"{what:24} {perf_counter() - clock:6.1f} s"
        f" {process_time() - processor:6.1f} s of processors"
    )


def main() -> None:
    """Make the file, submit it, make the board, print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.leaderboard", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--images", type=int, help="fewer than all")
    parser.add_argument("--systems", type=int, default=10)
    given = parser.parse_args()
    references = references_of(given.images)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        write_results(path, references)

        print(f"{len(references):,} images")
        with timed("all"):
            submit(path, references)
            make_board(path.with_suffix(".npz"), given.systems)

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{'memory':24} {peak:6.2f} GB")


if __name__ == "__main__":
    main()
