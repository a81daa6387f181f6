"""The scores of a system: corpus figures, and the sums that intervals and tests are made of.

Arrays: G images, N of them with enough references, B resamples, F sign flips.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self, TypeAlias
from zipfile import BadZipFile

import numpy as np

from tercet import metrics
from tercet.analysis.leaderboard.rules import Count, Rules
from tercet.metrics import FloatArray

FORMAT = 1

Sums: TypeAlias = dict[str, FloatArray]
"""Sums over images: of a metric's scores (...,), and of what BLEU and METEOR add up, by family,
(..., n). Leading axes are resamples or sign flips."""

_SUMS = ("sums", "resampled", "flipped")


@dataclass(frozen=True, eq=False)
class CountScores:
    """A system's scores with one reference count.

    Attributes
    ----------
    used
        The reference count that scored: one less than the column's where a reference was
        held out and none is to spare.
    images
        Number of images that are scored, N.
    families
        The families in the sums.
    sums, resampled, flipped
        Over the images; over those of each bootstrap resample, B first; under each sign flip, F
        first.
    captions
        The score of each caption, by metric: shape (G,), NaN for images with too few references.
        Empty where the scores were read without them.
    """

    used: Count
    images: int
    families: tuple[str, ...]
    sums: Sums
    resampled: Sums
    flipped: Sums
    captions: Mapping[str, FloatArray]

    def figures(self, sums: Sums) -> dict[str, FloatArray]:
        """Compute the corpus figures (...) by metric, of sums (...) over N images."""
        means = {
            name: each / self.images
            for name, each in sums.items()
            if name not in self.families
        }
        summed = {family: sums[family] for family in self.families}
        return means | metrics.figures_of_sums(summed)


@dataclass(frozen=True, eq=False)
class SystemScores:
    """A system's scores of G images with every reference count of a challenge, by its rules."""

    rules: Rules
    images: int
    by_count: Mapping[Count, CountScores]

    @property
    def figures(self) -> dict[Count, dict[str, float]]:
        """The corpus figure of each metric, by reference count."""
        figures = {}
        for count, scores in self.by_count.items():
            found = scores.figures(scores.sums)
            figures[count] = {name: float(found[name]) for name in self.rules.names}

        return figures

    def save(self, path: Path) -> None:
        """Write the scores into one file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)

        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            part = Path(file.name)
            try:
                np.savez(file, allow_pickle=False, **_arrays_of(self))
            except BaseException:
                part.unlink()
                raise

        part.replace(path)

    @classmethod
    def load(cls, path: Path, *, captions: bool = False) -> Self:
        """Read a file that `save` wrote, with the score of each caption if `captions`.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the file is damaged, or of another version.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                head = json.loads(str(arrays["head"]))
                if head["format"] != FORMAT:
                    raise ValueError(f"format {head['format']}")

                return cls(*_fields(head, arrays, captions=captions))
        except (BadZipFile, EOFError, KeyError, ValueError) as error:
            raise ValueError(
                f"{path.name}: no scores that can be read ({error}); score the system anew"
            ) from error


def _arrays_of(scores: SystemScores) -> dict[str, Any]:
    """Name the arrays of a file; the head describes the rest as JSON."""
    arrays = {}
    counts = []

    for number, (count, each) in enumerate(scores.by_count.items()):
        names = {"sums": list(each.sums), "captions": list(each.captions)}
        of_count = {"used": each.used, "images": each.images, "families": each.families}
        counts.append({"count": count, **of_count, **names})

        for kind in (*_SUMS, "captions"):
            for name, values in getattr(each, kind).items():
                arrays[f"{number}/{kind}/{name}"] = values

    head = {
        "format": FORMAT,
        "metrics": scores.rules.names,
        "counts": scores.rules.counts,
        "seed": scores.rules.seed,
        "images": scores.images,
        "by_count": counts,
    }

    return {"head": np.array(json.dumps(head)), **arrays}


def _fields(
    head: dict[str, Any], arrays: Mapping[str, Any], *, captions: bool
) -> tuple[Rules, int, dict[Count, CountScores]]:
    """Read the attributes of `SystemScores`."""
    metric_names = tuple(head["metrics"])
    counts = tuple(head["counts"])
    rules = Rules(metric_names, counts, head["seed"])
    by_count = {}

    for number, each in enumerate(head["by_count"]):
        names = dict.fromkeys(_SUMS, each["sums"])
        names["captions"] = each["captions"] if captions else ()

        values: dict[str, Sums] = {}
        for kind, own in names.items():
            values[kind] = {name: arrays[f"{number}/{kind}/{name}"] for name in own}

        by_count[each["count"]] = CountScores(
            each["used"], each["images"], tuple(each["families"]), **values
        )

    return rules, head["images"], by_count
