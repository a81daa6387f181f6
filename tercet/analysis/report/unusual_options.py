"""Say in words which options of a result are not the usual ones."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tercet.analysis.number_texts import plural
from tercet.analysis.scoring.options import Options
from tercet.metrics.registry import ALL

_SAID_ELSEWHERE = {"winners"}
"""Options that a report names beside the pairs that they decide."""


def unusual_options(options: Mapping[str, Any]) -> dict[str, str]:
    """Return what differs from the usual options, in words.

    Parameters
    ----------
    options : mapping from name to value
        The fields of `Options`, as a result or a report.json has them; lists may be tuples.

    Returns
    -------
    dict from name to Text
        Such as `1,000 resamples`; empty where all options are the usual ones.
    """
    differing = {}
    for name, usual in asdict(Options()).items():
        value = options.get(name, usual)
        if isinstance(value, list):
            value = tuple(value)
        if value != usual and name not in _SAID_ELSEWHERE:
            differing[name] = _in_words(name, value)

    return differing


def are_usual(options: Mapping[str, Any]) -> bool:
    """Return whether all options are the usual ones but what people choose on a site.

    These are the reference counts, and metrics from outside.
    """
    chosen = {"counts"}
    if ALL in options.get("metrics", ()):
        chosen.add("metrics")

    return unusual_options(options).keys() <= chosen


def said_of(unusual: Mapping[str, str]) -> str:
    """Return the sentence about unusual options; empty where there are none."""
    if not unusual:
        return ""

    listed = ", ".join(list(unusual.values()))
    return f"Computed with non-default options: {listed}."


def _in_words(name: str, value: Any) -> str:
    """Return such as `5 metrics`, or the option as the command takes it."""
    if name == "metrics" and ALL in value:
        others = [each for each in value if each != ALL]
        return f"{', '.join(others)} besides the metrics of Tercet"
    if name == "metrics":
        return plural(len(value), f"{len(value)} metric", f"{len(value)} metrics")
    if name == "counts":
        return f"reference counts {', '.join(map(str, value))}"
    if name == "draws":
        return plural(
            value, f"{value:,} order of references", f"{value:,} orders of references"
        )
    if name == "resamples":
        return plural(value, f"{value:,} resample", f"{value:,} resamples")
    if name == "flips":
        return plural(value, f"{value:,} sign flip", f"{value:,} sign flips")

    flag = f"--{name.replace('_', '-')}"
    listed = ",".join(value) if isinstance(value, tuple) else value
    return flag if value is True else f"{flag} {listed}"
