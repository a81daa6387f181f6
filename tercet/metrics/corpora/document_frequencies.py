"""Document frequencies as a table in a file, so that CIDEr can score one image, or always alike.

A table holds, for n = 1 to 4, how many images have a reference with each n-gram, and how many
images there are. It is made of any references, and one is known by name: coco-val2014, of the
202,654 captions of the 40,504 images of COCO val2014, which the authors' code has as coco-val-df.
"""

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core import array_file
from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray, offsets_of
from tercet.metrics.core.caches import cache_directory, warn_not_kept
from tercet.metrics.core.jit import much_work
from tercet.metrics.core.packages import file_in, sha256_of
from tercet.metrics.ptb import ptb_many
from tercet.metrics.text.tokens import Captions, Vocabulary
from tercet.metrics.text.word_maps import split_words, stemmed_words

ORDERS = (1, 2, 3, 4)
COCO: Final = "coco-val2014"
FORMAT = 2
_COCO_VERSION = 3
"""Of the table of COCO val2014: one that was kept by an earlier version is not used."""
PACKAGE = "pycocoevalcap"
VERSION = "1.2"
JAR_SHA256 = "6c6a73ae6dd108667047c1818707590413934dcb9f1a62cef6469059b41b3d59"
COCO_CAPTIONS = "coco/annotations/captions_val2014.json"


