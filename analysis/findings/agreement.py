"""How far metrics agree with each other, whatever people say."""

from functools import partial

import numpy as np
import pandas as pd

from analysis.evaluation.evidence import Evidence
from analysis.figures.heatmap import heatmap_figure
from analysis.findings.finding import Finding
from analysis.stats.metric_agreement import Matrix, clustered, correlation, kappa, share_agreed

KAPPA, CORRELATION = "Cohen's kappa of preferences", "Spearman correlation of scores"


def agreement(evidence: Evidence) -> Finding:
    """Every two metrics: preferences agreed on, and correlation of scores, with all references."""
    tallies = evidence.judged.tallies
    preferred = np.stack([tally.preferred for tally in tallies.values()])
    scores = np.stack([np.concatenate([t.score_b, t.score_c]) for t in tallies.values()])
    by_kappa, by_score = kappa(preferred), correlation(scores)
    pearson, agreed = correlation(scores, "pearson"), share_agreed(preferred)
    names = evidence.judged.names
    order = [names[place] for place in clustered(by_kappa)]
    matrices = {KAPPA: square(by_kappa, names), CORRELATION: square(by_score, names)}
    found = {"agreed": agreed, "kappa": by_kappa, "spearman": by_score, "pearson": pearson}
    reasons = {reason for each in found.values() for reason in each.reasons.ravel() if reason}
    return Finding(
        "agreement",
        "Agreement among metrics",
        "Beside the CIDEr paper: Cohen, 1960",
        "Of every two metrics with all references: the share of pairs on which they prefer the "
        "same candidate, Cohen's kappa of these preferences (a tie is a preference of its own), "
        "and how their scores of all shown candidates correlate.",
        tables={"agreement": tidy(found, names)},
        plots={"agreement": partial(heatmap_figure, matrices, order)} if len(names) > 1 else {},
        notes=tuple(sorted(reasons)) if len(names) > 1 else ("There is one metric only.",),
    )


def square(matrix: Matrix, names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(matrix.values, index=names, columns=names)


def tidy(matrices: dict[str, Matrix], names: list[str]) -> pd.DataFrame:
    """A row for every two metrics, a column a figure."""
    a, b = np.triu_indices(len(names), k=1)
    columns = {name: matrix.values[a, b] for name, matrix in matrices.items()}
    return pd.DataFrame({"metric_a": np.take(names, a), "metric_b": np.take(names, b)} | columns)
