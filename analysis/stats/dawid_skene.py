"""The Dawid-Skene model: what each item's true choice is, and how each annotator errs.

An item has a true class, drawn from `prior`; an annotator who meets class t chooses class c with
the probability `confusion[annotator, t, c]`, whatever others do. Expectation maximisation finds
all three from the votes alone (Dawid and Skene 1979, Maximum likelihood estimation of observer
error-rates using the EM algorithm, Applied Statistics 28, 20-28, equations 2.3 to 2.5).

Arrays: V votes, I items, A annotators, K classes. Class 0 is B, 1 is C and 2 "can't tell".
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from metrics import FloatArray, IntArray

TIED = 2
RIGHT = 0.8
"""How often an annotator of whom nothing is known is supposed to vote as the truth."""
SMALLEST = 1e-10
"""No probability is smaller, so that each has a logarithm."""
TOLERANCE = 1e-6
"""The model is found where a step changes no probability of a true class by more."""
DECIMALS = 9
"""Log-likelihoods that differ only beyond these are equal: otherwise the order of adding up would
tip an even balance, and every step tip it further."""


@dataclass(frozen=True)
class Fit:
    """The model of some votes.

    posterior (I, K): the probability of each item's true class; confusion (A, K, K): by annotator
    and true class, the probability of each choice; prior (K,): of each class among the items.
    steps: how many were taken; converged: whether the last one changed nothing to speak of.
    """

    posterior: FloatArray
    confusion: FloatArray
    prior: FloatArray
    steps: int
    converged: bool

    @property
    def reliability(self) -> FloatArray:
        """How probably each annotator votes as the truth, (A,) in 0..1, over true classes as
        frequent as the prior has them."""
        reliability: FloatArray = np.einsum("att,t->a", self.confusion, self.prior)
        return reliability


def dawid_skene(
    item: IntArray,
    annotator: IntArray,
    choice: IntArray,
    classes: int = 2,
    smoothing: float = 5.0,
    most_steps: int = 500,
) -> Fit:
    """Fit the model to votes: `item`, `annotator` and `choice`, (V,) each, count from 0.

    The start is each item's shares of votes. Each annotator is given `smoothing` imaginary votes
    on items of every true class, of which the share `RIGHT` is right, and the prior as many items,
    evenly spread over the classes: the means of Dirichlet distributions. So annotators begin as
    fairly good ones, nobody is infallible, and no class turns into another where votes are few:
    plain maximum likelihood (0) does worse than the majority at ten or twenty votes a person.
    Some thirty real votes outweigh five imaginary ones. An item without votes has the prior for
    its posterior.
    """
    votes = by_item(item, annotator * classes + choice, classes)
    imagined = smoothing * fairly_good(classes)
    posterior = shares_of_votes(votes, classes)
    change, steps = np.inf, 0
    while change > TOLERANCE and steps < most_steps:
        before, posterior = posterior, expected(votes, *estimated(votes, posterior, imagined))
        change, steps = float(np.abs(posterior - before).max(initial=0)), steps + 1
    prior, confusion = estimated(votes, posterior, imagined)
    return Fit(posterior, confusion, prior, steps, change <= TOLERANCE)


def winners(fit: Fit) -> IntArray:
    """The most probable class of each item, (I,); a tie (2) where several are equally so."""
    highest = fit.posterior.max(axis=1, keepdims=True)
    equal = (fit.posterior == highest).sum(axis=1)
    return np.where(equal > 1, TIED, fit.posterior.argmax(axis=1))


def by_item(item: IntArray, annotator_and_choice: IntArray, classes: int) -> csr_array:
    """How often each annotator chose each class on each item, (I, A K)."""
    annotators = annotator_and_choice.max(initial=-1) // classes + 1
    shape = (int(item.max(initial=-1)) + 1, int(annotators) * classes)
    return csr_array((np.ones(len(item)), (item, annotator_and_choice)), shape=shape)


def fairly_good(classes: int) -> FloatArray:
    """The confusion (K, K) of an annotator of whom nothing is known."""
    wrong = np.full((classes, classes), (1 - RIGHT) / (classes - 1))
    return np.where(np.eye(classes, dtype=bool), RIGHT, wrong)


def shares_of_votes(votes: csr_array, classes: int) -> FloatArray:
    """The share of each item's votes that each class has, (I, K): the soft majority."""
    choices = np.tile(np.eye(classes), (votes.shape[1] // classes, 1))
    return normalised(votes @ choices)


def estimated(
    votes: csr_array, posterior: FloatArray, imagined: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The prior (K,) and confusion (A, K, K) to which these true classes lead: step M."""
    classes = len(imagined)
    chosen = (votes.T @ posterior).reshape(-1, classes, classes)
    items = posterior.sum(axis=0) + imagined.sum() / classes**2
    return normalised(items), normalised(chosen.transpose(0, 2, 1) + imagined)


def expected(votes: csr_array, prior: FloatArray, confusion: FloatArray) -> FloatArray:
    """The true classes (I, K) to which prior and confusion lead: step E."""
    by_choice = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(prior))
    likelihood = np.asfortranarray(votes @ by_choice) + np.log(prior)  # reduced by class, faster
    likelihood -= likelihood.max(axis=1, keepdims=True)
    return normalised(np.exp(likelihood.round(DECIMALS)))


def normalised(weights: FloatArray) -> FloatArray:
    """Weights as probabilities that add up to one over the last axis."""
    above_zero = np.maximum(weights, SMALLEST)
    probabilities: FloatArray = above_zero / above_zero.sum(axis=-1, keepdims=True)
    return probabilities
