"""Captions as they are given, checked at the door; all of them, or some images at a time."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from metrics.arrays import IntArray

Caption: TypeAlias = str | Sequence[str]
PART = 1 << 18
"""Comparisons held in memory at a time, about: all captions of 50,000 images with 5 references."""


@dataclass(frozen=True, eq=False)
class Given:
    """References of images, and candidates; made by :func:`check`.

    candidate_image: (candidates,) the place of each candidate's image in ``references``.
    first_image, candidate_number: the number of the first image, and of each candidate
        (candidates,), in the whole that this may be a part of.
    """

    references: Sequence[Sequence[Caption]]
    candidates: Sequence[Caption]
    candidate_image: IntArray
    first_image: int
    candidate_number: IntArray

    @property
    def reference_counts(self) -> IntArray:
        """Number of references (images,) of each image."""
        return np.fromiter(map(len, self.references), np.int64, len(self.references))

    def parts(self, comparisons: int = PART) -> Iterator["Given"]:
        """Images one after the other with their candidates, about so many comparisons at a time."""
        work = self.reference_counts * np.maximum(self._candidate_counts, 1)
        part = (np.cumsum(work) - work) // comparisons
        first = np.flatnonzero(np.diff(part, prepend=-1))
        ends = [*first[1:].tolist(), len(work)]
        order = np.argsort(self.candidate_image, kind="stable")
        shown = np.searchsorted(self.candidate_image[order], [*first.tolist(), len(work)])
        for number, (start, end) in enumerate(zip(first.tolist(), ends, strict=True)):
            yield self._part(start, end, order[shown[number] : shown[number + 1]])

    @property
    def _candidate_counts(self) -> IntArray:
        return np.bincount(self.candidate_image, minlength=len(self.references))

    def _part(self, start: int, end: int, candidates: IntArray) -> "Given":
        return Given(
            self.references[start:end],
            [self.candidates[number] for number in candidates.tolist()],
            self.candidate_image[candidates] - start,
            self.first_image + start,
            self.candidate_number[candidates],
        )


def check(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
) -> Given:
    """Captions with the right shapes; see :func:`metrics.corpus` for arguments and errors."""
    _listed(candidates, "candidates", "captions")
    if len(_listed(references, "references", "lists of captions")) == 0:
        raise ValueError("there are no images: references is empty")
    for image, captions in enumerate(references):
        if len(_listed(captions, f"the references of image {image}", "captions")) == 0:
            raise ValueError(f"image {image} has no references")
    shown = _candidate_images(images, len(candidates), len(references))
    return Given(references, candidates, shown, 0, np.arange(len(candidates)))


def _listed(given: object, name: str, content: str) -> Collection[Any]:
    if isinstance(given, str) or not isinstance(given, Collection):
        raise TypeError(f"{name} must be a list of {content}, not {type(given).__name__}")
    return given


def _candidate_images(images: Sequence[int] | None, candidates: int, count: int) -> IntArray:
    numbers = np.arange(candidates) if images is None else np.asarray(images)
    if images is None and candidates != count:
        raise ValueError(f"{candidates} candidates for {count} images: say which with images=")
    if numbers.shape != (candidates,):
        raise ValueError(f"{numbers.size} image numbers for {candidates} candidates")
    if candidates and numbers.dtype.kind not in "iu":
        raise TypeError("images must be whole numbers, the places of the images in references")
    wrong = np.flatnonzero((numbers < 0) | (numbers >= count))
    if len(wrong):
        number = numbers[wrong[0]]
        raise ValueError(f"candidate {wrong[0]} is of image {number}, but there are {count} images")
    return numbers.astype(np.int64)
