"""Read and check result files: a caption of each image, as COCO JSON, CSV, or a zip of several.

See https://cocodataset.org/#format-results for the JSON.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias

from tercet.analysis.number_texts import plural
from tercet.analysis.tables.csv_tables import (
    FaultyDataset,
    Problem,
    Problems,
    Table,
    printable,
    problem_of,
)
from tercet.analysis.tables.encodings import UTF_8, utf_16
from tercet.analysis.tables.file_tables import SURROGATE, Choices
from tercet.analysis.tables.parse import NOT_UTF_8, read_file
from tercet.analysis.tables.sheets import sheet_of_table
from tercet.analysis.tables.unpacking import unpack
from tercet.metrics.meteor.normalise import MAX_WORDS
from tercet.metrics.text.coco import CAPTION, IMAGE, NO_LIST, caption_in, entries
from tercet.metrics.text.faults import Faulty
from tercet.metrics.text.json_stream import WITH_NUMBERS, JsonStream

JSON, CSV, ZIP = ".json", ".csv", ".zip"
MAX_BYTES = 1 << 27
"""Bytes of a result file, or of a zip of them when it is unpacked."""
MAX_CAPTION = 1_000
"""Characters of a caption."""
_EXPANDED = "¼½¾⅓⅔İ"
"""Characters of which METEOR makes up to three words, such as 1, / and 2; of all others, one."""
MAX_FILES = 5
"""Files of a zip: more than there are splits, so that those too many are named."""
MIN_ENTRIES = 20_000
"""Entries of a JSON file that are read, however few images there are."""
SHOWN = 20
"""How many missing images are named."""
REPEATED = 0.5
"""The share of the images above which a caption that they share is warned of."""
_IGNORED = ("__MACOSX", ".")
"""Beginnings of the names that archivers add to zips."""
_FILE_NAME = re.compile(r"\S+\.(jpe?g|png|gif|bmp|webp|tiff?)", re.IGNORECASE)
_NUMBERED = re.compile(r"\S*?([0-9]+)")

_Fault: TypeAlias = tuple[str, str]
"""What is wrong, and what to do about it."""
_NOT_UNICODE = ("has a character that is not valid Unicode", "Save the file as UTF-8")
_ONE_FILE_A_SPLIT = "Pack one .json or .csv file for each split"


@dataclass(frozen=True)
class ResultFile:
    """The captions of a result file, and what is wrong with it.

    Attributes
    ----------
    captions
        By split, in the order of its images. Empty if there are problems.
    problems, more
        The first of them, and the number of the others.
    warnings
        What is probably a mistake.
    """

    captions: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    more: int = 0
    warnings: list[str] = field(default_factory=list)


class _ImageEntry(NamedTuple):
    """What a file says about an image; `number` is the number of the entry or line."""

    number: int
    image: str
    caption: str


class _Found(NamedTuple):
    """The split of a file, and its captions by image."""

    split: str
    captions: dict[str, str]


def read_results(
    path: Path,
    splits: Mapping[str, Sequence[str]],
    required: Collection[str] = (),
    closed: Collection[str] = (),
) -> ResultFile:
    """Read a result file and check it.

    Parameters
    ----------
    path
        A .json file: a list of ``{"image_id": ..., "caption": ...}``; a .csv file with the columns
        image (or image_id) and caption; or a .zip of such files, one for each split.
    splits
        The images of each split. A file belongs to the split of which it names the most images.
    required
        The splits that have to be there.
    closed
        The splits that are not taken now: a file that belongs to one of them is refused as such.

    Returns
    -------
    ResultFile
        Nothing is raised for what the file holds.
    """
    problems = Problems()
    found: list[_Found] = []

    try:
        with _result_files(path) as files:
            for file in files:
                result = _read(file, splits, problems, closed)
                found.append(result)
                if problems.more:
                    break
    except FaultyDataset as error:
        problems.add(error.problems)

    by_split = dict(found)
    if not problems.kept:
        problems.add(_faulty_splits(path.name, found, required))
    if problems.kept:
        in_order = sorted(problems.kept, key=_place)
        return ResultFile(problems=in_order, more=problems.more)

    captions = {
        split: [by_split[split][image] for image in splits[split]]
        for split in splits
        if split in by_split
    }
    warnings = [warning for each in captions.values() for warning in _repetitions(each)]

    return ResultFile(captions, warnings=warnings)


def _place(problem: Problem) -> tuple[str, bool, int]:
    """Return the key that puts problems of entries before problems of the whole file."""
    return problem.file, problem.line is None, problem.line or 0


@contextmanager
def _result_files(path: Path) -> Iterator[list[Path]]:
    """Yield the file, or the files of a zip; raise FaultyDataset if it cannot be unpacked."""
    if path.suffix.lower() != ZIP:
        yield [path]
        return

    with TemporaryDirectory() as folder:
        remedy = "Leave out everything but the result files"
        unpack(path, Path(folder), MAX_BYTES, remedy)

        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        results = sorted(file for file in files if not file.name.startswith(_IGNORED))
        if not 1 <= len(results) <= MAX_FILES:
            what = "holds no result file"
            if results:
                what = f"holds {len(results):,} files"
            raise FaultyDataset([Problem(path.name, what, _ONE_FILE_A_SPLIT)])

        yield results


def _faulty_splits(
    file: str, found: Sequence[_Found], required: Collection[str]
) -> Iterator[Problem]:
    """Name splits that several files are for, and those that are missing."""
    files = Counter(split for split, _captions in found)

    for split, count in files.items():
        if count > 1:
            what = "has several files for the same split"
            yield Problem(file, what, _ONE_FILE_A_SPLIT, value=split)

    for split in required:
        if split not in files:
            what = "has no captions for a split that is required"
            remedy = "Add a result file for the images of this split"
            yield Problem(file, what, remedy, value=split)


def _read(
    path: Path,
    splits: Mapping[str, Sequence[str]],
    problems: Problems,
    closed: Collection[str],
) -> _Found:
    """Read and check the captions of one file."""
    if unreadable := _whole_file_fault(path):
        problems.add([Problem(path.name, *unreadable)])
        return _Found("", {})

    before = len(problems.kept)
    is_json = path.suffix.lower() == JSON
    if is_json:
        most = max(MIN_ENTRIES, 2 * sum(map(len, splits.values())))
        entries = list(_json_entries(path, problems, most))
    else:
        entries = list(_csv_entries(path, problems))

    faults = problems.kept[before:]
    if faults and not entries:
        return _Found("", {})

    split = _split_of(entries, splits, path.stem, closed)
    if split in closed:
        what = "has the images of a split that is not taken now"
        remedy = "Submit captions of the development split until the test phase begins"
        problems.add([Problem(path.name, what, remedy, value=split)])
        return _Found("", {})

    captions: dict[str, str] = {}
    images = splits[split]
    problems.add(_check(entries, set(images), captions, path.name, is_json))
    # rows with faults are left out, and what follows the place where JSON is broken was not read
    if all(fault.is_local for fault in faults):
        problems.add(_missing(path.name, images, captions))

    return _Found(split, captions)


def _whole_file_fault(path: Path) -> _Fault | None:
    """Find out whether a file is none that can be read."""
    if path.suffix.lower() not in (JSON, CSV):
        what = "is no .json or .csv file"
        return what, "Submit a result file, or a zip of one for each split"

    if path.stat().st_size > MAX_BYTES:
        what = f"is larger than {MAX_BYTES >> 20:,} MB"
        return what, "Leave out everything but the captions"

    with path.open("rb") as file:
        if utf_16(file):
            return "is UTF-16", "Save the file as UTF-8"

    return None


def _split_of(
    entries: Sequence[_ImageEntry],
    splits: Mapping[str, Sequence[str]],
    name: str,
    closed: Collection[str],
) -> str:
    """Choose the split of which the most images are named; of two, that in the file's name.

    Of two, one that is taken now comes first.
    """
    named = {entry.image for entry in entries}

    def likeness(split: str) -> tuple[int, bool, bool]:
        shared = named.intersection(splits[split])
        return len(shared), split not in closed, split in name

    return max(splits, key=likeness)


def _csv_entries(path: Path, problems: Problems) -> Iterator[_ImageEntry]:
    """Read the rows of a CSV file."""
    [found] = read_file(path, {path.name: Choices(UTF_8)})
    columns = {} if "image" in found.header else {"image": IMAGE}
    sheet = sheet_of_table(found, Table(path.name, ("image", CAPTION)), columns)
    what, remedy = _NOT_UNICODE
    problems.add(
        replace(each, what=what, remedy=remedy) if each.what == NOT_UTF_8 else each
        for each in sheet.problems
    )
    problems.more += sheet.more

    cells = sheet.frame[["line", "image", CAPTION]]
    for line, image, caption in cells.itertuples(index=False):
        yield _ImageEntry(int(line), image, caption)


def _json_entries(path: Path, problems: Problems, most: int) -> Iterator[_ImageEntry]:
    """Read at most `most` results of a JSON file."""
    with path.open(encoding=UTF_8, errors="surrogateescape", newline="") as file:
        stream = JsonStream(file, WITH_NUMBERS)
        if stream.peek() != "[":
            problem = problem_of(NO_LIST, path.name)
            problems.add([problem])
            return

        results = entries(stream)
        while not problems.more:
            try:
                number, entry = next(results, (0, None))
                if not number:
                    return
                if number > most:
                    what = f"has more than {most:,} entries"
                    remedy = "Leave out everything but the captions"
                    problems.add([Problem(path.name, what, remedy)])
                    return
                yield _ImageEntry(number, *caption_in(entry, number))
            except Faulty as error:
                problems.add([problem_of(error.fault, path.name)])


def _check(
    entries: Iterable[_ImageEntry],
    images: Collection[str],
    captions: dict[str, str],
    file: str,
    is_json: bool,
) -> Iterator[Problem]:
    """Yield the problems of each entry; the first caption of each image is added to `captions`."""
    for entry in entries:
        column = IMAGE if is_json else "image"
        value = entry.image
        fault = _image_fault(value, images, captions)
        if fault is None:
            captions[entry.image] = entry.caption
            column = CAPTION
            value = entry.caption
            fault = _caption_fault(entry.image, value)

        if fault:
            what, remedy = fault
            text = printable(value)
            yield Problem(file, what, remedy, entry.number, column, text, is_json)


def _image_fault(
    image: str, images: Collection[str], captions: Collection[str]
) -> _Fault | None:
    """Find out what is wrong with an image, given the images of a split and those with captions."""
    if SURROGATE.search(image):
        return _NOT_UNICODE

    if image not in images:
        what = "is no image of this challenge"
        return what, "Submit captions for the challenge's images only"

    if image in captions:
        return "has a second caption", "Keep one caption for each image"

    return None


def _caption_fault(image: str, caption: str) -> _Fault | None:
    """Find out what is wrong with a caption."""
    if len(caption) > MAX_CAPTION:
        what = f"is longer than {MAX_CAPTION:,} characters"
        return what, "Shorten the caption"

    if SURROGATE.search(caption) or "\0" in caption:
        return _NOT_UNICODE

    if not caption.strip():
        return "is empty", "Write a caption"

    if not any(map(str.isalnum, caption)):
        return "has no letter and no digit", "Write a caption"

    expanded = sum(map(caption.count, _EXPANDED))
    if len(caption) + 2 * expanded > MAX_WORDS:
        what = f"may have more than {MAX_WORDS:,} words for METEOR"
        return what, "Write words instead of fractions such as ½"

    if _is_name(image, caption.strip()):
        what = "is the image's number or a file name"
        return what, "Write a caption; check the columns of your script"

    return None


def _is_name(image: str, caption: str) -> bool:
    """Return whether a caption is the name of its image, or of an image's file."""
    if _FILE_NAME.fullmatch(caption):
        return True

    numbered = _NUMBERED.fullmatch(caption)
    if numbered and image.isdecimal():
        return numbered[1].lstrip("0") == image.lstrip("0")

    return caption == image and any(map(str.isdigit, image))


def _missing(
    file: str, images: Sequence[str], captions: Collection[str]
) -> Iterator[Problem]:
    """Name the images without a caption: the first of them, and how many there are."""
    missing = [image for image in images if image not in captions]
    if not missing:
        return

    shown = ", ".join(missing[:SHOWN])
    if (more := len(missing) - SHOWN) > 0:
        shown = f"{shown} and {more:,} more"

    what = plural(
        len(missing),
        f"has no caption for {len(missing):,} image: {shown}",
        f"has no caption for {len(missing):,} images: {shown}",
    )
    remedy = "Add a caption for each image"
    yield Problem(file, what, remedy)


def _repetitions(captions: Sequence[str]) -> Iterator[str]:
    """Warn of a caption that more than half of the images share."""
    counted = Counter(caption.strip().lower() for caption in captions)
    [(caption, count)] = counted.most_common(1)

    if count > REPEATED * len(captions) and len(captions) > 1:
        yield f"One caption stands for {count:,} of {len(captions):,} images: {caption}"
