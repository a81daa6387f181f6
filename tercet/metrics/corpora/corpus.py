"""What is compared: candidates with the references of their images."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import repeat
from typing import Literal, NamedTuple, Self, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from tercet.metrics.core.arrays import (
    AnyArray,
    FloatArray,
    IntArray,
    offsets_of,
    ranges,
)
from tercet.metrics.core.jit import compiles
from tercet.metrics.core.string_array import StringArray
from tercet.metrics.corpora.document_frequencies import (
    COCO,
    DocumentFrequencies,
    read_documents,
)
from tercet.metrics.ptb import ptb
from tercet.metrics.text.inputs import (
    Candidates,
    Caption,
    Inputs,
    References,
    check,
    in_order,
)
from tercet.metrics.text.numbered import number_tokens
from tercet.metrics.text.tokenizers import Tokenize, tokenized
from tercet.metrics.text.tokens import Captions, Vocabulary
from tercet.metrics.text.word_maps import WordMap, are_split, split_words

DocumentsMode: TypeAlias = Literal["pool", "k", "rows"]
Documents: TypeAlias = DocumentsMode | Literal["coco-val2014"] | DocumentFrequencies
Name: TypeAlias = Callable[[int], str]

_MANY = 1 << 13
"""Captions whose tokens are found by a compiled pass."""
# The tokenizer leaves U+00A0 in numbers ("1 1/2"), which are one token.
_WHITE_SPACE = re.compile("[^\\S\N{NO-BREAK SPACE}]")


class _ReferencePairs(NamedTuple):
    """Each candidate with each reference of its image, by candidate, then reference.

    candidate, reference: (comparisons,) each, numbers into the corpus.
    """

    candidate: IntArray
    reference: IntArray


@dataclass(frozen=True, eq=False)
class Corpus:
    """References of images, and candidates to judge by them; made by :func:`corpus`.

    Attributes
    ----------
    references : Captions
        One after the other, image after image.
    reference_offsets : (images + 1,) int array
        The references of image i are those from ``reference_offsets[i]`` up to
        ``reference_offsets[i + 1]``.
    candidates : Captions
    candidate_image : (candidates,) int array
        The image of each candidate.
    documents : str or DocumentFrequencies
        Which references CIDEr's document frequencies are counted in, or their table.
    document_weights : (images,) float array
        How often each image counts as a document.
    words : sequence of str
        The tokens by number.
    given : Inputs
        The captions as they were given; perhaps a part of all.
    """

    references: Captions
    reference_offsets: IntArray
    candidates: Captions
    candidate_image: IntArray
    documents: Documents
    document_weights: FloatArray
    words: Sequence[str]
    given: Inputs

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self.image_sizes):,} images: {len(self.reference_image):,} references, "
            f"{len(self.candidate_image):,} candidates)"
        )

    @cached_property
    def image_sizes(self) -> IntArray:
        """Number of references (images,) of each image."""
        return np.diff(self.reference_offsets)

    @cached_property
    def reference_counts(self) -> IntArray:
        """Number of references (candidates,) of each candidate's image."""
        return self.image_sizes[self.candidate_image]

    @cached_property
    def most_references(self) -> int:
        """The largest number of references of an image, K."""
        return int(self.image_sizes.max())

    @cached_property
    def reference_image(self) -> IntArray:
        """The image (references,) of each reference."""
        images = np.arange(len(self.image_sizes))
        return np.repeat(images, self.image_sizes)

    @property
    def document_count(self) -> float:
        """How many documents CIDEr's frequencies are counted in."""
        if isinstance(self.documents, DocumentFrequencies):
            return max(self.documents.images, 1)

        return float(self.document_weights.sum())

    @cached_property
    def comparison_starts(self) -> IntArray:
        """The first reference (candidates,) of each candidate's image."""
        return self.reference_offsets[self.candidate_image]

    @cached_property
    def comparison_offsets(self) -> IntArray:
        """Where the comparisons of each candidate begin, and the last end (candidates + 1,)."""
        return offsets_of(self.reference_counts)

    @cached_property
    def comparisons(self) -> _ReferencePairs:
        """Every comparison of a candidate with a reference."""
        counts = self.reference_counts
        numbers = np.arange(len(self.candidates))

        return _ReferencePairs(
            candidate=np.repeat(numbers, counts),
            reference=ranges(self.comparison_starts, counts),
        )

    @cached_property
    def with_split_words(self) -> Self:
        """The corpus with words split at no-break spaces: itself where there are none."""
        if are_split(self.words):
            return self

        return self.in_other_words(split_words(self.words))

    def in_other_words(self, words: WordMap) -> Self:
        """The corpus with each word replaced by others."""
        return replace(
            self,
            references=words.of(self.references),
            candidates=words.of(self.candidates),
            words=words.words,
        )

    def reference_name(self, number: int) -> str:
        """Name a reference for a message."""
        image = int(self.reference_image[number])
        place = number - self.reference_offsets[image]

        return f"reference {place} of image {self.given.first_image + image}"

    def candidate_name(self, number: int) -> str:
        """Name a candidate for a message, by its image."""
        image = self.candidate_image[number]
        return f"a candidate of image {self.given.first_image + image}"

    def by_place(self, values: AnyArray, places: IntArray, fill: float = 0) -> AnyArray:
        """Values of comparisons (comparisons,) as a table (candidates, K).

        Column j holds the value of the reference in place j, by ``places`` (comparisons,), and
        ``fill`` where the image has no such reference.
        """
        shape = (len(self.candidates), self.most_references)

        table = np.full(shape, fill, values.dtype)
        table[self.comparisons.candidate, places] = values

        return table

    def where_enough(self, curve: FloatArray) -> FloatArray:
        """The curve (candidates, K), NaN where the image has fewer than k references."""
        k = np.arange(1, self.most_references + 1)
        enough = k <= self.reference_counts[:, None]

        return np.where(enough, curve, np.nan)

    def at_all_references(self, curve: FloatArray) -> FloatArray:
        """The last score (candidates,) of each row of a curve: that with all references."""
        rows = np.arange(len(curve))
        return curve[rows, self.reference_counts - 1]


