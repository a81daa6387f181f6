"""What the captions are like: scores and lengths by source, and whether the longer ones win."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet import metrics
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import NONE, why_undecided
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.number_texts import counted, fixed
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.stats.resampling import share_and_interval
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL
from tercet.analysis.values import span

MEANING = (
    "Mean scores of the candidates of each source, with all references. In the row of the "
    "references, which is the human row, each reference (of many, ten) is a candidate with the "
    "others of its image as its references: one fewer than the other rows have. Then the words of"
    " the captions of each source, and how often the longer candidate of a pair wins, ties of "
    "people counting half, with its 95 % interval over images; pairs of equally long candidates "
    "are left out."
)
_WINS_COLUMNS = ["category", "pairs", "longer_wins", "low", "high", "equally_long"]
REFERENCES = "references"
"""The row of the references, among the sources."""
UNNAMED = "unnamed"
"""The row of candidates without a source."""
_SCORE_COLUMNS = ["metric", "source", "captions", "score"]
MOST_SCORED = 10
"""How many references of an image are scored for the human row."""


@finding(
    title="Captions by source",
    source="Chen et al., 2015, table 1: the human row",
    meaning=MEANING,
    needs=(PAIRS,),
)
def captions(results: Results) -> Content:
    """Tabulate scores and lengths by source, and how often the longer candidate wins."""
    tokenize = results.tokenize
    texts = map(str, results.samples.pairs.captions.candidates)
    words = np.array([len(tokenize(text)) for text in texts])
    wins = _longer_wins(results, words)
    return Content(
        tables={
            "source_scores": _scores(results),
            "source_lengths": _lengths(results, words),
            "longer_wins": wins,
        },
        sentence=NONE if why_undecided(results) else _sentence(wins),
    )


def candidates_by_source(pairs: Pairs) -> pd.DataFrame:
    """Return every candidate with its source, once: columns `candidate` and `source`."""
    sources = pairs.table[["source_b", "source_c"]]
    named = sources.replace("", UNNAMED)
    both = pd.concat([named["source_b"], named["source_c"]], ignore_index=True)
    candidates = np.concatenate([pairs.b, pairs.c])
    table = pd.DataFrame({"candidate": candidates, "source": both})
    return table.drop_duplicates()


def _scores(results: Results) -> pd.DataFrame:
    """Return the mean score of each source by each headline metric, the references first."""
    pairs = results.samples.pairs
    sources = candidates_by_source(pairs)
    names = results.main_metrics
    tables = [_human_row(results, names)]

    for name in names:
        tally = results.samples.tallies[name]
        sign = results.samples.sources.selection.sign_of(name)
        score = np.full(len(pairs.captions.candidates), np.nan)
        score[pairs.b] = sign * tally.score_b
        score[pairs.c] = sign * tally.score_c

        of_sources = score[sources["candidate"]]
        scored = sources.assign(score=of_sources).dropna(subset="score")
        by_source = scored.groupby("source")["score"]
        rows = by_source.agg(captions="size", score="mean")
        tables.append(rows.reset_index().assign(metric=name))

    table = pd.concat(tables, ignore_index=True)
    return table[_SCORE_COLUMNS]


def _human_row(results: Results, names: list[str]) -> pd.DataFrame:
    """Return the mean scores of the references, each given the others of its image."""
    scored = results.samples
    known = [name for name in names if name in scored.sources.selection.names]
    chosen = replace(scored.sources.selection, names=tuple(known))
    chosen = chosen.available(chosen.scored)
    references = map(list, scored.pairs.captions.references)
    given = [texts for texts in references if len(texts) > 1]
    if len(given) < 2 or not chosen.names:
        return pd.DataFrame(columns=_SCORE_COLUMNS)

    documents = results.options.documents_of_all
    found = metrics.score_references(
        references=given,
        metrics=chosen.to_score,
        most=MOST_SCORED,
        tokenize=results.tokenize,
        documents=documents,
    )
    scores = chosen.complete(found.captions)
    table = pd.DataFrame({"metric": list(scores)})
    table["source"] = REFERENCES
    table["captions"] = sum(min(len(texts), MOST_SCORED) for texts in given)
    table["score"] = list(map(np.nanmean, scores.values()))
    return table


def _lengths(results: Results, words: NDArray[np.int64]) -> pd.DataFrame:
    """Return how many words the captions of each source have, the references first."""
    texts = results.references["caption"]
    lengths = [len(results.tokenize(text)) for text in texts]
    references = pd.DataFrame({"source": REFERENCES, "words": lengths})
    sources = candidates_by_source(results.samples.pairs)
    of_sources = words[sources["candidate"]]
    candidates = sources.assign(words=of_sources)

    table = pd.concat([references, candidates], ignore_index=True)
    by_source = table.groupby("source", sort=False)["words"]
    found = by_source.agg(captions="size", mean="mean", sd="std", median="median")
    return found.reset_index()


def _longer_wins(results: Results, words: NDArray[np.int64]) -> pd.DataFrame:
    """Return how often people prefer the longer candidate, by category."""
    pairs = results.samples.pairs
    more_words = words[pairs.b] - words[pairs.c]
    longer = np.sign(more_words)
    winner = pairs.table["winner"].map({"B": 1, "C": -1})
    credit = (1 + longer * winner.fillna(0).to_numpy()) / 2

    is_longer = longer != 0
    rows = []
    for group, is_in in pairs.groups.items():
        used = is_in & is_longer
        if not used.any():
            continue

        won = np.where(used, credit, np.nan)
        share, low, high = share_and_interval(won, pairs.image, results.samples.weights)
        row = {
            "category": group,
            "pairs": int(used.sum()),
            "longer_wins": share,
            "low": low,
            "high": high,
            "equally_long": int((is_in & ~is_longer).sum()),
        }
        rows.append(row)

    return pd.DataFrame(rows, columns=_WINS_COLUMNS)


def _sentence(wins: pd.DataFrame) -> str:
    """Say how often the longer candidate of a pair wins."""
    rows = where(wins, category=ALL)
    if rows.empty or rows["low"].isna().any():
        return NONE

    [row] = rows.to_dict("records")
    return (
        f"People choose the longer candidate of a pair in {fixed(100 * row['longer_wins'], 1)} "
        f"% of {counted(int(row['pairs']), 'pair')} whose candidates differ in length (95 % "
        f"interval {span(row['low'], row['high'])})."
    )
