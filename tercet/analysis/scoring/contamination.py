"""What limits metrics: captions that they were trained on, and captions that are not English."""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from tercet.analysis.scoring.learned import RATING_MODEL, WINNER_MODEL
from tercet.analysis.tables.rows import captions_by_image
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import TextMetric
from tercet.metrics.composed.learned import shared_images
from tercet.metrics.registry import english_names
from tercet.metrics.selection import Selection

Training: TypeAlias = Literal["certain", "likely", "undeclared", "none"]
"""Whether captions were seen in training: by digests, by names of datasets, unknown, or not."""
_WORST_FIRST: tuple[Training, ...] = ("certain", "likely", "undeclared", "none")
_SEEN, _UNDECLARED = "†", "?"
ENGLISH = "‡"
"""Behind the name of a metric with English resources where captions are in another language."""
MARKS: dict[Training, str] = {
    "certain": _SEEN,
    "likely": _SEEN,
    "undeclared": _UNDECLARED,
    "none": "",
}
"""What is written behind the name of a metric."""
_LEGENDS = {
    _SEEN: "†: seen in training, certainly or likely.",
    _UNDECLARED: "?: training data undeclared.",
    ENGLISH: "‡: uses English resources, and the captions are in another language.",
}
_IMAGES_OF = {
    "coco": ("coco",),
    "mscoco": ("coco",),
    "karpathy": ("coco",),
    "foil": ("coco",),
    "composite": ("coco", "flickr8k", "flickr30k"),
    "flickr8k": ("flickr8k",),
    "flickr30k": ("flickr30k", "flickr8k"),
}
"""Which collections the images of known datasets lie in, by a word of their names."""
_WORD = re.compile(r"[^\W_]+")
_DIGEST = re.compile(r"(?:[0-9a-f]{8})+")
_LONGEST_DIGEST = 1 << 16
"""Characters of a line of a file of digests."""


def training_of_metrics(selection: Selection, dataset: Dataset) -> dict[str, Training]:
    """Say of each metric from outside, and of those made of them, what is known of its training.

    Raises ValueError for a line that is no digest, in a file that a metric names.
    """
    if not selection.outside:
        return {}

    references = captions_by_image(dataset.references)
    described = [dataset.info.get(key, "") for key in ("origin", "title")]
    known = {
        name: training_of(metric, references, described)
        for name, metric in selection.outside.items()
    }

    for each in selection.composites:
        parts = [known[name] for name in each.features if name in known]
        if parts:
            known[each.name] = _worst(parts)
    worst = _worst(known.values())

    return known | {WINNER_MODEL: worst, RATING_MODEL: worst}


def check_digests(metrics: Iterable[TextMetric]) -> None:
    """Raise ValueError for a line that is no digest, in a file that a metric names."""
    for each in metrics:
        _digests_of(each)


def training_of(
    metric: TextMetric,
    references: Mapping[str, Sequence[str]],
    described: Sequence[str],
) -> Training:
    """Say what is known of the training of a metric on captions.

    Parameters
    ----------
    metric : TextMetric
        Its `trained_on` names datasets, and files with a digest of an image in each line
        (`tercet.metrics.composed.learned.image_digest`).
    references : mapping from str to sequence of str
        By image; they are compared by digest.
    described : sequence of str
        The title and the origin of the dataset, which are compared by name.

    Raises
    ------
    ValueError
        For a line that is no digest, in a file that the metric names.
    """
    if metric.trained_on is None:
        return "undeclared"

    digests = _digests_of(metric)
    if digests and shared_images(digests, references):
        return "certain"

    for name in metric.trained_on:
        is_name = not os.path.isfile(name)
        if is_name and any(_overlaps(name, each) for each in described):
            return "likely"

    return "none"


def marked(name: str, marks: Mapping[str, str]) -> str:
    """Return the name of a metric with its mark, if it has one."""
    return f"{name}{marks.get(name, '')}"


def unmarked(name: str) -> str:
    """Return the name of a metric without its marks."""
    of_training = name.removesuffix(ENGLISH)
    return of_training.removesuffix(_SEEN).removesuffix(_UNDECLARED)


def marks_behind(names: Iterable[str]) -> set[str]:
    """Return the marks behind names of metrics."""
    marks: set[str] = set()
    for name in names:
        behind = name.removeprefix(unmarked(name))
        marks.update(behind)
    return marks


def legend(marks: Collection[str]) -> str:
    """Say what marks behind names mean; empty without any."""
    return " ".join(legends(marks))


def legends(marks: Collection[str]) -> list[str]:
    """Say what each mark behind names means."""
    behind = "".join(marks)
    return [text for mark, text in _LEGENDS.items() if mark in behind]


def with_english_resources(selection: Selection) -> set[str]:
    """Return the names of metrics that use English resources, and of those made of them."""
    english = set(english_names())
    for name, metric in selection.outside.items():
        if metric.language.partition("-")[0].lower() == "en":
            english.add(name)

    for each in selection.composites:
        if not english.isdisjoint(each.features):
            english.add(each.name)
    return english


def _worst(known: Iterable[Training]) -> Training:
    return min(known, key=_WORST_FIRST.index)


def _digests_of(metric: TextMetric) -> list[str]:
    """Read the files of digests that a metric names."""
    files = [Path(name) for name in metric.trained_on or () if os.path.isfile(name)]
    return [digest for file in files for digest in _digests_in(file)]


def _digests_in(file: Path) -> list[str]:
    """Read a file of digests."""
    digests = []
    with file.open(encoding="utf-8", errors="replace") as lines:
        number = 0
        while line := lines.readline(_LONGEST_DIGEST):
            number += 1
            digest = line.strip()
            if digest and not _DIGEST.fullmatch(digest):
                raise ValueError(
                    f"{file}, line {number}: {digest[:40]!r} is no digest of an image: write "
                    "one in each line, of hexadecimal digits"
                )
            digests.append(digest)

    return digests


def _overlaps(name: str, described: str) -> bool:
    """Return whether a named and a described dataset have, or may have, the same images."""
    named = _words(name)
    judged = _words(described)
    size = len(named)
    starts = range(len(judged) - size + 1)
    if size and any(judged[start : start + size] == named for start in starts):
        return True

    return not _collections(named).isdisjoint(_collections(judged))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _collections(words: Sequence[str]) -> set[str]:
    """Return the collections that words name, also in two parts, such as `Flickr 30k`."""
    joined = [first + second for first, second in pairwise(words)]
    return {name for word in (*words, *joined) for name in _IMAGES_OF.get(word, ())}
