"""Document frequencies as a table in a file, so that CIDEr can score one image, or always alike.

A table holds, for n = 1 to 4, how many images have a reference with each n-gram, and how many
images there are. It is made of any references, and one is known by name: coco-val2014, of the
202,654 captions of the 40,504 images of COCO val2014, which the authors' code has as coco-val-df.
That one comes with the package (`python -m scripts.coco_documents` has made it).
"""

import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core import array_file
from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray, offsets_of
from tercet.metrics.core.caches import cache_directory, warn_not_kept
from tercet.metrics.text.tokens import Captions
from tercet.metrics.text.word_maps import stemmed_words

ORDERS = (1, 2, 3, 4)
COCO: Final = "coco-val2014"
FORMAT = 2
COCO_FILE = Path(__file__).with_name("coco-val2014.npz.xz")
COCO_SHA256 = "24a0d9f648e3fcbde836b82703b08e7ac9866dbc5a9d7d515d2a05251f0e5a94"
"""Of the file, which names what is kept of it."""


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

    def __add__(self, other: "DocumentFrequencies") -> "DocumentFrequencies":
        """The table of the images of both, which are different images."""
        words = tuple(dict.fromkeys((*self.words, *other.words)))
        numbers = {word: number for number, word in enumerate(words)}
        keys, counts = [], []
        our_places = their_places = np.zeros(1, np.int64)

        for n in ORDERS:
            our_keys = self._renumbered(n, our_places, numbers)
            their_keys = other._renumbered(n, their_places, numbers)
            both = once(np.concatenate((our_keys, their_keys)))

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
            stems = self.stems + other.stems

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
    """The table of COCO val2014: unpacked on first use, and kept in `cache_directory`."""
    path = cache_directory() / f"{COCO}-{COCO_SHA256[:8]}.bin"
    try:
        return DocumentFrequencies.read(path)
    except (OSError, ValueError):
        table = unpacked(COCO_FILE)

    try:
        table.write(path)
    except OSError as error:
        warn_not_kept(path.parent, error)

    return table


def unpacked(path: Path) -> DocumentFrequencies:
    """Read a table that `packed` has written."""
    with np.load(BytesIO(lzma.decompress(path.read_bytes()))) as arrays:
        table = _unpacked(arrays, "")
        return replace(table, stems=_unpacked(arrays, "stem_"))


def packed(table: DocumentFrequencies) -> bytes:
    """Write a table with stems in few bytes: the differences of its keys, compressed.

    They are divided by the number of words, as most n-grams begin like the one before them.
    """
    assert table.stems
    file = BytesIO()
    np.savez(
        file, allow_pickle=False, **_packed(table, ""), **_packed(table.stems, "stem_")
    )
    return lzma.compress(file.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def _packed(table: DocumentFrequencies, prefix: str) -> dict[str, AnyArray]:
    letters = "\n".join(table.words).encode()
    arrays: dict[str, AnyArray] = {
        f"{prefix}images": np.array(table.images),
        f"{prefix}words": np.frombuffer(letters, np.uint8),
    }
    for n, keys, counts in zip(ORDERS, table.keys, table.counts, strict=True):
        steps, lasts = np.divmod(np.diff(keys, prepend=0), len(table.words))
        for name, values in (("steps", steps), ("lasts", lasts), ("counts", counts)):
            smallest = np.min_scalar_type(values.max(initial=0))
            arrays[f"{prefix}{name}_{n}"] = values.astype(smallest)

    return arrays


def _unpacked(arrays: Mapping[str, AnyArray], prefix: str) -> DocumentFrequencies:
    text = arrays[f"{prefix}words"].tobytes().decode()
    words = tuple(text.split("\n") if text else [])
    keys, counts = [], []
    for n in ORDERS:
        steps = arrays[f"{prefix}steps_{n}"].astype(np.int64)
        keys.append(np.cumsum(steps * len(words) + arrays[f"{prefix}lasts_{n}"]))
        counts.append(arrays[f"{prefix}counts_{n}"].astype(np.int32))

    images = int(arrays[f"{prefix}images"])
    return DocumentFrequencies(images, words, tuple(keys), tuple(counts))


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


def once(values: IntArray) -> IntArray:
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
