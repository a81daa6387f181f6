"""Dataset folders for the tests, written by a few lines of Python."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import copy, copytree

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "demo"
SHARED = ROOT.parent / "shared"

PAIR_COLUMNS = ("pair", "image", "candidate_b", "candidate_c", "category")
VOTE_COLUMNS = ("pair", "reference", "annotator", "choice")
Rows = Iterable[Sequence[object]]

REFERENCES = (
    ("dog", "a dog runs over the grass"),
    ("dog", "a brown dog is running"),
    ("dog", "the dog chases a ball"),
    ("cat", "a cat sleeps on the roof"),
    ("cat", "a grey cat is asleep"),
    ("cat", "on the roof a cat dozes"),
)
PAIRS = (
    ("p1", "dog", "a dog runs", "a red bus in the rain", "HI"),
    ("p2", "dog", "a dog plays with a ball", "dog outside", "HC"),
    ("p3", "cat", "a cat on a roof", "a roof a roof", "HM"),
    ("p4", "cat", "cat cat cat", "a sleeping animal", "MM"),
)


def write_csv(path: Path, header: Sequence[str], rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def dataset_folder(
    folder: Path,
    references: Rows = REFERENCES,
    pairs: Rows | None = PAIRS,
    votes: Rows = (),
    candidates: Rows = (),
) -> Path:
    """A small dataset folder: two images, three references each, four pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "references.csv", ("image", "caption"), references)
    if pairs is not None:
        write_csv(folder / "pairs.csv", PAIR_COLUMNS, pairs)
    if votes:
        write_csv(folder / "votes.csv", VOTE_COLUMNS, votes)
    if candidates:
        write_csv(folder / "candidates.csv", ("image", "caption", "source"), candidates)

    return folder


def scenes_folder(folder: Path) -> Path:
    """The pictures of the demo, without captions."""
    copytree(DEMO / "images", folder / "images")
    copy(DEMO / "images.csv", folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def three_votes(
    choices: str = "BBC", references: Iterable[int] = (1, 2, 3)
) -> list[list[object]]:
    """Votes of three annotators on every question of `PAIRS`, always the same `choices`."""
    return [
        [pair, reference, f"annotator {number}", choice]
        for pair, *_ in PAIRS
        for reference in references
        for number, choice in enumerate(choices)
    ]
