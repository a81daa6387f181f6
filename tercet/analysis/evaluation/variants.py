"""How many variants metrics from outside were chosen from, and what that means for a p value."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tercet.metrics import TextMetric


@dataclass(frozen=True)
class Family:
    """The variants of a metric: those evaluated, and how many were tried at least."""

    name: str
    members: tuple[str, ...]
    variants: int

    @property
    def is_complete(self) -> bool:
        return len(self.members) == self.variants


def families(
    outside: Mapping[str, TextMetric], tried: Mapping[str, int]
) -> dict[str, Family]:
    """Return the family of each metric from outside, by its name.

    Parameters
    ----------
    outside : mapping from name to metric
    tried : mapping from family to int
        How many variants the user has tried, as far as that was recorded.
    """
    metrics = outside.values()
    found: dict[str, Family] = {}
    for name in dict.fromkeys(each.stated_family for each in metrics):
        own = [each for each in metrics if each.stated_family == name]
        stated = max(each.variants_tried for each in own)
        variants = max(stated, len(own), tried.get(name, 0))
        family = Family(name, tuple(each.name for each in own), variants)
        found |= dict.fromkeys(family.members, family)

    return found


def for_best_of_n(tests: pd.DataFrame, of: Mapping[str, Family]) -> pd.DataFrame:
    """Multiply the adjusted p of tests by how many variants either metric was chosen from.

    Parameters
    ----------
    tests : DataFrame
        Columns metric_a, metric_b, p_adjusted.
    of : mapping from metric to Family
        The families that p is adjusted for; two members of one count once.

    Returns
    -------
    DataFrame
        With the column variants, that number; as it was where it is 1 in all rows.
    """
    variants = []
    for both in zip(tests["metric_a"], tests["metric_b"], strict=True):
        by_family = {of[name].name: of[name].variants for name in both if name in of}
        variants.append(int(np.prod([*by_family.values()], initial=1)))
    if max(variants, default=1) == 1:
        return tests

    p_adjusted = np.minimum(tests["p_adjusted"] * variants, 1.0)
    return tests.assign(p_adjusted=p_adjusted, variants=variants)
