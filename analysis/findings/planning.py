"""How many pairs and votes a study needs, from this study's own data."""

from itertools import combinations

import numpy as np
import pandas as pd

from analysis.evaluation.evidence import Evidence
from analysis.findings.finding import Finding
from analysis.findings.people import NO_VOTES, sizes
from analysis.stats.planning import (
    design_effect,
    pairs_needed,
    power_of,
    share_differing,
    votes_saved,
)
from metrics import FloatArray

POINTS = (0.02, 0.05, 0.1)


def planning(evidence: Evidence) -> Finding:
    """Pairs for a wished difference of every two metrics, and votes that early stopping saves."""
    credit = {name: evidence.credit(t.preferred) for name, t in evidence.judged.tallies.items()}
    rows = [row for a, b in combinations(credit, 2) for row in plan(evidence, a, b, credit)]
    most = int(evidence.votes.sum(axis=1).max())
    saved = {"votes_saved": votes_saved(evidence.votes, sizes(most))} if most else {}
    return Finding(
        "planning",
        "Planning a study",
        "Beside the CIDEr paper: McNemar, 1947; Connor, 1987",
        "The pairs with which a study like this one finds a difference of so many points between "
        "two metrics, at 80 % power and 5 % error (McNemar), by how often the two differed here "
        "and how alike the pairs of an image are (design effect); and the share of votes saved "
        "where a pair's voting ends once its lead exceeds the votes left, which changes no "
        "majority of votes; power is that of as many pairs as there are here.",
        tables=saved | {"planning": pd.DataFrame(rows)},
        notes=(
            *([] if rows else ["There is one metric only: nothing to tell apart."]),
            *([] if saved else [NO_VOTES]),
        ),
    )


def plan(
    evidence: Evidence, a: str, b: str, credit: dict[str, FloatArray]
) -> list[dict[str, object]]:
    """A row for each number of points."""
    counted = ~np.isnan(credit[a] - credit[b])
    one, other = credit[a][counted], credit[b][counted]
    if not counted.any():
        return []
    difference, differing = one - other, share_differing(one, other)
    columns = {
        "metric_a": a,
        "metric_b": b,
        "difference": difference.mean(),
        "differing": differing,
    }
    try:
        effect = design_effect(difference, evidence.judged.pairs.image[counted])
        return [
            columns
            | {"design_effect": effect, "points": 100 * points}
            | needed(points, differing, effect, len(difference))
            for points in POINTS
        ]
    except ValueError as error:
        return [columns | {"reason": str(error)}]


def needed(points: float, differing: float, effect: float, pairs: int) -> dict[str, object]:
    """The pairs that find such a difference, and the power of as many pairs as there are."""
    try:
        return {
            "pairs_needed": pairs_needed(points, differing, design_effect=effect),
            "power": power_of(pairs, points, differing, effect),
        }
    except ValueError as error:
        return {"reason": str(error)}
