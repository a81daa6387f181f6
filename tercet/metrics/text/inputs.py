"""Captions as given, with their shapes checked; all of them, or in batches of images."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np

from tercet.metrics.core.arrays import IntArray, offsets_of
from tercet.metrics.core.string_array import Groups, StringArray

Caption: TypeAlias = str | Sequence[str]
References: TypeAlias = Sequence[Sequence[Caption]] | Mapping[Any, Sequence[Caption]]
"""The references of each image, by position or by key."""
Candidates: TypeAlias = Sequence[Caption] | Mapping[Any, Caption | Sequence[Caption]]
"""Captions by position, or one for each key."""
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
    keys : sequence, optional
        The keys of all images, where captions are given by key.
    files : sequence of Path, optional
        The file of each image, for metrics that look at it; None for one that has no file.
    """

    references: Sequence[Sequence[Caption]]
    candidates: Sequence[Caption]
    candidate_image: IntArray
    first_image: int
    candidate_number: IntArray
    keys: Sequence[Hashable] | None = None
    files: Sequence[Path | None] | None = None

    @property
    def reference_counts(self) -> IntArray:
        """Number of references (images,) of each image."""
        if isinstance(self.references, Groups):
            return self.references.sizes
        return np.fromiter(map(len, self.references), np.int64, len(self.references))

    @property
    def all_references(self) -> Sequence[Caption]:
        """The references of all images, one image after the other."""
        if isinstance(self.references, Groups):
            return self.references.flat
        return list(chain.from_iterable(self.references))

    @property
    def candidate_counts(self) -> IntArray:
        """Number of candidates (images,) of each image."""
        return np.bincount(self.candidate_image, minlength=len(self.references))

    @property
    def comparisons(self) -> int:
        """Number of comparisons of a candidate with a reference."""
        counts = self.reference_counts[self.candidate_image]
        return int(counts.sum())

    @property
    def without_candidates(self) -> "Inputs":
        """The references alone."""
        none = np.zeros(0, np.int64)
        return replace(self, candidates=[], candidate_image=none, candidate_number=none)

    def name_of_reference(self, number: int) -> str:
        """Name a reference for a message, by its position among all of these images."""
        offsets = offsets_of(self.reference_counts)
        image = int(np.searchsorted(offsets, number, side="right")) - 1
        position = number - offsets[image]
        return f"reference {position} of {self.name_of_image(image)}"

    def name_of_image(self, image: int) -> str:
        """Name an image for a message, by its position among these."""
        return _name_of_image(self.first_image + image, self.keys)

    def name_of_candidate(self, number: int) -> str:
        """Name a candidate for a message, by its position among these."""
        position = int(self.candidate_number[number])
        if self.keys is None:
            return f"candidate {position}"

        return f"the candidate of {_name_of_image(position, self.keys)}"


class Batches(Sequence[Inputs]):
    """Batches of images with their candidates, each made when it is asked for.

    comparisons: about how many of a candidate with a reference make a batch.
    """

    def __init__(self, inputs: Inputs, comparisons: int) -> None:
        self._inputs = inputs
        references = inputs.reference_counts
        candidates = inputs.candidate_counts

        # An image without candidates still takes the work of reading its references.
        work = references * np.maximum(candidates, 1)
        batch = (np.cumsum(work) - work) // comparisons
        first_images = np.flatnonzero(np.diff(batch, prepend=-1))

        self._bounds = [*first_images.tolist(), len(work)]
        self._by_image = np.argsort(inputs.candidate_image, kind="stable")
        images = inputs.candidate_image[self._by_image]
        self._candidate_bounds = np.searchsorted(images, self._bounds)

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
        candidates = self._by_image[slice(*self._candidate_bounds[batch : batch + 2])]

        return Inputs(
            self._inputs.references[start:end],
            _take(self._inputs.candidates, candidates),
            self._inputs.candidate_image[candidates] - start,
            self._inputs.first_image + start,
            self._inputs.candidate_number[candidates],
            self._inputs.keys,
            self._inputs.files[start:end] if self._inputs.files else None,
        )


def _take(captions: Sequence[Caption], numbers: IntArray) -> Sequence[Caption]:
    """Return the captions with these numbers."""
    if isinstance(captions, StringArray):
        return captions.take(numbers)
    return [captions[number] for number in numbers.tolist()]


def text_of(caption: Caption) -> str:
    """Return a caption as a text: its tokens with spaces between, if it is given as a list."""
    return caption if isinstance(caption, str) else " ".join(caption)


def check(
    references: References,
    candidates: Candidates,
    images: Sequence[int] | IntArray | None = None,
    files: Sequence[Path | None] | None = None,
    subset: bool = False,
) -> Inputs:
    """Check the shapes of captions; the captions themselves are checked when they are tokenized.

    Given by key, both are put in the order of the references.

    Parameters
    ----------
    references, candidates, images, files, subset
        As for :func:`metrics.score`.

    Raises
    ------
    TypeError
        If something is no list where one is needed.
    ValueError
        If an image has no references, an image number is missing or wrong, or keys differ.
    """
    keys = None
    if isinstance(references, Mapping) and isinstance(candidates, Mapping):
        if subset:
            references = {
                key: own for key, own in references.items() if key in candidates
            }
        _check_keys(references, candidates, images)
        keys = tuple(references)
        candidates = [_only(candidates[key], key) for key in keys]
        references = list(references.values())

    lists = _check_references(references, keys)
    captions = listed(candidates, "candidates", "captions")
    image = _candidate_images(images, len(captions), len(lists))
    numbers = np.arange(len(captions))

    paths = None if files is None else _paths(files, len(lists))
    if subset and keys is None:
        used, image = np.unique(image, return_inverse=True)
        lists = [lists[each] for each in used]
        paths = paths and [paths[each] for each in used]

    return Inputs(lists, captions, image, 0, numbers, keys, paths)


