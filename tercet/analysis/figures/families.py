"""Families of metrics, and the plot that each has: known without drawing any.

The family of a metric is the part of its name before the first hyphen.
"""

from collections.abc import Sequence

from tercet.analysis.scoring.headline import headline


def family(metric: str) -> str:
    """Return the family of a metric: the part of its name before the first hyphen.

    Examples
    --------
    >>> family("CIDEr-D")
    'CIDEr'
    """
    return metric.split("-")[0]


def first_of_families(names: Sequence[str]) -> list[str]:
    """Return the first metric of each family, in the order of the names."""
    return [members[0] for members in members_by_family(names)]


def metrics_by_plot(
    names: Sequence[str], chosen: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Return which metrics each accuracy plot shows, by the name of its file.

    `accuracy` shows the headline metrics, those `chosen` or the usual ones; a family that has
    further versions has a plot of its own, such as `accuracy-cider`.
    """
    shown = headline(names, chosen)
    plots = {"accuracy": shown}
    if len(shown) == len(names):
        return plots

    for members in members_by_family(names):
        has_others = not set(members) <= set(shown)
        if len(members) > 1 and has_others:
            plots[f"accuracy-{family(members[0]).lower()}"] = members

    return plots


def members_by_family(names: Sequence[str]) -> list[list[str]]:
    """Group metrics by family, in the order of each family's first metric."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(family(name), []).append(name)

    return list(groups.values())
