"""What the captions are like: scores and lengths by source, and whether the longer ones win."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet import metrics
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, Definition
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.sources import documents_of_all
from tercet.analysis.stats.resampling import share_and_interval
from tercet.analysis.tables.schema import ALL
from tercet.analysis.texts import Text
from tercet.analysis.texts import gettext as _

MEANING = _(
    # xgettext:no-python-format
    "Mean scores of the candidates of each source, with all references. In the row of the "
    "references, which is the human row, each reference (of many, ten) is a candidate with the "
    "others of its image as its references: one fewer than the other rows have. Then the words of"
    " the captions of each source, and how often the longer candidate of a pair wins, ties of "
    "people counting half, with its 95 % interval over images; pairs of equally long candidates "
    "are left out."
)
REFERENCES = "references"
"""The row of the references, among the sources."""
UNNAMED = "unnamed"
"""The row of candidates whose source the dataset does not name."""
SIDES = ("b", "c")
MOST_SCORED = 10
"""How many references of an image are scored for the human row."""


def captions(results: Results) -> Content:
    """Tabulate scores and lengths by source, and how often the longer candidate wins."""
    pairs = results.scored.pairs
    tokenize = results.tokenize
    words = np.array(
        [len(tokenize(text)) for text in map(str, pairs.captions.candidates)]
    )

    wins = _longer_wins(results, words)
    return Content(
        tables={
            "source_scores": _scores(results, tokenize),
            "source_lengths": _lengths(results, words, tokenize),
            "longer_wins": wins,
        },
        sentence=_sentence(wins),
    )


def candidates_by_source(pairs: Pairs) -> pd.DataFrame:
    """Return every candidate with its source, once: columns `candidate` and `source`."""
    sides = [
        pd.DataFrame(
            {
                "candidate": getattr(pairs, side),
                "source": pairs.table[f"source_{side}"].replace("", UNNAMED),
            }
        )
        for side in SIDES
    ]
    return pd.concat(sides, ignore_index=True).drop_duplicates()


def _scores(results: Results, tokenize: metrics.Tokenize) -> pd.DataFrame:
    """Return the mean score of each source by each headline metric, the references first."""
    pairs = results.scored.pairs
    sources = candidates_by_source(pairs)
    tables = [_human_row(results, tokenize)]

    for name in _metrics(results):
        tally = results.scored.tallies[name]
        score = np.full(len(pairs.captions.candidates), np.nan)
        score[pairs.b], score[pairs.c] = tally.score_b, tally.score_c

        scored = sources.assign(score=score[sources["candidate"]])
        by_source = scored.dropna(subset="score").groupby("source")["score"]
        rows = by_source.agg(captions="size", score="mean").reset_index()
        tables.append(rows.assign(metric=name))

    table = pd.concat(tables, ignore_index=True)
    return table[["metric", "source", "captions", "score"]]


def _metrics(results: Results) -> list[str]:
    """Return the headline metrics that say more than a length."""
    return [name for name in results.headline if name not in BASELINES]


def _human_row(results: Results, tokenize: metrics.Tokenize) -> pd.DataFrame:
    """Return the mean scores of the references, each given the others of its image."""
    scored = results.scored
    known = scored.selection.names
    names = tuple(name for name in _metrics(results) if name in known)
    chosen = replace(scored.selection, names=names)
    chosen = chosen.available(chosen.built_in)
    given = [
        list(texts) for texts in scored.pairs.captions.references if len(texts) > 1
    ]
    if len(given) < 2 or not chosen.names:
        return pd.DataFrame(columns=["metric", "source", "captions", "score"])

    found = metrics.score_references(
        references=given,
        metrics=chosen.built_in,
        most=MOST_SCORED,
        tokenize=tokenize,
        documents=documents_of_all(results.options),
    )
    scores = chosen.complete(found.captions)
    return pd.DataFrame(
        {
            "metric": list(scores),
            "source": REFERENCES,
            "captions": sum(min(len(texts), MOST_SCORED) for texts in given),
            "score": [np.nanmean(each) for each in scores.values()],
        }
    )


def _lengths(
    results: Results, words: NDArray[np.int64], tokenize: metrics.Tokenize
) -> pd.DataFrame:
    """Return how many words the captions of each source have, the references first."""
    texts = results.references["caption"]
    references = pd.DataFrame(
        {"source": REFERENCES, "words": [len(tokenize(text)) for text in texts]}
    )
    sources = candidates_by_source(results.scored.pairs)
    candidates = sources.assign(words=words[sources["candidate"]])

    lengths = pd.concat([references, candidates], ignore_index=True)
    by_source = lengths.groupby("source", sort=False)["words"]
    return by_source.agg(
        captions="size", mean="mean", sd="std", median="median"
    ).reset_index()


def _longer_wins(results: Results, words: NDArray[np.int64]) -> pd.DataFrame:
    """Return how often people prefer the longer candidate, by category."""
    pairs = results.scored.pairs
    longer = np.sign(words[pairs.b] - words[pairs.c])
    winner = pairs.table["winner"].map({"B": 1, "C": -1}).fillna(0)
    credit = (1 + longer * winner.to_numpy()) / 2

    rows = []
    for group, is_in in pairs.groups.items():
        used = is_in & (longer != 0)
        if not used.any():
            continue

        won = np.where(used, credit, np.nan)
        estimate = share_and_interval(won, pairs.image, results.weights)
        share, low, high = estimate.tolist()
        rows.append(
            {
                "category": group,
                "pairs": int(used.sum()),
                "longer_wins": share,
                "low": low,
                "high": high,
                "equally_long": int((is_in & (longer == 0)).sum()),
            }
        )

    columns = ["category", "pairs", "longer_wins", "low", "high"]
    return pd.DataFrame(rows, columns=[*columns, "equally_long"])


def _sentence(wins: pd.DataFrame) -> Text:
    """Say how often the longer candidate of a pair wins."""
    rows = wins[wins["category"] == ALL]
    if rows.empty or rows["low"].isna().any():
        return NONE

    row = rows.iloc[0]
    return _(
        # xgettext:no-python-format
        "People choose the longer candidate of a pair in {share:.1f} % of {pairs:,} pairs "
        "(95 % interval {low:.1f} to {high:.1f}).",
        share=100 * row["longer_wins"],
        pairs=int(row["pairs"]),
        low=100 * row["low"],
        high=100 * row["high"],
    )


DEFINITION = Definition(
    name="captions",
    title=_("Captions by source"),
    source=_("Chen et al., 2015, table 1: the human row"),
    meaning=MEANING,
    needs=(PAIRS,),
    make=captions,
)
