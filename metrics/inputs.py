"""Captions as they are given, checked at the door; all of them, or some images at a time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, overload

import numpy as np

from metrics.arrays import IntArray, offsets_of

Caption: TypeAlias = str | Sequence[str]
BATCH = 1 << 18
"""Comparisons held in memory at a time, about: all captions of 50,000 images with 5 references."""


@dataclass(frozen=True, eq=False)
class Inputs:
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

    @property
    def candidate_counts(self) -> IntArray:
        """Number of candidates (images,) of each image."""
        return np.bincount(self.candidate_image, minlength=len(self.references))

    @property
    def without_candidates(self) -> "Inputs":
        """The references alone."""
        none = np.zeros(0, np.int64)
        return replace(self, candidates=[], candidate_image=none, candidate_number=none)


class Batches(Sequence[Inputs]):
    """Images one after the other with their candidates, about so many comparisons at a time;
    each part is made when it is asked for."""

    def __init__(self, given: Inputs, comparisons: int) -> None:
        self._given = given
        sizes = given.reference_counts
        candidates = given.candidate_counts
        work = sizes * np.maximum(candidates, 1)
        first = np.flatnonzero(np.diff((np.cumsum(work) - work) // comparisons, prepend=-1))
        self._bounds = [*first.tolist(), len(work)]
        self._order = np.argsort(given.candidate_image, kind="stable")
        self._shown = offsets_of(candidates)[self._bounds]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, place: int) -> Inputs: ...
    @overload
    def __getitem__(self, place: slice) -> list[Inputs]: ...
    def __getitem__(self, place: int | slice) -> Inputs | list[Inputs]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        start, end = self._bounds[number : number + 2]
        candidates = self._order[slice(*self._shown[number : number + 2])]
        return Inputs(
            self._given.references[start:end],
            [self._given.candidates[each] for each in candidates.tolist()],
            self._given.candidate_image[candidates] - start,
            self._given.first_image + start,
            self._given.candidate_number[candidates],
        )


def check(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | IntArray | None = None,
) -> Inputs:
    """Captions with the right shapes; see :func:`metrics.corpus` for arguments and errors."""
    _listed(candidates, "candidates", "captions")
    if len(_listed(references, "references", "lists of captions")) == 0:
        raise ValueError("there are no images: references is empty")
    for image, captions in enumerate(references):
        if len(_listed(captions, f"the references of image {image}", "captions")) == 0:
            raise ValueError(f"image {image} has no references")
    shown = _candidate_images(images, len(candidates), len(references))
    return Inputs(references, candidates, shown, 0, np.arange(len(candidates)))


def _listed(given: object, name: str, content: str) -> Collection[Any]:
    if isinstance(given, str) or not isinstance(given, Collection):
        raise TypeError(f"{name} must be a list of {content}, not {type(given).__name__}")
    return given


def _candidate_images(
    images: Sequence[int] | IntArray | None, candidates: int, count: int
) -> IntArray:
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