def _paths(files: Sequence[Any], images: int) -> list[Path | None]:
    """Return the file of each image; TypeError for what is no path."""
    if len(files) != images:
        raise ValueError(f"{len(files)} files for {images} images: give one for each")
    for number, file in enumerate(files):
        if file is not None and not isinstance(file, str | PathLike):
            raise TypeError(
                f"the file of image {number} is {file!r:.60}: give a path, or None for an image "
                "without a file"
            )

    return [None if file is None else Path(file) for file in files]


def check_references(references: References) -> Inputs:
    """Check the references of images, without candidates; see :func:`check`."""
    if isinstance(references, Mapping):
        keys = tuple(references)
        lists = _check_references(list(references.values()), keys)
        return replace(check(lists, [], []), keys=keys)

    return check(references, [], [])


def listed(value: object, name: str, content: str) -> Sequence[Any]:
    """Return what is given as a list, by position; TypeError for what has no positions.

    ``value`` may be any sequence but a string, or what turns itself into a list: an array, a pandas
    Series or Index. ``name`` and ``content`` say in the message what it is and what it holds.
    """
    if isinstance(value, list | tuple | StringArray | Groups):
        return value

    values = in_order(value)
    if values is not None:
        return values

    raise TypeError(
        f"{name} must be a list of {content}, not {_described(value)}; a tuple, an array or a "
        "pandas Series is read by position too, and mappings by key, where references and "
        "candidates both are mappings"
    )


def in_order(value: object) -> list[Any] | None:
    """Return the elements of a sequence, an array or a column by position; None of others."""
    if isinstance(value, str | bytes | bytearray):
        return None
    if isinstance(value, Sequence):
        return list(value)

    to_list = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    elements = to_list() if callable(to_list) else None

    return elements if isinstance(elements, list) else None


def _described(value: object) -> str:
    """Say what a value is."""
    if not isinstance(value, str):
        return type(value).__name__

    shown = f"{value[:40]}…" if len(value) > 40 else value

    return f"the string {shown!r}"


def _check_keys(
    references: Mapping[Any, object], candidates: Mapping[Any, object], images: object
) -> None:
    if images is not None:
        raise ValueError(
            "leave out images: the keys say which image each candidate describes"
        )

    leave_out = ", or subset=True to leave out references without a candidate"
    for some, others, names, remedy in (
        (references, candidates, "references, but not in candidates", leave_out),
        (candidates, references, "candidates, but not in references", ""),
    ):
        left = [key for key in some if key not in others]
        if left:
            raise ValueError(
                f"{len(left)} keys, such as {left[0]!r}, are in {names}: give both for each "
                f"key{remedy}"
            )


def _only(given: object, key: Hashable) -> Caption:
    """The caption of a key, given as it is or in a list of one."""
    if isinstance(given, str):
        return given

    captions: Sequence[Caption] = listed(
        given, f"the candidate of {key!r}", "one caption"
    )
    if len(captions) != 1:
        raise ValueError(
            f"{len(captions)} candidates for {key!r}: give one for each key, or lists, with images="
        )

    return captions[0]


def _check_references(
    references: object, keys: Sequence[Hashable] | None
) -> Sequence[Sequence[Caption]]:
    """Return the references of each image, all by position."""
    images = listed(references, "references", "lists of captions")
    if len(images) == 0:
        raise ValueError(
            "references is empty: give the references of at least one image"
        )
    if isinstance(images, Groups):
        return images

    changed: dict[int, Sequence[Caption]] = {}
    for image, given in enumerate(images):
        if isinstance(given, list) and given:
            continue

        name = _name_of_image(image, keys)
        captions = listed(given, f"the references of {name}", "captions")
        if len(captions) == 0:
            raise ValueError(f"{name} has no references: give at least one")
        if captions is not given:
            changed[image] = captions

    if not changed:
        return images

    return [changed.get(image, given) for image, given in enumerate(images)]


def _name_of_image(image: int, keys: Sequence[Hashable] | None) -> str:
    """Name an image for a message, by its key if it has one."""
    return f"image {image if keys is None else keys[image]!r}"


def _candidate_images(
    images: Sequence[int] | IntArray | None, candidates: int, count: int
) -> IntArray:
    """The image (candidates,) of each candidate, checked."""
    if images is None:
        if candidates != count:
            raise ValueError(
                f"{candidates} candidates for {count} images: give the image of each with images="
            )
        return np.arange(candidates)

    numbers = np.asarray(list(listed(images, "images", "whole numbers")))

    if numbers.shape != (candidates,):
        raise ValueError(f"{numbers.size} image numbers for {candidates} candidates")
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
