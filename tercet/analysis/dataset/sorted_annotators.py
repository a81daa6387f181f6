"""Doubt whether annotators are people: in a file of sorted answers they are columns."""

import re

import pandas as pd

LEAST_ITEMS = 20
"""Items with different answers by which sorted ones are told from chance: odds of 1 to 500,000."""
ARE_COLUMNS = "annotators may be columns, not people"


def are_sorted(item: pd.Series, annotator: pd.Series, value: pd.Series) -> bool:
    """Return whether the answers to an item never fall, or never rise, from annotator to annotator.

    Published files sometimes hold the answers to each item in ascending order: the first
    "annotator" is then the lowest answer. Names are compared with their numbers as numbers.

    Parameters
    ----------
    item, annotator, value
        What was answered, by whom, and the answer as a number: N rows. Those without an annotator
        are left out.
    """
    rows = pd.DataFrame({"item": item.to_numpy(), "value": value.to_numpy()})
    rows["name"] = annotator.map(_with_long_numbers).to_numpy()
    named = rows[rows["name"] != ""].sort_values(["item", "name"], kind="stable")

    is_same_item = named["item"].eq(named["item"].shift())
    steps = named["value"].diff()[is_same_item]
    items = named.loc[steps.index, "item"]
    rising: int = items[steps > 0].nunique()
    falling: int = items[steps < 0].nunique()

    return min(rising, falling) == 0 and max(rising, falling) >= LEAST_ITEMS


def _with_long_numbers(name: str) -> str:
    return re.sub(r"\d+", lambda match: match[0].zfill(12), name)


def ratings_are_sorted(ratings: pd.DataFrame) -> bool:
    """Return whether the ratings (`RATINGS`) of each caption are sorted by annotator."""
    item = ratings["image"].str.cat(ratings[["caption", "source", "aspect"]], sep="\0")
    value = pd.to_numeric(ratings["rating"], errors="coerce")
    return are_sorted(item, ratings["annotator"], value)


def votes_are_sorted(votes: pd.DataFrame) -> bool:
    """Return whether the votes (`VOTES`) on each question are sorted by annotator."""
    item = votes["pair"] + "\0" + votes["reference"]
    value = votes["choice"].map({"B": 0.0, "tie": 0.5, "C": 1.0})
    return are_sorted(item, votes["annotator"], value)
