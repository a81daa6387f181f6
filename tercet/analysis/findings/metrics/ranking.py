"""An image's references ranked by metrics (CIDEr paper, appendices II and IV)."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

import pandas as pd

from tercet.analysis.evaluation.bootstrap import image_weights
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.ranking import ranking_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import THREE_REFERENCES
from tercet.analysis.number_texts import fixed
from tercet.analysis.stats.ranking import (
    rank_correlation,
    rank_references,
    ranks_against_ranks,
)
from tercet.analysis.superlatives import Ranking
from tercet.analysis.tables.rows import where

PAIRS = (("CIDEr", "CIDEr-D"), ("CIDEr-1", "CIDEr-D-1"), ("BLEU-1-nobp", "ROUGE-1"))
"""Which two metrics are compared unless others are asked for, as in the CIDEr paper."""

_SHOWS = "The rank of an image's references by one metric against their rank by another"
MEANING = (
    "Every reference scored against the other references of its image: the first rank is the "
    "most consensual caption. rho is Spearman's, of the ranks by two metrics within an image, as "
    "the mean over images with its 95 % interval. The plot has the mean rank by one metric of "
    "the references at each rank by the other, and the range of the central 80 %. The example is "
    "the first image with several references, its most consensual captions marked, but for those "
    "that tie with one that is not."
)
MOST_CONSENSUAL, LEAST_CONSENSUAL = "most consensual", "least consensual"
_MARKED = 3
"""Captions marked at either end of an image's ranking."""


@finding(
    title="References ranked by metrics",
    source="CIDEr paper, appendices II and IV",
    meaning=MEANING,
    needs=(THREE_REFERENCES,),
)
def ranking(results: Results) -> Content:
    """Rank each reference among the references of its image, by pairs of metrics."""
    options = results.options
    references = results.references
    pairs = list(PAIRS)
    if options.rank_by:
        pairs = [(options.rank_by[0], options.rank_by[1])]
    names = list(dict.fromkeys(chain.from_iterable(pairs)))
    ranked = rank_references(references, names, results.tokenize)

    images = references["image"].nunique()
    weights = image_weights(options, images, None, 1)

    correlations, tables = [], []
    for first, second in pairs:
        found = rank_correlation(ranked, first, second, weights)
        correlations.append(found)
        compared = ranks_against_ranks(ranked, first, second)
        tables.append(compared)
    ranks = pd.concat(tables, ignore_index=True)
    table = pd.DataFrame(map(vars, correlations))

    draw = partial(ranking_figure, ranks, table)
    reasons = [each.reason for each in correlations if each.reason]
    return Content(
        tables={
            "ranking_correlation": table,
            "ranking_example": _example(ranked, names),
            "ranking_ranks": ranks,
            "ranking": _side_by_side(ranked, names),
        },
        plots={"ranking": Plot(draw, _SHOWS)} if len(ranks) else {},
        sentence=_sentence(table),
        notes=tuple(dict.fromkeys(reasons)),
    )


def _side_by_side(ranked: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per reference, with the metrics in columns."""
    keys = ["image", "number", "caption"]
    table = where(ranked, metric=names[0])[keys]

    for name in names:
        own = where(ranked, metric=name).drop(columns="metric")
        own = own.rename(columns={each: f"{name} {each}" for each in ("score", "rank")})
        table = table.merge(own, on=keys, sort=False)

    return table


def _example(ranked: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the references of one image, the most consensual first, by the first metric.

    It is the first image that has several references, or else the first of all.
    """
    several = ranked[ranked["number"] > 1]
    shown = several if len(several) else ranked
    first = where(ranked, image=shown["image"].iloc[0])
    ranks = [f"{name} rank" for name in names]

    columns = ["image", "number", "caption", *ranks]
    table = _side_by_side(first, names)[columns]
    table = table.sort_values(ranks[0], kind="stable", ignore_index=True)
    marked = min(_MARKED, len(table) // 2)

    marks = pd.Series("", index=table.index.astype(str))
    by_rank = table[ranks[0]].set_axis(marks.index)
    marks[Ranking.of(-by_rank).top(marked)] = MOST_CONSENSUAL
    marks[Ranking.of(by_rank).top(marked)] = LEAST_CONSENSUAL
    table.insert(3, "consensus", marks.to_numpy())
    return table


def _sentence(correlations: pd.DataFrame) -> str:
    """Say how far two metrics rank an image's references alike."""
    parts = []
    values = correlations["rho"].astype(float)
    shown = correlations.assign(rho=values).dropna(subset="rho")

    for row in shown.to_dict("records"):
        said = (
            f"The ranks by {row['first']} and {row['second']} correlate with rho = "
            f"{fixed(row['rho'], 2)}."
        )
        parts.append(said)
    return " ".join(parts) if parts else NONE
