"""Quality of ratings: how far each rater can be trusted. People are flagged, never dropped.

`ratings` has one row for each aspect of each valid answer, with the columns answer, question,
annotator, purpose ("study" or "", "gold", "repeat"), seconds, active_seconds (NaN where unknown),
right (1 or 0 for an answer to a question with a known range, else NaN), aspect, and rating (NaN for
"can't tell"). Strictness is no fault: mean and spread are stated and raise no flag.
"""

import numpy as np
import pandas as pd
import scipy

from tercet.analysis.stats.people.annotator_quality import (
    REPEAT,
    STUDY,
    FlagRules,
    is_improbable,
    speed,
)

FLAGS = ("gold", "repeats", "fast", "constant", "contrary")
_LEAST_RATINGS = 20
"""With fewer answers nobody is flagged."""
_SAME_SHARE = 0.95
"""The share of one grade, in every aspect, from which on one is flagged."""
_COUNTS = ("votes", "gold", "gold_right", "repeats", "timed", "others")
_ITEM = ["question", "aspect"]


def raters(ratings: pd.DataFrame, rules: FlagRules) -> pd.DataFrame:
    """Measure how far each named rater can be trusted; `ratings` are as described above.

    Returns
    -------
    DataFrame
        A row for each annotator, by name; NaN where there is nothing to tell from. Columns:

        - annotator; votes: answers to the study's own questions;
        - gold, gold_right, gold_p: as in `annotator_quality.annotators`;
        - repeats: ratings given again; repeat_difference: their mean absolute difference;
          repeat_chance: that of two of the person's ratings at random;
        - seconds, timed, fast: as in `annotator_quality.annotators`;
        - same: the share of the most frequent grade, in the aspect where it is smallest;
        - others: ratings of captions that others have rated; correlation: Pearson's with the mean
          of these others, each minus the mean of its aspect;
        - mean, spread: of all ratings (standard deviation);
        - flags: a tuple of those of `FLAGS` that apply.
    """
    named = ratings[ratings["annotator"] != ""]
    study = named[named["purpose"].isin(STUDY)]
    own = study.drop_duplicates("answer")
    by_person = study.groupby("annotator")["rating"]
    names = pd.Index(sorted(set(named["annotator"])), name="annotator", dtype=str)

    parts: list[pd.DataFrame | pd.Series] = [
        own.groupby("annotator").size().rename("votes"),
        _gold(named.drop_duplicates("answer"), rules),
        _repeats(named, study),
        speed(own, rules),
        _sameness(study),
        _agreement(ratings[ratings["purpose"].isin(STUDY)]),
        pd.DataFrame({"mean": by_person.mean(), "spread": by_person.std()}),
    ]
    table = pd.DataFrame(index=names).join(parts)
    counts = list(_COUNTS)
    table[counts] = table[counts].fillna(0).astype(int)
    return table.assign(flags=_flags(table, rules)).reset_index()


def _gold(answers: pd.DataFrame, rules: FlagRules) -> pd.DataFrame:
    checks = answers[answers["right"].notna() & ~answers["purpose"].isin(REPEAT)]
    by_person = checks.groupby("annotator")["right"]
    counts = pd.DataFrame({"gold": by_person.size(), "gold_right": by_person.sum()})
    p = scipy.stats.binom.cdf(counts["gold_right"], counts["gold"], rules.gold_accuracy)
    return counts.assign(gold_p=p)


def _repeats(named: pd.DataFrame, study: pd.DataFrame) -> pd.DataFrame:
    keys = ["annotator", *_ITEM]
    again = named[named["purpose"].isin(REPEAT)]
    both = again.merge(study[[*keys, "rating"]], on=keys, suffixes=("", "_first"))
    difference = (both["rating"] - both["rating_first"]).abs().dropna()
    found = difference.groupby(both["annotator"]).agg(["size", "mean"])
    by_aspect = study.groupby(["annotator", "aspect"])["rating"].agg(_mean_difference)
    chance = by_aspect.groupby("annotator").mean().rename("repeat_chance")
    return found.set_axis(["repeats", "repeat_difference"], axis=1).join(
        chance, how="outer"
    )


def _mean_difference(ratings: "pd.Series[float]") -> float:
    """Return the mean absolute difference of two ratings (Gini)."""
    values = np.sort(ratings.dropna().to_numpy())
    count = len(values)
    if count < 2:
        return np.nan
    ranks = 2 * np.arange(count) - count + 1
    return float(2 * (ranks * values).sum() / (count * (count - 1)))


def _sameness(study: pd.DataFrame) -> "pd.Series[float]":
    given = study[study["rating"].notna()]
    counts = given.groupby(["annotator", "aspect", "rating"]).size()
    by_aspect = counts.groupby(["annotator", "aspect"])
    share = by_aspect.max() / by_aspect.sum()
    return share.groupby("annotator").min().rename("same")


def _agreement(study: pd.DataFrame) -> pd.DataFrame:
    """Correlate each person's ratings with the mean of the others' on the same captions."""
    given = study[study["rating"].notna()].copy()
    given["rating"] -= given.groupby("aspect")["rating"].transform("mean")
    items = given.groupby(_ITEM)["rating"]
    count = items.transform("size") - 1
    rest = items.transform("sum") - given["rating"]
    shared = given.assign(rest=rest / count.where(count > 0)).dropna(subset=["rest"])
    shared = shared[shared["annotator"] != ""]

    rows = {}
    for name, own in shared.groupby("annotator"):
        x, y = own["rating"].to_numpy(), own["rest"].to_numpy()
        varies = len(own) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
        correlation = np.corrcoef(x, y)[0, 1] if varies else np.nan
        rows[name] = {"others": len(own), "correlation": correlation}
    columns = ["others", "correlation"]
    return pd.DataFrame.from_dict(rows, "index", dtype=float, columns=columns)


def _flags(table: pd.DataFrame, rules: FlagRules) -> pd.Series:
    has_many = table["votes"] >= _LEAST_RATINGS
    least = rules.least_checks
    fast = table["fast"] >= rules.fast_share
    raised = {
        "gold": is_improbable(table["gold_p"], table["gold"], least, rules),
        "repeats": (table["repeat_difference"] >= table["repeat_chance"])
        & (table["repeat_chance"] > 0)
        & (table["repeats"] >= least),
        "fast": fast | (table["seconds"] < rules.fast_median * rules.fastest),
        "constant": table["same"] >= _SAME_SHARE,
        "contrary": (table["correlation"] <= 0) & (table["others"] >= _LEAST_RATINGS),
    }
    by_flag = pd.DataFrame(raised)[list(FLAGS)].mul(has_many, axis=0)
    names = [tuple(by_flag.columns[row]) for row in by_flag.to_numpy(dtype=bool)]
    return pd.Series(names, index=table.index, dtype=object)
