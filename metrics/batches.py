"""Captions compared some images at a time, so that memory need not hold all at once.

Scores are as if all were compared at once, to the last rounding: document frequencies are counted
before.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from tercet.metrics.corpora.corpus import Documents, gather
from tercet.metrics.corpora.document_frequencies import DocumentFrequencies
from tercet.metrics.ngram.cider import STEM
from tercet.metrics.registry import weighed
from tercet.metrics.text.inputs import BATCH, Batches, Inputs
from tercet.metrics.text.tokenizers import Tokenize


def split(
    given: Inputs, documents: Documents, comparisons: int = BATCH
) -> Sequence[Inputs]:
    """Batches of about so many comparisons, in the order of the images.

    Frequencies in the first k references are of all images and each order: there is one part then.
    """
    return [given] if documents == "k" else Batches(given, comparisons)


def documents_of(
    parts: Sequence[Inputs],
    wanted: Sequence[str],
    tokenize: Tokenize,
    documents: Documents,
) -> Documents:
    """The document frequencies that every part is compared with: of the pool, those of all."""
    if documents in ("pool", "rows") and len(parts) > 1 and weighed(wanted):
        return count(parts, tokenize, stems=STEM in wanted, rows=documents == "rows")

    return documents


def count(
    parts: Iterable[Inputs], tokenize: Tokenize, stems: bool = True, rows: bool = False
) -> DocumentFrequencies:
    """Count the n-grams of all batches.

    Parameters
    ----------
    parts : iterable of Inputs
        The batches, each with all references of its images.
    tokenize : callable
        Turns a string into tokens.
    stems : bool
        Count the stems of words too.
    rows : bool
        Count an image once for each of its candidates, not once.
    """
    tables: list[DocumentFrequencies] = []

    for part in parts:
        tables.append(_count(part, tokenize, stems, rows))

        # Merge tables of like size, so that few merges are large.
        while len(tables) > 1 and tables[-2].images <= tables[-1].images:
            tables[-2:] = [tables[-2].plus(tables[-1])]

    return reduce(lambda late, early: early.plus(late), reversed(tables))


def _count(
    part: Inputs, tokenize: Tokenize, stems: bool, rows: bool
) -> DocumentFrequencies:
    gathered = gather(part.without_candidates, tokenize).with_split_words
    weights = part.candidate_counts if rows else None
    make = DocumentFrequencies.with_stems if stems else DocumentFrequencies.of

    return make(gathered.references, gathered.reference_image, gathered.words, weights)
