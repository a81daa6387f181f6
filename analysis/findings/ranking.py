"""An image's references ranked by a metric (CIDEr paper, appendices II and IV)."""

from dataclasses import asdict

import pandas as pd

from analysis.evaluation.evidence import Evidence
from analysis.evaluation.judging import TOKENIZERS
from analysis.evaluation.options import RESAMPLES
from analysis.findings.finding import Finding
from analysis.stats.accuracy import Resamples
from analysis.stats.ranking import rank_correlation, rank_references

FIRST, SECOND = "CIDEr", "CIDEr-D"


def ranking(evidence: Evidence) -> Finding:
    """Each reference against the others of its image, by CIDEr and by CIDEr-D."""
    tokenize = TOKENIZERS[evidence.options.tokenizer]
    ranked = rank_references(evidence.references, (FIRST, SECOND), tokenize)
    images = evidence.references["image"].nunique()
    generator = evidence.options.generator(RESAMPLES, 1)
    weights = Resamples.make(evidence.options.resamples, images, 1, generator).images
    found = rank_correlation(ranked, FIRST, SECOND, weights)
    return Finding(
        "ranking",
        "References ranked by a metric",
        "CIDEr paper, appendices II and IV",
        "Every reference scored against the other references of its image: the first rank is the "
        f"most consensual caption. rho is Spearman's, of the ranks by {FIRST} and by {SECOND} "
        "within an image, as the mean over images with its 95 % interval.",
        tables={
            "ranking_correlation": pd.DataFrame([asdict(found)]),
            "ranking_example": example(ranked),
            "ranking": side_by_side(ranked),
        },
        notes=(found.reason,) if found.reason else (),
    )


def side_by_side(ranked: pd.DataFrame) -> pd.DataFrame:
    """A row a reference, both metrics in columns."""
    keys = ["image", "number", "caption"]
    both = [
        ranked[ranked["metric"] == name]
        .drop(columns="metric")
        .rename(columns={"score": f"{name} score", "rank": f"{name} rank"})
        for name in (FIRST, SECOND)
    ]
    return both[0].merge(both[1], on=keys, sort=False)


def example(ranked: pd.DataFrame) -> pd.DataFrame:
    """The first image's references from the most consensual to the least: both ends, by CIDEr."""
    table = side_by_side(ranked[ranked["image"] == ranked["image"].iloc[0]])
    table = table.sort_values(f"{FIRST} rank", kind="stable")
    return table if len(table) <= 10 else pd.concat([table.head(5), table.tail(5)])
