"""What one printed name of a metric may stand for: versions, smoothing and weights of ours."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tercet.metrics import Corpus, FloatArray, IntArray, Order, compare
from tercet.metrics.ngram.bleu import BleuComparison
from tercet.metrics.ngram.rouge import PAPER_BETA, rouge_l
from tercet.metrics.registry import built_in_names

_CIDER = ("CIDEr-D", "CIDEr", "CIDEr-stem")
_BETAS = {"ROUGE-L, beta 2": PAPER_BETA, "ROUGE-L, beta 1": 1.0}
UNSMOOTHED, ADD_ONE = "not smoothed", "add-one from 2-grams on"
Curves = dict[str, FloatArray]
"""Scores (candidates, K) by variant."""


def variants_of(metric: str) -> tuple[str, ...]:
    """Return what a metric may stand for, itself first; nothing where it is not built in."""
    if metric not in built_in_names():
        return ()
    if metric in _CIDER:
        return (metric, *(name for name in _CIDER if name != metric))
    if metric == "ROUGE-L":
        return (metric, *_BETAS)
    if metric.startswith("BLEU-"):
        return (metric, f"{metric}, {UNSMOOTHED}", f"{metric}, {ADD_ONE}")
    return (metric,)


def variant_curves(
    corpus: Corpus, metric: str, orders: Iterable[Order]
) -> Iterator[Curves]:
    """Yield the scores by all variants of a metric, for each order of the references."""
    names = variants_of(metric)
    compared = compare(corpus, [name for name in names if "," not in name])
    with_beta = {}
    if metric == "ROUGE-L":
        common = rouge_l(corpus)
        with_beta = {name: replace(common, beta=beta) for name, beta in _BETAS.items()}

    for order in orders:
        curves = compared.accumulate(order)
        for name, each in with_beta.items():
            [curves[name]] = each.accumulate(order).values()
        for comparison in compared.comparisons:
            if isinstance(comparison, BleuComparison):
                counts = comparison.counts(order)
                for rule in (UNSMOOTHED, ADD_ONE):
                    score = _bleu(*counts, is_added=rule == ADD_ONE)
                    curves[f"{metric}, {rule}"] = corpus.where_enough(score)
        yield curves


def _bleu(
    matched: IntArray,
    guessed: IntArray,
    length: IntArray,
    closest: IntArray,
    *,
    is_added: bool,
) -> FloatArray:
    """Return BLEU (candidates, K) without the constants of COCO's; see `metrics.ngram.bleu`."""
    orders = len(matched)
    added = is_added * (np.arange(orders) > 0).reshape(-1, 1, 1)
    shares = (matched + added) / np.maximum(guessed + added, 1)
    brevity = np.exp(np.minimum(1 - closest / np.maximum(length, 1), 0))
    score: FloatArray = shares.prod(axis=0) ** (1 / orders) * brevity
    return score