def corpus(
    *,
    references: References,
    candidates: Candidates,
    images: Sequence[int] | None = None,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
    document_weights: ArrayLike | None = None,
) -> Corpus:
    """Gather captions into a :class:`Corpus`.

    Parameters
    ----------
    references, candidates : sequences or mappings
        As for :func:`metrics.score`.
    images : sequence of int, optional
        The number of each candidate's image, from 0. Without it, candidate i describes image i.
        Images without candidates count as documents.
    tokenize : callable, optional
        Turns a string into tokens.
    documents : {"pool", "k", "rows", "coco-val2014"} or DocumentFrequencies, optional
        Where CIDEr's document frequencies are counted: "pool" in all references; "k" in the first k
        references of each image, in the order in use; "rows" in all references, and an image once
        for each of its candidates, as pycocoevalcap does where an image is repeated for each
        candidate. A table (:func:`metrics.read_documents`) holds them already, which is how a
        single image can be scored; "coco-val2014" is one.
    document_weights : (images,) array_like, optional
        How often each image counts as a document: finite and not negative, 1 without it. Not with
        "rows", which are weights already.

    Raises
    ------
    TypeError, ValueError
        With the number, from 0, of the image or candidate at fault.
    """
    inputs = check(references, candidates, images)
    return gather(inputs, tokenize, documents, document_weights)


def gather(
    given: Inputs,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
    document_weights: ArrayLike | None = None,
) -> Corpus:
    """As :func:`corpus`, of captions that are checked; perhaps a part of all."""
    documents = named_documents(documents, tokenize)
    _check_documents_kind(documents)
    if documents == "rows" and document_weights is not None:
        raise ValueError(
            "documents='rows' weighs images by candidates: leave out document_weights"
        )
    if documents == "rows" and len(given.candidates):
        document_weights = given.candidate_counts

    sizes = given.reference_counts
    vocabulary = Vocabulary()

    return Corpus(
        references=_intern(
            vocabulary, given.all_references, tokenize, given.name_of_reference
        ),
        reference_offsets=offsets_of(sizes),
        candidates=_intern(
            vocabulary, given.candidates, tokenize, given.name_of_candidate
        ),
        candidate_image=given.candidate_image,
        documents=documents,
        document_weights=_weights(document_weights, len(sizes)),
        words=vocabulary.words,
        given=given,
    )


