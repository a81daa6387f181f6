"""An image's references ranked by a metric (CIDEr paper, appendices II and IV)."""

from dataclasses import asdict

import pandas as pd

from analysis.evaluation.options import RESAMPLES
from analysis.evaluation.results import Results
from analysis.evaluation.scoring import TOKENIZERS
from analysis.findings.finding import Content, Definition
from analysis.stats.accuracy import Resamples
from analysis.stats.ranking import rank_correlation, rank_references

FIRST, SECOND = "CIDEr", "CIDEr-D"
MEANING = (
    "Every reference scored against the other references of its image: the first rank is the "
    f"most consensual caption. rho is Spearman's, of the ranks by {FIRST} and by {SECOND} "
    "within an image, as the mean over images with its 95 % interval."
)
EXAMPLE_ENDS = 5
"""Rows of the example from either end."""


def ranking(results: Results) -> Content:
    """Rank each reference among those of its image, by CIDEr and by CIDEr-D."""
    options, references = results.options, results.references
    ranked = rank_references(
        references, (FIRST, SECOND), TOKENIZERS[options.tokenizer]
    )

    images = references["image"].nunique()
    generator = options.generator(RESAMPLES, 1)
    weights = Resamples.make(options.resamples, images, 1, generator).images
    correlation = rank_correlation(ranked, FIRST, SECOND, weights)

    return Content(
        tables={
            "ranking_correlation": pd.DataFrame([asdict(correlation)]),
            "ranking_example": _example(ranked),
            "ranking": _side_by_side(ranked),
        },
        notes=(correlation.reason,) if correlation.reason else (),
    )


def _side_by_side(ranked: pd.DataFrame) -> pd.DataFrame:
    """Return one row per reference, with both metrics in columns."""
    tables = []
    for name in (FIRST, SECOND):
        own = ranked[ranked["metric"] == name].drop(columns="metric")
        tables.append(
            own.rename(
                columns={"score": f"{name} score", "rank": f"{name} rank"}
            )
        )

    one, other = tables
    return one.merge(other, on=["image", "number", "caption"], sort=False)


def _example(ranked: pd.DataFrame) -> pd.DataFrame:
    """Return the first image's most and least consensual references, by CIDEr."""
    first = ranked[ranked["image"] == ranked["image"].iloc[0]]
    table = _side_by_side(first).sort_values(f"{FIRST} rank", kind="stable")

    if len(table) <= 2 * EXAMPLE_ENDS:
        return table
    return pd.concat([table.head(EXAMPLE_ENDS), table.tail(EXAMPLE_ENDS)])


DEFINITION = Definition(
    name="ranking",
    title="References ranked by a metric",
    source="CIDEr paper, appendices II and IV",
    meaning=MEANING,
    needs=(),
    make=ranking,
)
