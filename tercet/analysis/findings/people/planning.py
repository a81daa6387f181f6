"""How many pairs and votes a study needs, from this study's own data."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from tercet.analysis import reasons
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import NONE, ranked_headline, why_undecided
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.people.people import sizes
from tercet.analysis.number_texts import counted, fixed
from tercet.analysis.reasons import first_lack
from tercet.analysis.stats.planning import (
    about,
    design_effect,
    pairs_needed,
    power_of,
    share_differing,
    votes_saved,
)
from tercet.metrics import FloatArray

MEANING = (
    "The pairs with which a study like this one finds a difference of so many points between "
    "two of the main metrics, at 80 % power and 5 % error (McNemar), by how often the two "
    "differed here and how alike the pairs of an image are (design effect); and the share of "
    "votes saved where a pair's voting ends once its lead exceeds the votes left, which changes "
    "no majority of votes; power is that of as many pairs as there are here."
)
POINTS = (0.02, 0.05, 0.1)


@finding(
    title="Planning a study",
    source="Beside the CIDEr paper: McNemar, 1947; Connor, 1987",
    meaning=MEANING,
    needs=(PAIRS,),
)
def planning(results: Results) -> Content:
    """Tabulate the pairs for a wished difference, and the votes that early stopping saves."""
    credit = {}
    for name in results.headline:
        tally = results.samples.tallies[name]
        credit[name] = results.credit(tally.preferred)

    rows: list[dict[str, object]] = []
    for a, b in combinations(credit, 2):
        names = {"metric_a": a, "metric_b": b}
        rows.extend(names | row for row in _plan(results, credit[a], credit[b]))

    plans = pd.DataFrame(rows)
    saved = pd.DataFrame()
    notes = []
    if not rows:
        notes.append(
            first_lack(
                (len(credit) < 2, "There is one metric only: nothing to tell apart."),
                (True, why_undecided(results) or "No pair counts for two metrics."),
            )
        )

    votes = results.people.votes
    most = int(votes.sum(axis=1).max())
    if most:
        saved = votes_saved(votes, sizes(most))
    else:
        notes.append(reasons.of_votes(results.dataset.publishes_winners))

    return Content(
        {"votes_saved": saved, "planning": plans},
        notes=tuple(notes),
        sentence=planning_sentence(results, plans, saved),
    )


def _plan(
    results: Results, a: FloatArray, b: FloatArray
) -> Iterator[dict[str, object]]:
    """Yield a row for each number of points, for two metrics with credit (P,) each."""
    difference = a - b
    counted = ~np.isnan(difference)
    if not counted.any():
        return

    difference = difference[counted]
    differing = share_differing(a[counted], b[counted])
    row: dict[str, object] = {"difference": difference.mean(), "differing": differing}
    image = results.samples.pairs.image[counted]
    try:
        effect = design_effect(difference, image)
    except ValueError as error:
        yield row | {"reason": error.args[0]}
        return

    for points in POINTS:
        needed = _needed(points, differing, effect, len(difference))
        given = {"design_effect": effect, "points": 100 * points}
        yield row | given | needed


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


def planning_sentence(
    results: Results, plans: pd.DataFrame, saved: pd.DataFrame
) -> str:
    """Say how many pairs a small difference takes, and what stopping early saves."""
    parts = [*_pairs_to_plan(results, plans)]
    parts += _votes_to_save(saved)
    return " ".join(parts) if parts else NONE


def _pairs_to_plan(results: Results, plans: pd.DataFrame) -> Iterator[str]:
    """Say how many pairs tell the best headline metric and the next with a plan apart."""
    if "pairs_needed" not in plans:
        return

    planned = plans.dropna(subset="pairs_needed")
    best, *others = ranked_headline(results)
    both = planned[["metric_a", "metric_b"]]
    for other in others:
        is_shown = both.isin([best, other]).all(axis=1)
        if is_shown.any():
            row = planned[is_shown].iloc[0]
            needed = int(row["pairs_needed"])
            yield (
                f"To detect a difference of {fixed(float(row['points']), 0)} points between "
                f"{best} and {other} over all pairs with 80 % power takes about "
                f"{about(needed):,} pairs."
            )
            return


def _votes_to_save(saved: pd.DataFrame) -> Iterator[str]:
    """Say what stopping early saves, with as many votes as half of the pairs have, or more."""
    if saved.empty:
        return

    most = int(saved["pairs"].max())
    row = saved[2 * saved["pairs"] >= most].iloc[-1]
    if row["votes"] > 1:
        votes = float(row["votes"] - row["expected_votes"])
        yield (
            f"With {int(row['votes'])} votes per pair, ending the voting on a pair once its winner "
            f"can no longer change saves {fixed(votes, 1)} votes per pair on average "
            f"({fixed(100 * float(row['saved']), 1)} %; {counted(int(row['pairs']), 'pair')} with "
            "that many votes or more)."
        )
