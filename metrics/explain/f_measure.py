"""What matches add to a mean of precision and recall."""

from typing import NamedTuple


class Slopes(NamedTuple):
    """By how much a score grows for each unit of precision, and of recall."""

    precision: float
    recall: float


def slopes(precision: float, recall: float, square: float) -> Slopes:
    """Derive F = (1 + b) P R / (R + b P) with respect to P and R.

    F doubles where P and R double, so it is P dF/dP + R dF/dR: with P and R sums over matches,
    each match has its share, and the shares add up to F.

    Parameters
    ----------
    precision, recall : float
    square : float
        b, the square of the beta that says how many times recall counts as much as precision.

    Returns
    -------
    Slopes
        Zeros where F is 0.
    """
    bottom = recall + square * precision
    if bottom == 0:
        return Slopes(0.0, 0.0)

    scale = (1 + square) / bottom**2

    return Slopes(scale * recall**2, scale * square * precision**2)
