"""Read the MATLAB files of the CIDEr paper's release: PASCAL-50S and ABSTRACT-50S.

`consensus_*.mat` has the variable `triplets`, with four fields each: A, B, C, and 1 where B won or
-1 where C won; 48 triplets in a row are one pair. `pair_*.mat` has, for each pair, the image, B and
C in `new_input`, and in `category` 1 to 4 for HC, HI, HM and MM. Without it the images are
numbered, pairs with the same references have the same image, and pairs have no category.

Source: Vedantam, Zitnick, Parikh: CIDEr, CVPR 2015, and public readers of its files.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tercet.analysis.formats import matlab
from tercet.analysis.formats.entries import counting_entries
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import Problem, Problems, Sheet, Table, sheet_of
from tercet.analysis.tables.schema import PAIRS, REFERENCES, VOTES
from tercet.analysis.texts import Text
from tercet.analysis.texts import gettext as _

SUFFIX = ".mat"
TRIPLETS, INPUT, CATEGORY = "triplets", "new_input", "category"
PER_PAIR = 48
"""Triplets of a pair."""
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
    rows: dict[Table, list[Row]] = field(
        default_factory=lambda: {table: [] for table in COLUMNS}
    )
    problems: Problems = field(default_factory=Problems)
    images: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(
        self, number: int, triplets: Sequence[Triplet], about: Description | None
    ) -> None:
        """Add a pair, the triplets of which begin with this number."""
        first = triplets[0]
        if problem := _problem(triplets, about):
            self.problems.add([Problem(self.file, number, "", "", *problem)])
            return

        references = tuple(triplet.a for triplet in triplets)
        image = self._image(number, references, about)
        name = f"{number // PER_PAIR + 1:04}"

        category = about.category if about else ""
        pair = [name, image, first.b, first.c, category]
        self.rows[PAIRS].append((number, pair))

        for position, triplet in enumerate(triplets):
            vote = [name, str(position + 1), "", triplet.choice]
            self.rows[VOTES].append((number + position, vote))

    def _image(
        self, number: int, references: tuple[str, ...], about: Description | None
    ) -> str:
        """The name of the image with these references, which are added if it is new."""
        if references in self.images:
            return self.images[references]

        image = about.image if about else f"{len(self.images) + 1:04}"
        if image in self.images.values():
            what = _("has other references than an earlier pair of its image")
            remedy = _("Give all pairs of an image the same references")
            fault = Problem(self.file, number, "", image, what, remedy)
            self.problems.add([fault])

        self.images[references] = image
        for position, caption in enumerate(references):
            row = (number + position, [image, caption])
            self.rows[REFERENCES].append(row)
        return image


def release_files(folder: Path) -> tuple[Path | None, Path | None]:
    """The files of triplets and of pairs in a folder, None where there is none."""
    found: dict[str, Path] = {}

    for path in sorted(folder.glob(f"*{SUFFIX}")):
        for name in matlab.variables(path):
            found.setdefault(name, path)

    return found.get(TRIPLETS), found.get(INPUT)


def read_release(
    triplets: Path, pairs: Path | None, memory: int = limits.MAX_MEMORY
) -> dict[Table, Sheet]:
    """Read the references, pairs and votes of a release.

    Parameters
    ----------
    triplets, pairs
        The files, as of `release_files`.
    memory
        How many bytes each table may take.

    Returns
    -------
    dict
        A sheet for each table; lines are the numbers of triplets, from 1.
    """
    release = _Release(triplets.name)
    try:
        for path in filter(None, (triplets, pairs)):
            if not matlab.is_small(path):
                return {REFERENCES: _too_large(path)}

        described = _descriptions(pairs) if pairs else []
        every = [
            _triplet(item) for item in matlab.load(triplets, TRIPLETS)[TRIPLETS].flat
        ]
    except Exception as error:  # what is raised depends on where it is broken
        return {REFERENCES: _unreadable(triplets, str(error))}

    for start in range(0, len(every), PER_PAIR):
        about = next(iter(described[start // PER_PAIR :]), None)
        release.add(start + 1, every[start : start + PER_PAIR], about)

    return _sheets(release, memory)


def _sheets(release: _Release, memory: int) -> dict[Table, Sheet]:
    """The tables of a release; its own problems are those of the references."""
    sheets = {}

    for table, rows in release.rows.items():
        numbered = iter([(0, COLUMNS[table]), *rows])
        named = replace(table, file=release.file)
        sheets[table] = sheet_of(numbered, named, Problems(), memory=memory)
        memory -= sheets[table].size

    if release.problems.kept:
        sheets[REFERENCES] = replace(
            sheets[REFERENCES],
            problems=release.problems.kept,
            more=release.problems.more,
        )
    return {table: counting_entries(each) for table, each in sheets.items()}


def _too_large(path: Path) -> Sheet:
    """The sheet of a file that is not read."""
    limit = limits.MAX_MATLAB // 10**6
    what = _("is larger than {limit} MB unpacked", limit=limit)
    remedy = _("Split the dataset into several")

    problem = Problem(path.name, None, "", "", what, remedy)
    return Sheet(REFERENCES.empty(), [problem], readable=False)


def _unreadable(path: Path, error: str) -> Sheet:
    """The sheet of a file that has another structure, or is broken."""
    what = _("does not have the structure of the CIDEr paper's release")
    remedy = _("Use the files as they were published, or write CSV files")

    problem = Problem(path.name, None, "", error, what, remedy)
    return Sheet(REFERENCES.empty(), [problem], readable=False)


def _problem(
    triplets: Sequence[Triplet], about: Description | None
) -> tuple[Text, Text] | None:
    """What is wrong with the triplets of a pair, and what to do about it."""
    candidates = {(triplet.b, triplet.c) for triplet in triplets}

    if len(triplets) < PER_PAIR or len(candidates) > 1:
        what = _("is not the first of {count} triplets of one pair", count=PER_PAIR)
        return what, _("Use the file as it was published, or write votes.csv")

    if about and (about.b, about.c) not in candidates:
        what = _("is of another pair than the file of pairs says")
        return what, _("Use the two files of one dataset")

    return None


def _triplet(item: Any) -> Triplet:
    """One element of `triplets`."""
    a, b, c, winner = (_content(value) for value in item)
    return Triplet(a, b, c, CHOICES.get(winner, winner))


def _descriptions(path: Path) -> list[Description]:
    """The pairs of a file, in their order."""
    variables = matlab.load(path, INPUT, CATEGORY)
    categories = map(str, np.ravel(variables.get(CATEGORY, [])))
    named = zip_longest(variables[INPUT].flat, categories, fillvalue="")

    descriptions = []
    for item, category in named:
        image, b, c = map(_content, item)
        known = CATEGORIES.get(category, category)
        descriptions.append(Description(image, b, c, known))

    return descriptions


def _content(value: Any) -> str:
    """The text or number inside the cells of MATLAB, "" of an empty one."""
    while isinstance(value, np.ndarray | np.void):
        if value.size != 1:
            return ""
        value = value.item()

    return str(value).strip()
