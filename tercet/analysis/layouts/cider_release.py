"""Read the MATLAB files of the CIDEr paper's release: PASCAL-50S and ABSTRACT-50S.

`consensus_*.mat` has the variable `triplets`, with four fields each: A, B, C, and 1 where B won or
-1 where C won; 48 triplets in a row are one pair. `pair_*.mat` has, for each pair, the image, B and
C in `new_input`, and in `category` 1 to 4 for HC, HI, HM and MM. Without it the images are
numbered, pairs with the same references have the same image, and pairs have no category.

Source: Vedantam, Zitnick, Parikh: CIDEr, CVPR 2015, and public readers of its files.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import NamedTuple

from tercet.analysis.tables import limits
from tercet.analysis.tables.conversion import MATLAB, FaultyFile, converted
from tercet.analysis.tables.csv_tables import Problem, Table
from tercet.analysis.tables.file_tables import FileTable, table_of_values, unreadable
from tercet.analysis.tables.schema import PAIRS, REFERENCES, VOTES
from tercet.metrics.text.csv_rows import LinesExceedLimit, bounded_lines

_MAX_VARIABLES = 100
"""Variables of a file; one with more is left alone."""
TRIPLETS, INPUT, CATEGORY = "triplets", "new_input", "category"
PER_PAIR = 48
"""Triplets of a pair as published; parts of the files may have fewer of each."""
CATEGORIES = {"1": "HC", "2": "HI", "3": "HM", "4": "MM"}
CHOICES = {"1": "B", "-1": "C"}
COLUMNS = {
    REFERENCES: list(REFERENCES.required),
    PAIRS: [*PAIRS.required, "category"],
    VOTES: list(VOTES.required),
}


class Triplet(NamedTuple):
    """A reference, the two candidates, and B or C."""

    a: str
    b: str
    c: str
    choice: str


class Description(NamedTuple):
    """What `pair_*.mat` says of a pair."""

    image: str
    b: str
    c: str
    category: str


Row = tuple[int, list[str]]


@dataclass
class _Release:
    """The rows of the tables, each with the number of its triplet, and the problems."""

    file: str
    per_pair: int
    rows: dict[Table, list[Row]] = field(
        default_factory=lambda: {table: [] for table in COLUMNS}
    )
    problems: list[Problem] = field(default_factory=list)
    images: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(
        self, number: int, triplets: Sequence[Triplet], about: Description | None
    ) -> None:
        """Add a pair, the triplets of which begin with this number."""
        first = triplets[0]
        if problem := _problem(triplets, about, self.per_pair):
            self.problems.append(Problem(self.file, *problem, number, is_entry=True))
            return

        references = tuple(triplet.a for triplet in triplets)
        image = self._image(number, references, about)
        name = f"{number // self.per_pair + 1:04}"

        category = about.category if about else ""
        pair = [name, image, first.b, first.c, category]
        self.rows[PAIRS].append((number, pair))

        for position, triplet in enumerate(triplets):
            vote = [name, str(position + 1), "", triplet.choice]
            self.rows[VOTES].append((number + position, vote))

    def _image(
        self, number: int, references: tuple[str, ...], about: Description | None
    ) -> str:
        """Return the name of the image with these references, which are added if it is new."""
        if references in self.images:
            return self.images[references]

        image = about.image if about else f"{len(self.images) + 1:04}"
        if image in self.images.values():
            what = "has other references than an earlier pair of its image"
            remedy = "Give all pairs of an image the same references"
            where = number, "", image, True
            self.problems.append(Problem(self.file, what, remedy, *where))

        self.images[references] = image
        for position, caption in enumerate(references):
            row = (number + position, [image, caption])
            self.rows[REFERENCES].append(row)
        return image

    def tables(self, memory: int) -> Iterator[FileTable]:
        """Yield the tables; the problems of pairs are those of the references."""
        problems = tuple(self.problems)
        for ours, rows in self.rows.items():
            names = COLUMNS[ours]
            entries = ((line, dict(zip(names, row, strict=True))) for line, row in rows)
            table = table_of_values(
                self.file, names, entries, ours.name, memory, is_entry=True
            )
            memory -= table.size
            problems = (*problems, *table.problems)
            yield replace(table, of=_title(self.file), problems=problems)
            problems = ()


def _title(file: str) -> str:
    return "ABSTRACT-50S" if "abstract" in file.lower() else "PASCAL-50S"


def release_files(folder: Path) -> tuple[Path | None, Path | None]:
    """Find the files of triplets and of pairs in a folder, None where there is none."""
    paths = sorted(folder.glob(f"*{MATLAB}"))
    states = (
        (path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths
    )
    found: dict[str, Path] = {}

    for file, variables in _variables(folder, tuple(states)) if paths else ():
        for name in variables:
            found.setdefault(name, folder / file)

    return found.get(TRIPLETS), found.get(INPUT)


@lru_cache(maxsize=4)
def _variables(folder: Path, _states: object) -> list[tuple[str, list[str]]]:
    """Return the names of MATLAB files and their variables, once for each state of a folder."""
    try:
        with converted(folder, MATLAB, _MAX_VARIABLES) as lines:
            return [*map(json.loads, bounded_lines(lines))]
    except (FaultyFile, LinesExceedLimit):
        return []


def read_release(triplets: Path, pairs: Path | None, memory: int) -> list[FileTable]:
    """Read the references, pairs and votes of a release.

    Parameters
    ----------
    triplets, pairs
        The files, as of `release_files`.
    memory
        How many bytes of memory the tables may take.

    Returns
    -------
    list
        The tables as parts of the file; entries are the numbers of triplets, from 1.
    """
    try:
        described = [*_descriptions(pairs)] if pairs else []
        every = [
            Triplet(a, b, c, CHOICES.get(winner, winner))
            for a, b, c, winner in _elements(triplets, TRIPLETS)
        ]
    except (ValueError, LinesExceedLimit) as error:
        what = "does not have the structure of the CIDEr paper's release"
        remedy = "Use the files as they were published, or write CSV files"
        problem = Problem(triplets.name, what, remedy, value=str(error))
        return [unreadable(triplets.name, problem)]

    first = takewhile(lambda each: each[1:3] == every[0][1:3], every[:PER_PAIR])
    size = len([*first])
    release = _Release(triplets.name, size)
    for pair, start in enumerate(range(0, len(every), size or 1)):
        about = described[pair] if pair < len(described) else None
        release.add(start + 1, every[start : start + size], about)

    if release.problems and not release.rows[PAIRS]:
        return [unreadable(triplets.name, *release.problems)]
    return [*release.tables(memory)]


def _elements(path: Path, variable: str) -> Iterator[list[str]]:
    """Yield the texts of each element of a variable."""
    with converted(path, MATLAB, limits.MAX_ROWS + 1, variable) as lines:
        yield from map(json.loads, bounded_lines(lines))


def _descriptions(path: Path) -> Iterator[Description]:
    """Yield the pairs of a file, in their order."""
    elements = _elements(path, INPUT), _elements(path, CATEGORY)

    for (image, b, c), (category,) in zip_longest(*elements, fillvalue=[""]):
        yield Description(image, b, c, CATEGORIES.get(category, category))


def _problem(
    triplets: Sequence[Triplet], about: Description | None, size: int
) -> tuple[str, str] | None:
    """Say what is wrong with the triplets of a pair, and what to do about it."""
    candidates = {(triplet.b, triplet.c) for triplet in triplets}

    if len(triplets) < size or len(candidates) > 1:
        what = f"is not the first of {size} triplets of one pair"
        return what, "Use the file as it was published, or write votes.csv"

    if about and (about.b, about.c) not in candidates:
        what = "is of another pair than the file of pairs says"
        return what, "Use the two files of one dataset"

    return None
