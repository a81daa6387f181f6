"""Score references by the other references of their images: how well people do by each metric."""

from collections.abc import Iterable, Sequence

import numpy as np

from metrics.batches import documents_of, split
from metrics.corpus import Documents, Tokenize, gather
from metrics.corpus_scores import Totals
from metrics.inputs import Caption, Inputs, check
from metrics.orders import own_last
from metrics.ptb import ptb
from metrics.registry import Compared, compare, resolve
from metrics.scores import Scores
from metrics.scoring import check_documents

COMPARISONS = 1 << 16
"""Comparisons held in memory at a time, about: 28 images of 48 references."""


def score_references(
    *,
    references: Sequence[Sequence[Caption]],
    metrics: str | Iterable[str] | None = None,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
) -> Scores:
    """Score each reference as a candidate, with the other references of its image.

    The corpus scores are the human row that a table of systems is read against (Chen et al.:
    Microsoft COCO Captions, 2015, table 1, where one more caption of each image was collected for
    it). A caption is scored with one reference less than a system's candidates are: state the
    number with the row.

    Parameters
    ----------
    references : sequence of sequences of captions
        The references of each image. Those of an image with a single one are not scored.
    metrics : str or iterable of str, optional
        Names as :func:`metrics.resolve` takes them.
    tokenize : callable, optional
        Turns a string into tokens.
    documents
        As for :func:`metrics.score`. Frequencies count all references, the scored one included.

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
    inputs = _each_as_candidate(references)
    check_documents(inputs, documents, wanted)

    batches = split(inputs, documents, COMPARISONS)
    documents = documents_of(batches, wanted, tokenize, documents)
    totals = Totals(len(inputs.candidates), wanted)
    for batch in batches:
        _add(
            batch, compare(gather(batch, tokenize, documents), wanted), totals
        )

    unscored = totals.used == 0
    captions = {
        name: np.where(unscored, np.nan, row)
        for name, row in totals.scores.items()
    }

    return Scores(totals.figures(), captions)


def _each_as_candidate(references: Sequence[Sequence[Caption]]) -> Inputs:
    inputs = check(references, [], [])
    candidates = [caption for captions in references for caption in captions]
    image = np.repeat(np.arange(len(references)), inputs.reference_counts)

    return check(references, candidates, image)


def _add(batch: Inputs, compared: Compared, totals: Totals) -> None:
    """Add the scores of each reference of a batch with all others of its image."""
    order = own_last(compared.corpus)

    totals.add_used(
        batch.candidate_number,
        compared,
        order,
        compared.accumulate(order),
        used=compared.corpus.reference_counts - 1,
    )
