"""The Dawid-Skene model: what each item's true choice is, and how each annotator errs.

An item has a true class, drawn from `prior`; an annotator who meets class t chooses class c with
the probability `confusion[annotator, t, c]`, whatever others do. Expectation maximisation finds
all three from the votes alone (Dawid and Skene 1979, Maximum likelihood estimation of observer
error-rates using the EM algorithm, Applied Statistics 28, 20-28, equations 2.3 to 2.5).

Without smoothing, each step gives the same numbers as that of crowd-kit 1.4.2. Two things differ
by default, and matter where each annotator has few votes. crowd-kit has no smoothing; and it
stops where the likelihood hardly rises, after some 16 to 57 steps of 60 simulated items with
three votes each, when posteriors still move: they changed by up to 1.0 in the steps after. On the
same votes, posteriors with five imaginary votes differed by up to .94 from crowd-kit's.

Arrays: V votes, I items, A annotators, K classes. Class 0 is B, 1 is C and 2 "can't tell".
"""

from dataclasses import dataclass

import numpy as np
import scipy

from tercet.analysis.stats.resampling import group_count
from tercet.metrics import FloatArray, IntArray

_TIED = 2

_EXPECTED_RELIABILITY = 0.8
"""How often an annotator of whom nothing is known is expected to choose the true class."""
_SMALLEST = 1e-10
"""No probability is smaller, so that each has a logarithm."""
TOLERANCE = 1e-6
"""The model is found where a step changes no probability of a true class by more."""
DECIMALS = 9
"""Log-likelihoods that differ only beyond these decimals are equal: otherwise the order of
addition would decide an even balance, and every step would move it further."""


@dataclass(frozen=True)
class Fit:
    """The model of some votes.

    Attributes
    ----------
    posterior
        The probability of each item's true class: shape (I, K).
    confusion
        By annotator and true class, the probability of each choice: shape (A, K, K).
    prior
        The probability of each class among the items: shape (K,).
    steps, converged
        How many steps were taken, and whether the last one changed no probability by more than
        `TOLERANCE`.
    """

    posterior: FloatArray
    confusion: FloatArray
    prior: FloatArray
    steps: int
    converged: bool

    @property
    def reliability(self) -> FloatArray:
        """How probably each annotator chooses the true class, 0..1: shape (A,).

        True classes are as frequent as the prior says.
        """
        reliability: FloatArray = np.einsum("att,t->a", self.confusion, self.prior)
        return reliability


def dawid_skene(
    item: IntArray,
    annotator: IntArray,
    choice: IntArray,
    classes: int = 2,
    smoothing: float = 5.0,
    max_steps: int = 500,
) -> Fit:
    """Fit the model to votes.

    Parameters
    ----------
    item, annotator, choice
        Of each vote, counted from 0: shape (V,) each.
    classes
        Number of classes, K.
    smoothing
        Imaginary votes that each annotator is given on items of every true class, of which the
        share `_EXPECTED_RELIABILITY` is right; the prior is given as many items, evenly spread
        over the classes. These are the means of Dirichlet distributions. So annotators begin as
        fairly good ones, nobody is infallible, and no class turns into another where votes are
        few: maximum likelihood (0) does worse than the majority at ten or twenty votes per
        person. Some thirty real votes outweigh five imaginary ones.
    max_steps
        Of expectation maximisation.

    Returns
    -------
    Fit
        The start is each item's shares of votes. An item without votes has the prior for its
        posterior.
    """
    votes = _votes_by_item(item, annotator, choice, classes)
    wrong = (1 - _EXPECTED_RELIABILITY) / (classes - 1)
    expected = np.where(np.eye(classes), _EXPECTED_RELIABILITY, wrong)
    imagined = smoothing * expected

    choices = np.tile(np.eye(classes), (votes.shape[1] // classes, 1))
    posterior = _normalised(votes @ choices)
    change = np.inf
    steps = 0

    while change > TOLERANCE and steps < max_steps:
        before = posterior
        posterior = _expectation(votes, *_maximisation(votes, posterior, imagined))

        change = float(np.abs(posterior - before).max(initial=0))
        steps += 1

    prior, confusion = _maximisation(votes, posterior, imagined)
    return Fit(posterior, confusion, prior, steps, change <= TOLERANCE)


def winners(fit: Fit) -> IntArray:
    """Return the most probable class of each item: (I,), a tie (2) where several are equally so."""
    highest = fit.posterior.max(axis=1, keepdims=True)
    equally_probable = (fit.posterior == highest).sum(axis=1)
    is_tied = equally_probable > 1
    most_probable = fit.posterior.argmax(axis=1)
    return np.where(is_tied, _TIED, most_probable)


def _votes_by_item(
    item: IntArray, annotator: IntArray, choice: IntArray, classes: int
) -> "scipy.sparse.csr_array":
    """Count how often each annotator chose each class on each item: (I, A K)."""
    items = group_count(item)
    annotators = group_count(annotator)
    shape = items, annotators * classes

    column = annotator * classes + choice
    counted = np.ones(len(item)), (item, column)
    return scipy.sparse.csr_array(counted, shape=shape)


def _maximisation(
    votes: "scipy.sparse.csr_array", posterior: FloatArray, imagined: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the prior (K,) and confusion (A, K, K) that fit these true classes: step M."""
    classes = len(imagined)
    chosen = (votes.T @ posterior).reshape(-1, classes, classes)
    items = posterior.sum(axis=0) + imagined.sum() / classes**2
    return _normalised(items), _normalised(chosen.transpose(0, 2, 1) + imagined)


def _expectation(
    votes: "scipy.sparse.csr_array", prior: FloatArray, confusion: FloatArray
) -> FloatArray:
    """Return the true classes (I, K) that fit prior and confusion: step E."""
    by_choice = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(prior))

    # In this order of memory, the maximum over classes is faster.
    likelihood = np.asfortranarray(votes @ by_choice) + np.log(prior)
    likelihood -= likelihood.max(axis=1, keepdims=True)
    rounded = likelihood.round(DECIMALS)
    return _normalised(np.exp(rounded))


def _normalised(weights: FloatArray) -> FloatArray:
    """Return weights as probabilities that add up to one over the last axis."""
    above_zero = np.maximum(weights, _SMALLEST)
    probabilities: FloatArray = above_zero / above_zero.sum(axis=-1, keepdims=True)
    return probabilities
