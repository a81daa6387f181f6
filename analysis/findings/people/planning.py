"""How many pairs and votes a study needs, from this study's own data."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, Definition
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.people.people import sizes
from tercet.analysis.findings.sentences import planning_sentence
from tercet.analysis.stats.planning import (
    design_effect,
    pairs_needed,
    power_of,
    share_differing,
    votes_saved,
)
from tercet.analysis.texts import gettext as _
from tercet.metrics import FloatArray

MEANING = _(
    "The pairs with which a study like this one finds a difference of so many points between "
    "two of the main metrics, at 80 % power and 5 % error (McNemar), by how often the two "
    "differed here and how alike the pairs of an image are (design effect); and the share of "
    "votes saved where a pair's voting ends once its lead exceeds the votes left, which changes "
    "no majority of votes; power is that of as many pairs as there are here."
)
NO_VOTES = _("There are no single votes: the winners were published.")
_ONE_METRIC = _("There is one metric only: nothing to tell apart.")
POINTS = (0.02, 0.05, 0.1)


def planning(results: Results) -> Content:
    """Tabulate the pairs for a wished difference, and the votes that early stopping saves."""
    tallies = results.scored.tallies
    credit = {
        name: results.credit(tallies[name].preferred) for name in results.headline
    }

    rows: list[dict[str, object]] = []
    for a, b in combinations(credit, 2):
        rows += [
            {"metric_a": a, "metric_b": b} | row
            for row in _plan(results, credit[a], credit[b])
        ]

    plans, saved, notes = pd.DataFrame(rows), pd.DataFrame(), []
    if not rows:
        notes.append(_ONE_METRIC)

    most = int(results.people.votes.sum(axis=1).max())
    if most:
        saved = votes_saved(results.people.votes, sizes(most))
    else:
        notes.append(NO_VOTES)

    return Content(
        {"votes_saved": saved, "planning": plans},
        notes=tuple(notes),
        sentence=planning_sentence(results, plans, saved),
    )


def _plan(
    results: Results, a: FloatArray, b: FloatArray
) -> Iterator[dict[str, object]]:
    """Yield a row for each number of points, for two metrics with credit (P,) each."""
    counted = ~np.isnan(a - b)
    if not counted.any():
        return

    difference = (a - b)[counted]
    differing = share_differing(a[counted], b[counted])
    row: dict[str, object] = {"difference": difference.mean(), "differing": differing}
    try:
        effect = design_effect(difference, results.scored.pairs.image[counted])
    except ValueError as error:
        yield row | {"reason": error.args[0]}
        return

    for points in POINTS:
        needed = _needed(points, differing, effect, len(difference))
        yield row | {"design_effect": effect, "points": 100 * points} | needed


def _needed(
    points: float, differing: float, effect: float, pairs: int
) -> dict[str, object]:
    """Return the pairs that find such a difference, and the power of as many as there are."""
    try:
        return {
            "pairs_needed": pairs_needed(points, differing, design_effect=effect),
            "power": power_of(pairs, points, differing, effect),
        }
    except ValueError as error:
        return {"reason": error.args[0]}


DEFINITION = Definition(
    name="planning",
    title=_("Planning a study"),
    source=_("Beside the CIDEr paper: McNemar, 1947; Connor, 1987"),
    meaning=MEANING,
    needs=(PAIRS,),
    make=planning,
)
