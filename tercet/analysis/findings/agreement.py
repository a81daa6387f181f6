"""How far metrics agree with each other, whatever people say."""

from functools import partial

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.heatmap import heatmap_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import PAIRS, TWO_METRICS
from tercet.analysis.number_texts import fixed
from tercet.analysis.stats.metric_agreement import (
    Matrix,
    clustered,
    correlation,
    kappa,
    share_agreed,
)
from tercet.analysis.superlatives import Ranking, Wording

MEANING = (
    "Of every two metrics with all references: the share of pairs on which they prefer the "
    "same candidate, Cohen's kappa of these preferences (a tie is a preference of its own), "
    "and how their scores of all shown candidates correlate."
)
_SHOWS = "Heat maps of how far every two metrics agree, in preferences and in scores"
_ENDS = "most (kappa {high}), and {last} least ({low})."
_AGREE = Wording(
    one=f"Of every two main metrics{{known}}, {{first}} agrees {_ENDS}",
    several=f"Of every two main metrics{{known}}, {{first}} agree {_ENDS}",
    level="Every two main metrics{known} agree equally (kappa {high}): {first}.",
    alone="The kappa of {first} is {high}.",
)
KAPPA, CORRELATION = ("Cohen's kappa of preferences", "Spearman correlation of scores")


@finding(
    title="Agreement among metrics",
    source="Beside the CIDEr paper: Cohen, 1960",
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS),
)
def agreement(results: Results) -> Content:
    """Tabulate the agreement of every two metrics, in preferences and in scores."""
    matrices = _matrices(results)
    names = results.metrics

    in_order = [names[index] for index in clustered(matrices["kappa"])]
    order = [name for name in in_order if name in results.headline]
    shown = {}
    for title, name in ((KAPPA, "kappa"), (CORRELATION, "spearman")):
        values = matrices[name].values
        shown[title] = pd.DataFrame(values, index=names, columns=names)
    a, b = np.triu_indices(len(names), k=1)
    reasons: set[str] = set()
    for matrix in matrices.values():
        reasons.update(filter(None, matrix.reasons[a, b]))

    table = pd.DataFrame({"metric_a": np.take(names, a)})
    table["metric_b"] = np.take(names, b)
    for name, matrix in matrices.items():
        table[name] = matrix.values[a, b]

    draw = partial(heatmap_figure, shown, order)
    return Content(
        tables={"agreement": table},
        plots={"agreement": Plot(draw, _SHOWS)},
        notes=tuple(sorted(reasons)),
        sentence=_sentence(results, table),
    )


def _matrices(results: Results) -> dict[str, Matrix]:
    """Return each measure of agreement, of every two metrics."""
    tallies = results.samples.tallies.values()
    preferred = np.stack([tally.preferred for tally in tallies])
    sides = [(tally.score_b, tally.score_c) for tally in tallies]
    scores = np.stack(list(map(np.concatenate, sides)))
    return {
        "agreed": share_agreed(preferred),
        "kappa": kappa(preferred),
        "spearman": correlation(scores),
        "pearson": correlation(scores, "pearson"),
    }


def _sentence(results: Results, agreement: pd.DataFrame) -> str:
    """Name the main metrics that agree most and those that agree least, where these differ."""
    both = agreement[["metric_a", "metric_b"]]
    is_shown = both.isin(results.named_as_best).all(axis=1)
    pairs = agreement[is_shown]
    shown = pairs.dropna(subset="kappa")
    if shown.empty:
        return NONE

    names = shown["metric_a"] + " with " + shown["metric_b"]
    by_kappa = Ranking.of(shown.set_index(names)["kappa"])
    return _AGREE.said(
        by_kappa,
        known="" if len(shown) == len(pairs) else " that have a kappa",
        high=fixed(by_kappa.highest, 2),
        low=fixed(by_kappa.lowest, 2),
    )
