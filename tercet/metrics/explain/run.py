"""Explain the scores of one image of a run, weighed by the document frequencies of all of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tercet.metrics.composed.composites import Composite, with_features
from tercet.metrics.corpora.corpus import Documents, named_documents
from tercet.metrics.corpora.document_frequencies import DocumentFrequencies
from tercet.metrics.explain import explain_candidate
from tercet.metrics.explain.explanation import Explanation
from tercet.metrics.ngram.cider import STEM
from tercet.metrics.registry import weighed
from tercet.metrics.score_tables import count_all
from tercet.metrics.text.inputs import Caption, Inputs
from tercet.metrics.text.tokenizers import Tokenize


def explain_image(
    given: Inputs,
    image: int,
    metrics: Sequence[str],
    composites: Sequence[Composite],
    tokenize: Tokenize,
    documents: Documents,
) -> list[tuple[Caption, list[Explanation]]]:
    """Explain the scores of each candidate of an image, by each metric, composites last.

    Parameters
    ----------
    given : Inputs
        All captions of the run.
    image : int
        The number of the image.
    metrics : sequence of str
        Names as the tables have them.
    composites : sequence of Composite
        Further metrics, fitted to the scores of the run.
    tokenize, documents
        As for :func:`metrics.score`.
    """
    references = given.references[image]
    needed = with_features([*metrics, *(each.name for each in composites)], composites)
    if weighed(needed):
        documents = table_of(
            given, tokenize, documents, stems=STEM in needed, references=len(references)
        )
    else:
        documents = "pool"

    explained = []
    for number in np.flatnonzero(given.candidate_image == image).tolist():
        candidate = given.candidates[number]
        by_metric = explain_candidate(
            references, candidate, metrics, tokenize, documents, composites
        )
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
    """Count the document frequencies that an image with `references` references is scored with."""
    documents = named_documents(documents, tokenize)
    if isinstance(documents, DocumentFrequencies):
        return documents

    if documents == "k":
        first = [captions[:references] for captions in given.references]
        given = replace(given, references=first)

    return count_all(given, tokenize, stems, rows=documents == "rows")