@dataclass(frozen=True, eq=False, repr=False)
class DocumentFrequencies:
    """How many images have a reference that holds each n-gram.

    Attributes
    ----------
    images : int
        How many images there are.
    words : sequence of str
        By number, from 0.
    keys : tuple of int arrays
        For each n, ascending. An n-gram of word j after the (n - 1)-gram at index i of its keys has
        the key ``i * len(words) + j``; for n = 1, i is 0.
    counts : tuple of int arrays
        For each n, the number of images of each key.
    stems : DocumentFrequencies, optional
        The same for the words' stems, where they were counted.
    """

    images: int
    words: Sequence[str]
    keys: tuple[IntArray, ...]
    counts: tuple[NDArray[np.int32], ...]
    stems: "DocumentFrequencies | None" = None

    def __repr__(self) -> str:
        n_grams = sum(map(len, self.keys))
        return (
            f"DocumentFrequencies({self.images:,} images: {len(self.words):,} words, "
            f"{n_grams:,} n-grams)"
        )

    @classmethod
    def of(
        cls,
        references: Captions,
        image: IntArray,
        words: Sequence[str],
        weights: IntArray | None = None,
    ) -> "DocumentFrequencies":
        """Count the n-grams of the references of all images.

        Parameters
        ----------
        references : Captions
        image : (references,) array
            The image of each reference, numbered from 0.
        words : sequence of str
            The words by number.
        weights : (images,) array, optional
            How many documents each image counts as; 1 without it.
        """
        images = int(image.max(initial=-1)) + 1
        if weights is None:
            weights = np.ones(images, dtype=np.int64)

        counted = _count(references, image, weights, len(words))
        keys, counts = zip(*counted, strict=True)

        return cls(int(weights.sum()), words, keys, counts)

    @classmethod
    def with_stems(
        cls,
        references: Captions,
        image: IntArray,
        words: Sequence[str],
        weights: IntArray | None = None,
    ) -> "DocumentFrequencies":
        """Count as :meth:`of` does, and the stems of the words too."""
        stems = stemmed_words(words)
        counted = cls.of(stems.of(references), image, stems.words, weights)

        return replace(cls.of(references, image, words, weights), stems=counted)

    def plus(self, other: "DocumentFrequencies") -> "DocumentFrequencies":
        """The table of the images of both, which are different images."""
        words = tuple(dict.fromkeys((*self.words, *other.words)))
        numbers = {word: number for number, word in enumerate(words)}
        keys, counts = [], []
        our_places = their_places = np.zeros(1, np.int64)

        for n in ORDERS:
            our_keys = self._renumbered(n, our_places, numbers)
            their_keys = other._renumbered(n, their_places, numbers)
            both = _once(np.concatenate((our_keys, their_keys)))

            # ours are in order, as our words keep their numbers
            our_places = np.searchsorted(both, our_keys)
            their_places = _indices(both, their_keys)
            count = np.zeros(len(both), np.int32)
            count[our_places] += self.counts[n - 1]
            count[their_places] += other.counts[n - 1]

            keys.append(both)
            counts.append(count)

        stems = None
        if self.stems and other.stems:
            stems = self.stems.plus(other.stems)

        return DocumentFrequencies(
            self.images + other.images, words, tuple(keys), tuple(counts), stems
        )

    def _renumbered(
        self, n: int, places: IntArray, numbers: dict[str, int]
    ) -> IntArray:
        """The keys of n-grams in a table where (n - 1)-grams and words have other numbers."""
        new = np.array([numbers[word] for word in self.words], np.int64)
        before, last = np.divmod(self.keys[n - 1], max(len(new), 1))

        renumbered: IntArray = places[before] * len(numbers) + new[last]

        return renumbered

    @classmethod
    def read(cls, path: Path) -> "DocumentFrequencies":
        """A table from its file; OSError without one, ValueError if it is not a whole one."""
        path.open("rb").close()
        arrays = array_file.read(path)
        if arrays is None or "document_frequencies" not in arrays:
            raise ValueError(
                f"{path}: no table of document frequencies, or damaged; write it anew "
                "(--write-documents in a shell): those of other programs are not read"
            )

        version, images = arrays["document_frequencies"].tolist()
        if version != FORMAT:
            raise ValueError(
                f"{path}: format {version}, this reads {FORMAT}; write it anew"
            )

        table = cls._from(arrays, images, "")
        if "stem_words" not in arrays:
            return table

        stems = cls._from(arrays, images, "stem_")

        return replace(table, stems=stems)

    @classmethod
    def _from(
        cls, arrays: dict[str, AnyArray], images: int, prefix: str
    ) -> "DocumentFrequencies":
        text = arrays[f"{prefix}words"]
        offsets = arrays[f"{prefix}word_offsets"]

        return cls(
            images,
            _words(text, offsets),
            tuple(arrays[f"{prefix}keys_{n}"] for n in ORDERS),
            tuple(arrays[f"{prefix}counts_{n}"] for n in ORDERS),
        )

    def write(self, path: Path) -> None:
        """Write the table into one file, whole or not at all."""
        head = np.array([FORMAT, self.images])
        arrays = {"document_frequencies": head} | self._arrays("")
        if self.stems:
            arrays |= self.stems._arrays("stem_")

        array_file.write(path, arrays)

    def _arrays(self, prefix: str) -> dict[str, AnyArray]:
        text = [word.encode("utf-8", "surrogatepass") for word in self.words]
        sizes = np.array([len(word) for word in text], np.int64)
        arrays: dict[str, AnyArray] = {
            f"{prefix}words": np.frombuffer(b"".join(text), np.uint8),
            f"{prefix}word_offsets": offsets_of(sizes),
        }

        for n, keys, counts in zip(ORDERS, self.keys, self.counts, strict=True):
            arrays[f"{prefix}keys_{n}"] = keys
            arrays[f"{prefix}counts_{n}"] = counts

        return arrays

    def look_up(self, grams: IntArray, words: Sequence[str]) -> FloatArray:
        """Look up in how many images (n-grams,) n-grams occur; 0 for those of no image.

        grams: (n-grams, n) the words of each n-gram, as numbers into ``words``.
        """
        ours = self.numbers_of(words)
        places = np.zeros(len(grams), np.int64)
        for n, last in enumerate(ours[grams.T], start=1):
            places = self.extended(n, places, last)

        return self.images_of(grams.shape[1], places)

    def numbers_of(self, words: Sequence[str]) -> IntArray:
        """The number (words,) of each word in this table, or -1."""
        return np.array([self._numbers.get(word, -1) for word in words], np.int64)

    def extended(self, n: int, places: IntArray, last: IntArray) -> IntArray:
        """The indices (n-grams,) into the keys of n-grams, or -1.

        places: (n-grams,) the indices of their first n - 1 words, or -1; 0 where n is 1.
        last: (n-grams,) the number of their last word, or -1.
        """
        key = places * len(self.words) + last
        is_known = (places >= 0) & (last >= 0)

        return np.where(is_known, _indices(self.keys[n - 1], key), -1)

    def images_of(self, n: int, places: IntArray) -> FloatArray:
        """In how many images (n-grams,) the n-grams at indices of the keys occur; 0 for -1."""
        images = np.zeros(len(places))
        is_known = places >= 0
        images[is_known] = self.counts[n - 1][places[is_known]]

        return images

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def read_documents(name: str | Path) -> DocumentFrequencies:
    """The table coco-val2014, made on first use, or that of a file; see `DocumentFrequencies`."""
    if name == COCO:
        return coco_val2014()
    if not Path(name).is_file():
        raise FileNotFoundError(
            f"{name}: there is no such file; give {COCO}, or the file of a table that was written "
            "by --write-documents in a shell, or by the table's write"
        )
    return DocumentFrequencies.read(Path(name))


