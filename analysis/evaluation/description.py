"""Describe what a result is made with: data, options, versions, and what was left out."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import version

from tercet import __version__, metrics
from tercet.analysis.scoring.learned import made_with
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.selection import metrics_left_out
from tercet.analysis.tables.schema import DIGEST_VERSION, SIMULATED, Dataset
from tercet.metrics.selection import Selection

VERSION = __version__
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "matplotlib",
    "numba",
    "PyStemmer",
    "pycocoevalcap",
)


def describe(
    dataset: Dataset, options: Options, other: Dataset | None
) -> dict[str, object]:
    """Describe data, options and versions."""
    against = {"against_sha256": other.sha256} if other else {}
    votes = dataset.valid_votes
    simulated = votes["annotator"].str.startswith(SIMULATED)

    return {
        "dataset": dataset.info.get("title", ""),
        "sha256": dataset.sha256,
        "digest": DIGEST_VERSION,
        "protocol": dataset.protocol if len(dataset.pairs) else "ratings",
        "votes": len(votes),
        "simulated_votes": int(simulated.sum()),
        "options": asdict(options),
        "interval": "95 % percentile bootstrap over images and over draws",
        "metrics_left_out": metrics_left_out(options),
        "versions": {"tercet": VERSION} | _package_versions(),
        **against,
    }


@cache
def _package_versions() -> dict[str, str]:
    """Return the version of each package that figures depend on; reading them takes time."""
    return {name: version(name) for name in PACKAGES}


def describe_fits(
    selections: Sequence[Selection], options: Options
) -> dict[str, list[str]]:
    """Describe what decided the scores besides data and options: packages, and fits."""
    extras: list[str] = []
    composites: list[str] = []

    for selection in selections:
        extras += metrics.made_with(selection.built_in)
        composites += selection.made_with()
    if options.learn:
        composites.append(made_with(options))

    found = {
        "extras": list(dict.fromkeys(extras)),
        "composites": list(dict.fromkeys(composites)),
    }
    return {name: lines for name, lines in found.items() if lines}
