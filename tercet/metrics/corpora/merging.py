"""Add tables of document frequencies that together do not fit in memory.

The n-grams of all tables are merged by their keys for n = 1, 2, 3 and 4, a range of keys at a time.
An n-gram's key names its first n - 1 words by their place in the merged table, so each table keeps
for its n-grams where they went. What is not of the present range lies in temporary files.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np

from tercet.metrics.core.arrays import AnyArray, IntArray
from tercet.metrics.corpora.document_frequencies import (
    ORDERS,
    DocumentFrequencies,
    once,
)

RANGE = 4_000_000
"""N-grams of all tables that are in memory at once, about."""


def merge_documents(
    paths: Sequence[str | Path], out: str | Path
) -> DocumentFrequencies:
    """Add tables of document frequencies in files, and write their sum into a file.

    Memory holds the words of the tables, the n-grams of one table at a time, and some millions of
    the sum. The result has the bytes that adding the tables one after the other gives.

    Parameters
    ----------
    paths : sequence of str or Path
        Files that :meth:`DocumentFrequencies.write` has written, of different images.
    out : str or Path
        The file to write; a file that is there is replaced once the new one is whole.

    Returns
    -------
    DocumentFrequencies
        The sum, mapped into memory from the file.

    Raises
    ------
    OSError
        If a file cannot be read or written.
    ValueError
        If there is no table, or a file is no whole table.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from tercet.metrics import count_documents
    >>> folder = Path(mkdtemp())
    >>> count_documents([["a dog"]]).write(folder / "1.bin")
    >>> count_documents([["a cat"], ["two cats"]]).write(folder / "2.bin")
    >>> merge_documents([folder / "1.bin", folder / "2.bin"], folder / "all.bin").images
    3
    """
    if not paths:
        raise ValueError("Give the file of at least one table.")

    out = Path(out)
    with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as temporary:
        folder = Path(temporary)
        merged = _merged(_tables(paths), folder)
        if all(table.stems for table in _tables(paths)):
            stems = (table.stems for table in _tables(paths) if table.stems)
            merged = replace(merged, stems=_merged(stems, folder))
        merged.write(out)

    return DocumentFrequencies.read(out)


def _tables(paths: Iterable[str | Path]) -> Iterator[DocumentFrequencies]:
    return (DocumentFrequencies.read(Path(path)) for path in paths)


def _merged(tables: Iterable[DocumentFrequencies], folder: Path) -> DocumentFrequencies:
    """Return the sum of tables, whose arrays are mapped from files of a folder."""
    own = Path(mkdtemp(dir=folder))
    numbers: dict[str, int] = {}
    parts = [_Addend.of(table, numbers) for table in tables]
    keys, counts = [], []
    for n in ORDERS:
        for number, part in enumerate(parts):
            part.sort(n, len(numbers), own / f"part-{number}-{n}")
        keys.append(_GrowingColumn(own / f"keys-{n}", np.int64))
        counts.append(_GrowingColumn(own / f"counts-{n}", np.int32))
        for start, end in _ranges(parts):
            _merge(parts, start, end, keys[-1], counts[-1])

    return DocumentFrequencies(
        sum(part.images for part in parts),
        tuple(numbers),
        tuple(column.mapped() for column in keys),
        tuple(column.mapped() for column in counts),
    )


@dataclass
class _Addend:
    """A table that is merged, and its n-grams of the present n, for n = 1, 2, 3 and 4 in turn."""

    images: int
    all_keys: Sequence[IntArray]
    all_counts: Sequence[AnyArray]
    words: IntArray
    """The number of each of its words in the merged table."""
    places: AnyArray
    """Where its n-grams stand in the merged table, as far as they are merged."""
    order: AnyArray
    """Of its n-grams, by their keys in the merged table."""
    keys: AnyArray
    """These keys, ascending."""
    counts: AnyArray

    @classmethod
    def of(cls, table: DocumentFrequencies, numbers: dict[str, int]) -> "_Addend":
        """Begin with a table, whose new words get the next numbers."""
        own = [numbers.setdefault(word, len(numbers)) for word in table.words]
        words = np.array(own, np.int64)
        root = np.zeros(1, np.int64)
        return cls(
            table.images, table.keys, table.counts, words, root, root, root, root
        )

    def sort(self, n: int, words: int, path: Path) -> None:
        """Go on to n-grams: put them in the order of their keys in the merged table."""
        before, last = np.divmod(self.all_keys[n - 1], max(len(self.words), 1))
        keys = self.places[before] * words + self.words[last]
        order = np.argsort(keys)

        self.counts = self.all_counts[n - 1]
        self.order = _kept(order, path.with_suffix(".order.npy"))
        self.keys = _kept(keys[order], path.with_suffix(".keys.npy"))
        self.places = _kept(np.zeros_like(order), path.with_suffix(".places.npy"))

    def within(self, start: int, end: int) -> slice:
        """Return where the keys from `start` to before `end` are."""
        return slice(*np.searchsorted(self.keys, (start, end)))


class _GrowingColumn:
    """A column of the merged table, which grows at its end."""

    def __init__(self, path: Path, dtype: type) -> None:
        self.path, self.dtype, self.length = path, dtype, 0
        path.touch()

    def append(self, values: AnyArray) -> None:
        with self.path.open("ab") as file:
            values.astype(self.dtype).tofile(file)
        self.length += len(values)

    def mapped(self) -> AnyArray:
        if not self.length:
            return np.empty(0, self.dtype)
        return np.memmap(self.path, self.dtype, "r")


def _kept(values: AnyArray, path: Path) -> AnyArray:
    """Return an array that is mapped from a file instead of being in memory."""
    np.save(path, values)
    mapped: AnyArray = np.load(path, mmap_mode="r+")
    return mapped


def _ranges(parts: Sequence[_Addend]) -> Iterator[tuple[int, int]]:
    """Yield ranges of keys, one after the other, of about `RANGE` n-grams of all parts each."""
    step = max(1, RANGE // (2 * len(parts)))
    sampled = np.sort(np.concatenate([part.keys[::step] for part in parts]))
    if not len(sampled):
        return

    starts = once(sampled[:: max(1, RANGE // step)]).tolist()
    last = max(int(part.keys[-1]) for part in parts if len(part.keys))
    yield from pairwise([*starts, last + 1])


def _merge(
    parts: Sequence[_Addend],
    start: int,
    end: int,
    keys: _GrowingColumn,
    counts: _GrowingColumn,
) -> None:
    """Add the n-grams of a range of keys to the columns, and note where each part's went."""
    slices = [part.within(start, end) for part in parts]
    own = [part.keys[place] for part, place in zip(parts, slices, strict=True)]
    merged = once(np.concatenate(own))
    total = np.zeros(len(merged), np.int32)

    for part, place, of_part in zip(parts, slices, own, strict=True):
        found = np.searchsorted(merged, of_part)
        entries = part.order[place]
        total[found] += part.counts[entries]
        part.places[entries] = keys.length + found

    keys.append(merged)
    counts.append(total)
