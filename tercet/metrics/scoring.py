"""Score candidates with all references of their images, or with the first 1, 2, ... of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.core.jit import first_calls
from tercet.metrics.corpora.corpus import Documents, named_documents
from tercet.metrics.corpora.document_frequencies import COCO, DocumentFrequencies
from tercet.metrics.corpus_scores import Totals
from tercet.metrics.outside.checks import CHECK_SHARE
from tercet.metrics.ptb import ptb
from tercet.metrics.registry import (
    Named,
    ToScore,
    measure_all,
    name_of,
    resolve,
    weighed,
)
from tercet.metrics.score_tables import (
    Note,
    ScoreTable,
    count_all,
    score_batch,
    score_tables,
)
from tercet.metrics.scores import Scores
from tercet.metrics.text.inputs import Candidates, Inputs, References, check_references
from tercet.metrics.text.inputs import check as check_captions
from tercet.metrics.text.tokenizers import Tokenize, warn_without_tokens


def score(
    *,
    references: References,
    candidates: Candidates,
    images: Sequence[int] | None = None,
    metrics: Named | Iterable[Named] | None = None,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
    files: Sequence[Path | None] | None = None,
    subset: bool = False,
    check: bool = True,
) -> Scores:
    """Score candidates with all references of their images.

    Large sets are compared in batches of images, with document frequencies counted before.

    Parameters
    ----------
    references : sequence of sequences of captions, or mapping of them by key
        The references of each image, one or more. A sequence is a list, a tuple, an array, or a
        pandas Series or Index, which is read by position. A caption is a string, or a list of
        tokens that are taken as they are.
    candidates : sequence of captions, or mapping of one caption by key
        The captions to score. If references are given by key, candidates are too, one for each
        key, and may be in lists of one, as pycocoevalcap has them; scores are in the order of the
        references.
    images : sequence of int, optional
        The number of each candidate's image, from 0. Without it, candidate i describes image i.
    metrics : str, TextMetric, or iterable of them, optional
        Names without regard to case, or "all" (see :func:`names`); and metrics from outside (see
        :func:`tercet.metric`). Without it, the seven metrics of the COCO caption evaluation:
        BLEU-1 to BLEU-4, METEOR, ROUGE-L and CIDEr-D; METEOR is left out, with a warning, where
        its data are not installed (``tercet[meteor]``).
    tokenize : callable, optional
        Turns a string into tokens: :func:`ptb`, as the COCO caption evaluation does,
        :func:`plain`, or, for scripts without spaces, :func:`characters`.
    documents : {"pool", "k", "rows", "coco-val2014"} or DocumentFrequencies, optional
        Where CIDEr counts in how many images an n-gram occurs (see :func:`corpus`): in the
        references of all images, in those of COCO val2014, or in a table from
        :func:`read_documents`.
    files : sequence of Path, optional
        The file of each image, for metrics that look at it.
    subset : bool, optional
        Leave out images without candidates, also from document frequencies.
    check : bool, optional
        Call metrics from outside once more for a tenth of the comparisons at most, to see whether
        they repeat their scores and know a reference from others.

    Returns
    -------
    Scores
        Corpus figures and caption scores.

    Raises
    ------
    TypeError
        If a caption, or a list of captions, is something else.
    ValueError
        If no metric is named or one is unknown, if an image has no references, if keys differ, if
        a token has white space, or if CIDEr is wanted with a single image as its documents.
    MetricFailed
        If a metric from outside raises an error, or answers with no score.

    Examples
    --------
    >>> scores = score(
    ...     references=[["A dog runs.", "A dog is running."], ["Two cats!"]],
    ...     candidates=["a dog runs", "cats"],
    ...     metrics=["BLEU-1", "ROUGE-L"],
    ... )
    >>> scores
    Scores(2 captions: BLEU-1 0.779, ROUGE-L 0.814)
    >>> scores.captions["ROUGE-L"]
    array([1.        , 0.62886598])
    """
    inputs = check_captions(references, candidates, images, files, subset)
    wanted = resolve(metrics)
    documents = named_documents(documents, tokenize)
    check_documents(inputs, documents, wanted)

    with first_calls(inputs.comparisons):
        measured = measure_all(
            wanted, inputs, documents, [-1], check_share=CHECK_SHARE * check
        )
        [totals] = totals_of(inputs, measured, tokenize, documents)

    sums = totals.sums()
    return Scores(sums.figures(), totals.scores, sums, inputs.keys)


def curves(
    *,
    references: References,
    candidates: Candidates,
    images: Sequence[int] | None = None,
    metrics: Named | Iterable[Named] | None = None,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
    files: Sequence[Path | None] | None = None,
    subset: bool = False,
    check: bool = True,
) -> dict[str, FloatArray]:
    """Score candidates with the first 1, 2, ... K references of their images, in their order.

    For other orders of the references, compare once with :func:`compare`, and accumulate often.

    Parameters
    ----------
    references, candidates, images, metrics, tokenize, documents, files, subset, check
        As for :func:`score`.

    Returns
    -------
    dict of str to (candidates, K) float array
        By metric: column k - 1 holds the scores with k references, NaN where the image has fewer.

    Raises
    ------
    TypeError, ValueError
        As for :func:`score`.

    Examples
    --------
    >>> captions = {"references": [["a dog", "the dog runs"]], "candidates": ["a dog runs"]}
    >>> curves(**captions, metrics="ROUGE-1")["ROUGE-1"]
    array([[1. , 0.8]])
    """
    inputs = check_captions(references, candidates, images, files, subset)
    wanted = resolve(metrics)
    check_documents(inputs, documents, wanted)

    with first_calls(inputs.comparisons):
        measured = measure_all(
            wanted, inputs, documents, check_share=CHECK_SHARE * check
        )
        [table] = score_batch(inputs, measured, tokenize, documents)

    warn_without_tokens(_without_tokens(table))
    return dict(table.scores)


def totals_of(
    captions: Inputs,
    metrics: Sequence[ToScore],
    tokenize: Tokenize,
    documents: Documents,
    counts: Sequence[int | None] = (None,),
    note: Note | None = None,
) -> list[Totals]:
    """Score candidates with the first k references, for each k in ``counts``; None stands for all.

    The other parameters are those of :func:`tercet.metrics.score_tables.score_tables`.
    """
    names = list(map(name_of, metrics))
    totals = [Totals(len(captions.candidates), names, k) for k in counts]

    empty = 0
    for table in score_tables(captions, metrics, tokenize, documents, note=note):
        empty += _without_tokens(table)
        for each in totals:
            each.add(table)

    warn_without_tokens(empty)
    return totals


def _without_tokens(table: ScoreTable) -> int:
    """Count the captions of a table of which the tokenizer left nothing."""
    corpus = table.compared.corpus
    sizes = (corpus.references.lengths, corpus.candidates.lengths)
    return sum(int(np.count_nonzero(each == 0)) for each in sizes)


def check_documents(
    given: Inputs, documents: Documents, metrics: Sequence[Named]
) -> None:
    """Raise ValueError if CIDEr is wanted and its documents are a single image."""
    wanted = weighed(metrics)
    if not wanted or documents == COCO:
        return
    if isinstance(documents, DocumentFrequencies):
        return

    counts = given.candidate_counts if documents == "rows" else given.reference_counts
    if np.count_nonzero(counts) == 1:
        raise ValueError(
            f"{wanted[0]} of one image needs a table of document frequencies, such as "
            f"documents={COCO!r} (--documents {COCO} in a shell); "
            "or give more images, or choose other metrics"
        )


def count_documents(
    references: References, tokenize: Tokenize = ptb
) -> DocumentFrequencies:
    """Count in how many images each n-gram of the references occurs.

    Parameters
    ----------
    references : sequence of sequences of captions, or mapping of them by key
        The references of each image.
    tokenize : callable, optional
        Turns a string into tokens.

    Returns
    -------
    DocumentFrequencies
        A table for the ``documents`` of :func:`score`.

    Examples
    --------
    >>> count_documents([["a dog", "the dog"], ["a cat"]]).images
    2
    """
    checked = check_references(references)
    with first_calls(int(checked.reference_counts.sum())):
        return count_all(checked, tokenize)
