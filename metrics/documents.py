"""Document frequencies as a table in a file, so that CIDEr can score one image, or always alike.

A table holds, for n = 1 to 4, how many images have a reference with each n-gram, and how many
images there are. It is made of any references, and one is known by name: coco-val2014, of the
202,654 captions of the 40,504 images of COCO val2014, which the authors' code has as coco-val-df.
"""

import json
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import file_digest
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np

from metrics import store
from metrics.arrays import AnyArray, FloatArray, IntArray, offsets_of
from metrics.ptb import ptb_many
from metrics.tokens import Captions, Vocabulary

ORDERS = (1, 2, 3, 4)
COCO = "coco-val2014"
FORMAT = 1
PACKAGE = "pycocoevalcap"
VERSION = "1.2"
JAR_SHA256 = "6c6a73ae6dd108667047c1818707590413934dcb9f1a62cef6469059b41b3d59"
COCO_CAPTIONS = "coco/annotations/captions_val2014.json"


@dataclass(frozen=True, eq=False)
class DocumentFrequencies:
    """How many images have a reference that holds each n-gram.

    images: how many there are. words: by number, from 0.
    keys: for each n, ascending. An n-gram of word j after the (n - 1)-gram in place i of its keys
        has the key ``i * len(words) + j``; for n = 1, i is 0.
    counts: for each n, the number of images of each key.
    """

    images: int
    words: Sequence[str]
    keys: tuple[IntArray, ...]
    counts: tuple[IntArray, ...]

    @classmethod
    def of(
        cls, references: Captions, image: IntArray, words: Sequence[str]
    ) -> "DocumentFrequencies":
        """Count references, each of an image (references,); images are numbered from 0."""
        images = int(image.max(initial=-1)) + 1
        holder = np.repeat(image, references.lengths)
        gram = np.zeros(len(holder), dtype=np.int64)
        keys, counts = [], []
        for n in ORDERS:
            start = starts(references, n)
            key = gram[start] * len(words) + references.tokens[start + n - 1]
            distinct, gram[start] = np.unique(key, return_inverse=True)
            held = np.unique(gram[start] * images + holder[start]) // max(images, 1)
            keys.append(distinct)
            counts.append(np.bincount(held, minlength=len(distinct)))
        return cls(images, words, tuple(keys), tuple(counts))

    @classmethod
    def read(cls, path: Path) -> "DocumentFrequencies":
        """A table from its file; OSError without one, ValueError if it is not a whole one."""
        path.open("rb").close()
        arrays = store.read(path)
        if arrays is None or "document_frequencies" not in arrays:
            raise ValueError(f"{path}: no table of document frequencies, or damaged; write it anew")
        version, images = arrays["document_frequencies"].tolist()
        if version != FORMAT:
            raise ValueError(f"{path}: format {version}, this reads {FORMAT}; write it anew")
        return cls(
            images, _words(arrays), *(_by_order(arrays, each) for each in ("keys", "counts"))
        )

    def write(self, path: Path) -> None:
        """Write the table into one file, whole or not at all."""
        text = [word.encode("utf-8", "surrogatepass") for word in self.words]
        arrays: dict[str, AnyArray] = {
            "document_frequencies": np.array([FORMAT, self.images]),
            "words": np.frombuffer(b"".join(text), np.uint8),
            "word_offsets": offsets_of(np.array(list(map(len, text)), np.int64)),
        }
        for n, keys, counts in zip(ORDERS, self.keys, self.counts, strict=True):
            arrays |= {f"keys_{n}": keys, f"counts_{n}": counts.astype(np.int32)}
        store.write(path, arrays)

    def look_up(self, grams: IntArray, words: Sequence[str]) -> FloatArray:
        """The number of images (n-grams,) of n-grams (n-grams, n), 0 where the table has none.

        An n-gram is a row of numbers into ``words``.
        """
        counts = self.counts[grams.shape[1] - 1]
        if len(counts) == 0:
            return np.zeros(len(grams))
        ours = np.array([self._numbers.get(word, -1) for word in words], dtype=np.int64)
        place = np.zeros(len(grams), dtype=np.int64)
        found = np.ones(len(grams), dtype=bool)
        for last, keys in zip(ours[grams.T], self.keys, strict=False):
            key = place * len(self.words) + last
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            found &= (last >= 0) & (keys[place] == key)
        return np.where(found, counts[place], 0).astype(np.float64)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def read_documents(name: str | Path) -> DocumentFrequencies:
    """The table coco-val2014, made on first use, or that of a file; see `DocumentFrequencies`."""
    return coco_val2014() if name == COCO else DocumentFrequencies.read(Path(name))


@cache
def coco_val2014() -> DocumentFrequencies:
    """The table of COCO val2014, from the captions inside the installed pycocoevalcap.

    Made in some seconds on first use and kept in the cache directory (`store.cache_directory`).
    FileNotFoundError or ValueError if pycocoevalcap is needed, and is not there or is another.
    """
    path = store.cache_directory() / f"{COCO}-{JAR_SHA256[:8]}-{FORMAT}.bin"
    try:
        return DocumentFrequencies.read(path)
    except (OSError, ValueError):
        made = _count_coco()
    try:
        made.write(path)
    except OSError as error:
        message = f"the table {COCO} is made anew each time: {error}; set TERCET_CACHE"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return made


def coco_captions() -> list[tuple[int, str]]:
    """The image number and the text of each caption of COCO val2014, in their file's order."""
    with zipfile.ZipFile(_coco_jar()) as jar:
        entries = json.loads(jar.read(COCO_CAPTIONS))["annotations"]
    return [(entry["image_id"], entry["caption"]) for entry in entries]


def _count_coco() -> DocumentFrequencies:
    images, captions = zip(*coco_captions(), strict=True)
    vocabulary = Vocabulary()
    references = vocabulary.intern(ptb_many(captions))
    numbers = np.unique(images, return_inverse=True)[1]
    return DocumentFrequencies.of(references, numbers, vocabulary.words)


def _coco_jar() -> Path:
    spec = find_spec(PACKAGE)
    install = f"pip install {PACKAGE}=={VERSION}"
    for place in (spec and spec.submodule_search_locations) or ():
        jar = Path(place) / "spice" / "spice-1.0.jar"
        if jar.exists():
            _check(jar, install)
            return jar
    raise FileNotFoundError(f"{COCO} is made of captions inside {PACKAGE} {VERSION}: {install}")


def _check(jar: Path, install: str) -> None:
    with jar.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != JAR_SHA256:
        raise ValueError(f"{jar} is not that of {PACKAGE} {VERSION}: {install} --force-reinstall")


def starts(captions: Captions, n: int) -> IntArray:
    """The tokens with which an n-gram begins."""
    ends = np.repeat(captions.offsets[1:], captions.lengths)
    return np.flatnonzero(np.arange(len(ends)) + n <= ends)


def _words(arrays: dict[str, AnyArray]) -> tuple[str, ...]:
    text, offsets = arrays["words"].tobytes(), arrays["word_offsets"].tolist()
    return tuple(
        text[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(offsets)
    )


def _by_order(arrays: dict[str, AnyArray], name: str) -> tuple[IntArray, ...]:
    return tuple(arrays[f"{name}_{n}"] for n in ORDERS)