@cache
def coco_val2014() -> DocumentFrequencies:
    """The table of COCO val2014, from the captions inside the installed pycocoevalcap.

    Made in some seconds on first use, and kept in `cache_directory`.
    FileNotFoundError or ValueError if pycocoevalcap is needed, and is not there or is another.
    """
    name = f"{COCO}-{JAR_SHA256[:8]}-{_COCO_VERSION}.bin"
    path = cache_directory() / name
    try:
        return DocumentFrequencies.read(path)
    except (OSError, ValueError):
        table = _count_coco()

    try:
        table.write(path)
    except OSError as error:
        warn_not_kept(path.parent, error)

    return table


def coco_captions() -> list[tuple[int, str]]:
    """The image number and the text of each caption of COCO val2014, in their file's order."""
    with zipfile.ZipFile(_coco_jar()) as jar:
        content = json.loads(jar.read(COCO_CAPTIONS))

    entries = content["annotations"]

    return [(entry["image_id"], entry["caption"]) for entry in entries]


def _count_coco() -> DocumentFrequencies:
    images, captions = zip(*coco_captions(), strict=True)
    vocabulary = Vocabulary()
    references = vocabulary.intern(ptb_many(captions))
    split = split_words(vocabulary.words)
    _, numbers = np.unique(images, return_inverse=True)

    with much_work():
        references = split.of(references)
        return DocumentFrequencies.with_stems(references, numbers, split.words)


def _coco_jar() -> Path:
    jar = file_in(PACKAGE, "spice/spice-1.0.jar")
    install = f"pip install {PACKAGE}=={VERSION}"
    if jar is None:
        raise FileNotFoundError(
            f"{COCO} is made of captions inside {PACKAGE} {VERSION}: {install}"
        )
    if sha256_of(jar) != JAR_SHA256:
        raise ValueError(
            f"{jar} is not that of {PACKAGE} {VERSION}: {install} --force-reinstall"
        )

    return jar


def _count(
    captions: Captions, image: IntArray, weights: IntArray, words: int
) -> Iterator[tuple[IntArray, NDArray[np.int32]]]:
    """Count the images that hold each n-gram; yields keys, ascending, and counts for each n."""
    from tercet.metrics.core import ngram_kernels as kernels

    by_image = np.argsort(image, kind="stable")
    grams = captions.tokens.copy()
    distinct = words
    keys = numbers = np.flatnonzero(np.bincount(grams, minlength=words))
    places = numbers

    for n in ORDERS:
        if n > 1:
            table, distinct = kernels.extend(
                grams, *captions.arrays, n, np.full((1 << 16, 2), -1), 0
            )
            before, last, numbers = entries_of(table)
            keys = places[before] * words + last
            ascending = np.argsort(keys)
            keys = keys[ascending]
            numbers = numbers[ascending]

        holders = kernels.Holders(by_image, image, weights)
        counts = kernels.count_images(grams, captions.offsets, n, holders, distinct)
        yield keys, counts[numbers]

        places = np.empty(distinct, np.int64)
        places[numbers] = np.arange(len(numbers))


def entries_of(table: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """What the hash table of `extend` holds: (n - 1)-gram, last word and number of each n-gram."""
    keys, numbers = table[table[:, 0] >= 0].T
    return keys >> 32, keys & 0xFFFFFFFF, numbers


def starts(captions: Captions, n: int) -> IntArray:
    """The tokens with which an n-gram begins."""
    ends = np.repeat(captions.offsets[1:], captions.lengths)
    places = np.arange(len(ends))

    return np.flatnonzero(places + n <= ends)


def _once(values: IntArray) -> IntArray:
    """Return each value once, sorted: `np.unique` hashes, which takes several times as long."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def _indices(keys: IntArray, sought: IntArray) -> IntArray:
    """The index of each sought key among ascending keys, or -1.

    They are sought in their order: neighbours are near each other in memory.
    """
    indices = np.full(len(sought), -1)
    if len(keys) == 0:
        return indices

    order = np.argsort(sought)
    ordered = sought[order]
    found = np.searchsorted(keys, ordered)
    is_key = keys[np.minimum(found, len(keys) - 1)] == ordered
    indices[order[is_key]] = found[is_key]

    return indices


def _words(text: AnyArray, offsets: AnyArray) -> tuple[str, ...]:
    letters = text.tobytes()
    bounds = pairwise(offsets.tolist())

    return tuple(
        letters[start:end].decode("utf-8", "surrogatepass") for start, end in bounds
    )
