"""An image's references ranked by metrics (CIDEr paper, appendices II and IV)."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from tercet.analysis.evaluation.bootstrap import image_weights
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.ranking import ranking_figure
from tercet.analysis.findings.finding import Content, Definition, Plot
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import THREE_REFERENCES
from tercet.analysis.stats.ranking import (
    rank_correlation,
    rank_references,
    ranks_against_ranks,
)
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _

PAIRS = (("CIDEr", "CIDEr-D"), ("CIDEr-1", "CIDEr-D-1"), ("BLEU-1-nobp", "ROUGE-1"))
"""Which two metrics are compared unless others are asked for, as in the CIDEr paper."""

_SHOWS = _(
    "The rank of an image's references by one metric against their rank by another"
)
MEANING = _(
    "Every reference scored against the other references of its image: the first rank is the "
    "most consensual caption. rho is Spearman's, of the ranks by two metrics within an image, as "
    "the mean over images with its 95 % interval. The plot has the mean rank by one metric of "
    "the references at each rank by the other, and the range of the central 80 %. The example is "
    "the first image with several references, its most consensual captions marked."
)
MOST_CONSENSUAL, LEAST_CONSENSUAL = "most consensual", "least consensual"
_MARKED = 3
"""Captions marked at either end of an image's ranking."""


def ranking(results: Results) -> Content:
    """Rank each reference among those of its image, by pairs of metrics."""
    options, references = results.options, results.references
    pairs = (
        [(options.rank_by[0], options.rank_by[1])] if options.rank_by else list(PAIRS)
    )
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    ranked = rank_references(references, names, results.tokenize)

    images = references["image"].nunique()
    weights = image_weights(options, images, None, 1)

    correlations = [rank_correlation(ranked, *pair, weights) for pair in pairs]
    ranks = pd.concat(
        [ranks_against_ranks(ranked, *pair) for pair in pairs], ignore_index=True
    )
    table = pd.DataFrame(map(vars, correlations))

    plot = Plot(partial(ranking_figure, ranks, table), _SHOWS)
    return Content(
        tables={
            "ranking_correlation": table,
            "ranking_example": _example(ranked, names),
            "ranking_ranks": ranks,
            "ranking": _side_by_side(ranked, names),
        },
        plots={"ranking": plot} if len(ranks) else {},
        sentence=_sentence(table),
        notes=tuple(dict.fromkeys(each.reason for each in correlations if each.reason)),
    )


def _side_by_side(ranked: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per reference, with the metrics in columns."""
    keys = ["image", "number", "caption"]
    table = ranked.loc[ranked["metric"] == names[0], keys]

    for name in names:
        own = ranked[ranked["metric"] == name].drop(columns="metric")
        own = own.rename(columns={"score": f"{name} score", "rank": f"{name} rank"})
        table = table.merge(own, on=keys, sort=False)

    return table


def _example(ranked: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the references of one image, the most consensual first, by the first metric.

    It is the first image that has several references, or else the first of all.
    """
    several = ranked.loc[ranked["number"] > 1, "image"]
    image = several.iloc[0] if len(several) else ranked["image"].iloc[0]

    first = ranked[ranked["image"] == image]
    ranks = [f"{name} rank" for name in names]

    table = _side_by_side(first, names)[["image", "number", "caption", *ranks]]
    table = table.sort_values(ranks[0], kind="stable", ignore_index=True)
    marked = min(_MARKED, len(table) // 2)

    marks = pd.Series("", index=table.index)
    marks.iloc[:marked] = MOST_CONSENSUAL
    marks.iloc[len(table) - marked :] = LEAST_CONSENSUAL
    table.insert(3, "consensus", marks)
    return table


def _sentence(correlations: pd.DataFrame) -> Text:
    """Say how far two metrics rank an image's references alike."""
    values = correlations["rho"].astype(float)
    shown = correlations.assign(rho=values).dropna(subset="rho")

    parts = [
        _(
            "The ranks by {first} and {second} correlate with rho = {rho:.2f}.",
            first=row["first"],
            second=row["second"],
            rho=row["rho"],
        )
        for row in shown.to_dict("records")
    ]
    return enumeration(parts, " ") if parts else NONE


DEFINITION = Definition(
    name="ranking",
    title=_("References ranked by metrics"),
    source=_("CIDEr paper, appendices II and IV"),
    meaning=MEANING,
    needs=(THREE_REFERENCES,),
    make=ranking,
)
