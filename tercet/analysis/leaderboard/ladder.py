"""The ladder: show a new best only where it is better than the last by more than noise.

Each score that is shown tells something about the hidden references. Who tries many small changes
and keeps those that score better fits the noise of the references, and the leaderboard no longer
tells how well a system does on other images. The ladder bounds this (Blum and Hardt, The Ladder: A
Reliable Leaderboard for Machine Learning Competitions, ICML 2015, section 4: the parameter-free
version, whose step is one standard error of the paired difference).
"""

from collections.abc import Sequence

from tercet.analysis.leaderboard.scores import CountScores


def shown_bests(systems: Sequence[CountScores], metric: str) -> list[int]:
    """Find out, after each submission, which of them is the best that is shown.

    Parameters
    ----------
    systems
        The submissions of one submitter in the order in which they were made, with one reference
        count, on the same images and resamples.
    metric
        Ranks them; higher is better.

    Returns
    -------
    list of int
        After each submission the index of the one whose figure is shown: its own, if it beats that
        shown before by more than the standard error of their difference, which is the standard
        deviation over paired resamples of the images.
    """
    shown: list[int] = []

    for number, system in enumerate(systems):
        best = number
        if shown and not is_better(system, systems[shown[-1]], metric):
            best = shown[-1]
        shown.append(best)

    return shown


def is_better(new: CountScores, best: CountScores, metric: str) -> bool:
    """Return whether a figure is larger by more than the standard error of the difference."""
    figures = new.figures(new.sums)
    best_figures = best.figures(best.sums)
    gain = figures[metric] - best_figures[metric]

    resampled = new.figures(new.resampled)
    best_resampled = best.figures(best.resampled)
    error = (resampled[metric] - best_resampled[metric]).std()
    return bool(gain > error)
