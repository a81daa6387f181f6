"""Captions compared some images at a time, so that memory need not hold all at once.

Scores are as if all were compared at once, to the last rounding: document frequencies are counted
before.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from metrics.cider import STEM, weighed
from metrics.corpus import Documents, Tokenize, gather
from metrics.document_frequencies import DocumentFrequencies
from metrics.inputs import BATCH, Batches, Inputs


def split(given: Inputs, documents: Documents, comparisons: int = BATCH) -> Sequence[Inputs]:
    """Batches of about so many comparisons, in the order of the images.

    Frequencies in the first k references are of all images and each order: there is one part then.
    """
    return [given] if documents == "k" else Batches(given, comparisons)


def documents_of(
    parts: Sequence[Inputs], wanted: Sequence[str], tokenize: Tokenize, documents: Documents
) -> Documents:
    """The document frequencies that every part is compared with: of the pool, those of all."""
    if documents == "pool" and len(parts) > 1 and weighed(wanted):
        return count(parts, tokenize, stems=STEM in wanted)
    return documents


def count(parts: Iterable[Inputs], tokenize: Tokenize, stems: bool = True) -> DocumentFrequencies:
    """The table of all parts. Tables are added to those of their size, so that few are large."""
    tables: list[DocumentFrequencies] = []
    for part in parts:
        tables.append(_count(part, tokenize, stems))
        while len(tables) > 1 and tables[-2].images <= tables[-1].images:
            tables[-2:] = [tables[-2].plus(tables[-1])]
    return reduce(lambda late, early: early.plus(late), reversed(tables))


def _count(part: Inputs, tokenize: Tokenize, stems: bool) -> DocumentFrequencies:
    gathered = gather(part.without_candidates, tokenize)
    make = DocumentFrequencies.with_stems if stems else DocumentFrequencies.of
    return make(gathered.references, gathered.reference_image, gathered.words)