def count(
    parts: Iterable[Inputs], tokenize: Tokenize, stems: bool = True, rows: bool = False
) -> DocumentFrequencies:
    """Count the n-grams of batches, each with all references of its images.

    stems: whether the stems of words are counted too.
    rows: whether an image counts once for each of its candidates, not once.
    """
    make = DocumentFrequencies.with_stems if stems else DocumentFrequencies.of
    tables: list[DocumentFrequencies] = []

    for part in parts:
        all_words = gather(part.without_candidates, tokenize).with_split_words
        references = all_words.references
        image = all_words.reference_image
        weights = part.candidate_counts if rows else None
        tables.append(make(references, image, all_words.words, weights))

        # Merge tables of like size, so that few merges are large.
        while len(tables) > 1 and tables[-2].images <= tables[-1].images:
            tables[-2:] = [tables[-2] + tables[-1]]

    return reduce(lambda late, early: early + late, reversed(tables))


def named_documents(documents: Documents, tokenize: Tokenize) -> Documents:
    """Return documents with the table of COCO for its name; ValueError with other tokens.

    TypeError or ValueError for anything that is no documents.
    """
    _check_documents_kind(documents)
    if documents != COCO:
        return documents

    if tokenize is not ptb:
        raise ValueError(f"documents={COCO!r} holds PTB tokens: leave tokenize out")

    return read_documents(COCO)


def _check_documents_kind(documents: object) -> None:
    """Raise ValueError, with what is accepted, for what is no documents."""
    names = [*get_args(DocumentsMode), COCO]
    is_name = isinstance(documents, str) and documents in names
    if isinstance(documents, DocumentFrequencies) or is_name:
        return

    raise ValueError(
        f"documents must be {' or '.join(map(repr, names))}, or a table, not {documents!r:.80}: "
        "tercet.read_documents reads one that Tercet has written; pickled ones of other programs "
        "are not read, so count the references anew by tercet.metrics.count_documents"
    )


def _intern(
    vocabulary: Vocabulary, captions: Sequence[Caption], tokenize: Tokenize, name: Name
) -> Captions:
    """Turn captions into numbers; look for what is wrong only where something is."""
    types = {str} if isinstance(captions, StringArray) else set(map(type, captions))
    if tokenize is ptb and types == {str} and len(captions) >= _MANY and compiles():
        return number_tokens(cast("Sequence[str]", captions), vocabulary)

    lists = _tokenized(captions, types, tokenize)
    are_usual = types <= {str, list, tuple}
    with suppress(TypeError):
        interned = vocabulary.intern(lists)
        if are_usual and not _WHITE_SPACE.search("".join(vocabulary.words)):
            return interned

    for number, caption in enumerate(captions):
        if not isinstance(caption, str):
            lists[number] = _checked_tokens(caption, name(number))

    return vocabulary.intern(lists)


def _tokenized(
    captions: Sequence[Caption], types: Collection[type], tokenize: Tokenize
) -> list[Sequence[str]]:
    """The tokens of captions; types: those of the captions."""
    strings: list[str] = []
    if any(issubclass(each, str) for each in types):
        strings = [caption for caption in captions if isinstance(caption, str)]

    tokens = iter(tokenized(strings, tokenize))
    if not strings:
        return list(captions)

    return [
        next(tokens) if isinstance(caption, str) else caption for caption in captions
    ]


def _checked_tokens(caption: object, name: str) -> list[str]:
    """Return the tokens of a caption that is given as a list of them."""
    tokens = in_order(caption)
    if tokens is None or not all(map(isinstance, tokens, repeat(str))):
        raise TypeError(f"{name} is not a string or a list of tokens: {caption!r:.80}")

    for token in tokens:
        if _WHITE_SPACE.search(token):
            raise ValueError(
                f"{name} is a list with {token!r:.60} in it, which has white space, and a list "
                "is read as tokens: give the caption as a string, without the list"
            )

    return tokens


def _weights(given: ArrayLike | None, images: int) -> FloatArray:
    if given is None:
        return np.ones(images)

    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (images,):
        raise ValueError(f"{weights.size} document weights for {images} images")

    usable = np.isfinite(weights).all() and (weights >= 0).all()
    if not usable or weights.sum() < 1:
        raise ValueError(
            "document weights must be finite and not negative, and sum to 1 or more"
        )

    return weights
