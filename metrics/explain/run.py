"""Explain the scores of one image of a run, weighed by the document frequencies of all of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metrics.batches import count, split
from metrics.cider import STEM
from metrics.corpus import Documents, Tokenize
from metrics.document_frequencies import DocumentFrequencies
from metrics.explain import explain
from metrics.explain.explanation import Explanation
from metrics.inputs import Caption, Inputs
from metrics.registry import weighed


def explain_image(
    given: Inputs,
    image: int,
    metrics: Sequence[str],
    tokenize: Tokenize,
    documents: Documents,
) -> list[tuple[Caption, list[Explanation]]]:
    """Explain the scores of each candidate of an image.

    Parameters
    ----------
    given : Inputs
        All captions of the run.
    image : int
        The number of the image.
    metrics : sequence of str
        Names as the tables have them.
    tokenize, documents
        As for :func:`metrics.score`.

    Returns
    -------
    list of (caption, list of Explanation)
        The candidates of the image, with an explanation by each metric.
    """
    references = given.references[image]
    table = None
    if weighed(metrics):
        table = table_of(
            given,
            tokenize,
            documents,
            stems=STEM in metrics,
            references=len(references),
        )

    explained = []
    for number in np.flatnonzero(given.candidate_image == image).tolist():
        candidate = given.candidates[number]
        by_metric = [
            explain(
                references=references,
                candidate=candidate,
                metric=name,
                tokenize=tokenize,
                documents=table,
            )
            for name in metrics
        ]
        explained.append((candidate, by_metric))

    return explained


def table_of(
    given: Inputs,
    tokenize: Tokenize,
    documents: Documents,
    *,
    stems: bool,
    references: int,
) -> DocumentFrequencies:
    """Count the document frequencies that an image with so many references is scored with."""
    if isinstance(documents, DocumentFrequencies):
        return documents

    if documents == "k":
        first = [captions[:references] for captions in given.references]
        given = replace(given, references=first)

    batches = split(given, "pool")

    return count(batches, tokenize, stems, rows=documents == "rows")
