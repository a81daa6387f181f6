"""Captions as given, with their shapes checked; all of them, or in batches of images."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, overload

import numpy as np

from metrics.arrays import IntArray, offsets_of

Caption: TypeAlias = str | Sequence[str]
BATCH = 1 << 18
"""Comparisons in a batch, about: 50,000 images with a candidate and 5 references each."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """References of images, and candidates; made by :func:`check`.

    Attributes
    ----------
    references : sequence of sequences of captions
        The references of each image.
    candidates : sequence of captions
        The captions to score.
    candidate_image : (candidates,) int array
        The position of each candidate's image in ``references``.
    first_image : int
        The number of the first image among all, of which these may be a batch.
    candidate_number : (candidates,) int array
        The number of each candidate among all.
    """

    references: Sequence[Sequence[Caption]]
    candidates: Sequence[Caption]
    candidate_image: IntArray
    first_image: int
    candidate_number: IntArray

    @property
    def reference_counts(self) -> IntArray:
        """Number of references (images,) of each image."""
        return np.fromiter(
            map(len, self.references), np.int64, len(self.references)
        )

    @property
    def candidate_counts(self) -> IntArray:
        """Number of candidates (images,) of each image."""
        return np.bincount(
            self.candidate_image, minlength=len(self.references)
        )

    @property
    def without_candidates(self) -> "Inputs":
        """The references alone."""
        none = np.zeros(0, np.int64)
        return replace(
            self, candidates=[], candidate_image=none, candidate_number=none
        )


class Batches(Sequence[Inputs]):
    """Batches of images with their candidates, each made when it is asked for.

    Parameters
    ----------
    inputs : Inputs
        All captions.
    comparisons : int
        About how many comparisons of a candidate with a reference make a batch.
    """

    def __init__(self, inputs: Inputs, comparisons: int) -> None:
        self._inputs = inputs
        references, candidates = (
            inputs.reference_counts,
            inputs.candidate_counts,
        )

        # An image without candidates still takes the work of reading its references.
        work = references * np.maximum(candidates, 1)
        batch = (np.cumsum(work) - work) // comparisons
        first_images = np.flatnonzero(np.diff(batch, prepend=-1))

        self._bounds = [*first_images.tolist(), len(work)]
        self._by_image = np.argsort(inputs.candidate_image, kind="stable")
        self._candidate_bounds = offsets_of(candidates)[self._bounds]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, number: int) -> Inputs: ...
    @overload
    def __getitem__(self, number: slice) -> list[Inputs]: ...
    def __getitem__(self, number: int | slice) -> Inputs | list[Inputs]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]

        batch = range(len(self))[number]
        start, end = self._bounds[batch : batch + 2]
        candidates = self._by_image[
            slice(*self._candidate_bounds[batch : batch + 2])
        ]

        return Inputs(
            self._inputs.references[start:end],
            [self._inputs.candidates[each] for each in candidates.tolist()],
            self._inputs.candidate_image[candidates] - start,
            self._inputs.first_image + start,
            self._inputs.candidate_number[candidates],
        )


def check(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | IntArray | None = None,
) -> Inputs:
    """Check the shapes of captions; the captions themselves are checked when they are tokenized.

    Parameters
    ----------
    references, candidates, images
        As for :func:`metrics.score`.

    Returns
    -------
    Inputs

    Raises
    ------
    TypeError
        If something is no list where one is needed.
    ValueError
        If an image has no references, or an image number is missing or wrong.
    """
    _check_list(candidates, "candidates", "captions")
    _check_list(references, "references", "lists of captions")
    if len(references) == 0:
        raise ValueError(
            "references is empty: give the references of at least one image"
        )

    for image, captions in enumerate(references):
        _check_list(captions, f"the references of image {image}", "captions")
        if len(captions) == 0:
            raise ValueError(
                f"image {image} has no references: give at least one"
            )

    image_numbers = _candidate_images(images, len(candidates), len(references))

    return Inputs(
        references, candidates, image_numbers, 0, np.arange(len(candidates))
    )


def _check_list(value: object, name: str, content: str) -> None:
    if isinstance(value, str):
        shown = f"{value[:40]}…" if len(value) > 40 else value
        raise TypeError(
            f"{name} must be a list of {content}, not the string {shown!r}"
        )

    if not isinstance(value, Collection):
        raise TypeError(
            f"{name} must be a list of {content}, not {type(value).__name__}"
        )


def _candidate_images(
    images: Sequence[int] | IntArray | None, candidates: int, count: int
) -> IntArray:
    """The image (candidates,) of each candidate, checked."""
    if images is None and candidates != count:
        raise ValueError(
            f"{candidates} candidates for {count} images: give the image of each with images="
        )

    numbers = np.arange(candidates) if images is None else np.asarray(images)

    if numbers.shape != (candidates,):
        raise ValueError(
            f"{numbers.size} image numbers for {candidates} candidates"
        )
    if candidates and numbers.dtype.kind not in "iu":
        raise TypeError(
            "images must be whole numbers, the positions of the images in references"
        )

    wrong = np.flatnonzero((numbers < 0) | (numbers >= count))
    if len(wrong):
        number = numbers[wrong[0]]
        raise ValueError(
            f"candidate {wrong[0]} is of image {number}, but references has images 0 to {count - 1}"
        )

    return numbers.astype(np.int64)
