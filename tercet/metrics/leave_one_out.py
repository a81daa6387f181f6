"""Score references by the other references of their images: how well people do by each metric."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tercet.metrics.core.arrays import IntArray, offsets_of, ranges
from tercet.metrics.corpora.corpus import Documents, named_documents
from tercet.metrics.corpora.orders import own_last
from tercet.metrics.corpus_scores import Totals
from tercet.metrics.ptb import ptb
from tercet.metrics.registry import Named, measure_all, name_of, resolve
from tercet.metrics.score_tables import score_tables
from tercet.metrics.scores import Scores
from tercet.metrics.scoring import check_documents
from tercet.metrics.text.inputs import Inputs, References, check, check_references
from tercet.metrics.text.tokenizers import Tokenize

COMPARISONS = 1 << 16
"""Comparisons held in memory at a time, about: 28 images of 48 references."""


def score_references(
    *,
    references: References,
    metrics: Named | Iterable[Named] | None = None,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
    most: int | None = None,
    files: Sequence[Path | None] | None = None,
) -> Scores:
    """Score each reference as a candidate, with the other references of its image.

    The corpus scores are the human row that a table of systems is read against (Chen et al.:
    Microsoft COCO Captions, 2015, table 1, where one more caption of each image was collected for
    it). A caption is scored with one reference less than a system's candidates are: state the
    number with the row.

    Parameters
    ----------
    references, metrics, tokenize, files
        As for :func:`metrics.score`. The reference of an image with a single one is not scored.
    documents
        As for :func:`metrics.score`. Frequencies count all references, the scored one included.
    most : int, optional
        How many references of an image are scored, evenly spaced in their order: the time grows
        with their number times that of all of them. All are scored without it.

    Returns
    -------
    Scores
        Corpus scores over all references that are scored, and caption scores (references,), image
        after image, NaN for those that are not scored.

    Raises
    ------
    TypeError, ValueError
        As for :func:`metrics.score`.

    Examples
    --------
    >>> scores = score_references(
    ...     references=[["a dog runs", "a dog"], ["two cats", "two cats sleep"]], metrics="ROUGE-1"
    ... )
    >>> scores.captions["ROUGE-1"]
    array([1.        , 0.66666667, 0.66666667, 1.        ])
    """
    wanted = resolve(metrics)
    inputs, numbers = references_as_candidates(references, most)
    inputs = replace(inputs, files=files)
    documents = named_documents(documents, tokenize)
    check_documents(inputs, documents, wanted)

    measured = measure_all(wanted, inputs, documents, [-2])
    tables = score_tables(
        inputs,
        measured,
        tokenize,
        documents,
        orders=lambda batch: [own_last(batch, _chosen(batch.image_sizes, most)[1])],
        comparisons=COMPARISONS,
    )
    totals = Totals(len(inputs.candidates), list(map(name_of, wanted)))
    for table in tables:
        totals.add(table, used=table.compared.corpus.reference_counts - 1)

    scored = totals.used > 0
    captions = {}
    for name, row in totals.scores.items():
        captions[name] = np.full(inputs.reference_counts.sum(), np.nan)
        captions[name][numbers[scored]] = row[scored]

    sums = totals.sums()
    return Scores(sums.figures(), captions, sums)


def references_as_candidates(
    references: References, most: int | None
) -> tuple[Inputs, IntArray]:
    """The references with those to score as candidates, and which reference each of them is."""
    checked = check_references(references)
    image, numbers = _chosen(checked.reference_counts, most)

    captions = checked.all_references
    candidates = [captions[number] for number in numbers.tolist()]

    return check(checked.references, candidates, image), numbers


def _chosen(counts: IntArray, most: int | None) -> tuple[IntArray, IntArray]:
    """The image and the number of each reference to score, of images with enough references."""
    scored = counts if most is None else np.minimum(counts, most)
    image = np.repeat(np.arange(len(counts)), scored)

    place = ranges(np.zeros(len(counts), np.int64), scored)
    spaced = place * counts[image] // scored[image]

    return image, offsets_of(counts)[image] + spaced
