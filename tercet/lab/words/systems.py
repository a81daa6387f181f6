"""How well systems choose words, beside people: by their captions, or by scores of words."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.captions import UNNAMED, candidates_by_source
from tercet.analysis.tables.schema import floats
from tercet.lab.words.agreement import (
    Agreement,
    WordCounts,
    precisions_at_recall,
    system_agreement,
)
from tercet.metrics import IntArray

COLUMNS = [
    *("source", "by", "references", "word", "part_of_speech", "precision", "recall"),
    *("precision_at_human_recall", "people_precision", "people_recall"),
]
_CANDIDATE_COLUMNS = ["source", "caption", "image"]


def word_systems(
    results: Results,
    counts: WordCounts,
    found: dict[int, Agreement],
    parts: Sequence[str],
) -> pd.DataFrame:
    """Tabulate the words of each system beside people, a row for each number of references.

    Precision and recall are those of a system's captions. Precision at human recall is that
    precision where the recall is at least that of people; of a system with word_scores.csv, it is
    the precision where its recall, from the highest score down, reaches that of people.
    """
    tables = [*_of_captions(results, counts, found)]
    tables += _of_scores(results, counts, found)
    if not tables:
        return pd.DataFrame(columns=COLUMNS)

    part_of = dict(zip(counts.words, parts, strict=True))
    table = pd.concat(tables, ignore_index=True)
    parts_of_words = table["word"].map(part_of)
    return table.assign(part_of_speech=parts_of_words)[COLUMNS]


def _of_captions(
    results: Results, counts: WordCounts, found: dict[int, Agreement]
) -> Iterator[pd.DataFrame]:
    for source, own in _candidates(results).groupby("source", sort=True):
        images = own["image"].to_numpy(np.int64)
        people = counts.histograms(images)
        tokens = [results.tokenize(text) for text in own["caption"]]
        predicted = counts.predicted(tokens, images)

        for k, agreement in found.items():
            precision, recall = system_agreement(people, predicted, k)
            table = _beside_people(str(source), k, counts, agreement)
            reaches = (recall >= agreement.recall) & (agreement.recall > 0)

            at_recall = np.where(reaches, precision, np.nan)
            yield table.assign(
                by="captions",
                precision=precision,
                recall=recall,
                precision_at_human_recall=at_recall,
            )


def _of_scores(
    results: Results, counts: WordCounts, found: dict[int, Agreement]
) -> Iterator[pd.DataFrame]:
    """Yield the words of systems with word_scores.csv."""
    scores = _word_scores(results, counts)

    for source, own in scores.groupby("source", sort=True):
        for k, agreement in found.items():
            at_recall = precisions_at_recall(counts, own, k, agreement.recall)
            table = _beside_people(str(source), k, counts, agreement)
            yield table.assign(
                by="scores",
                precision=np.nan,
                recall=np.nan,
                precision_at_human_recall=at_recall,
            )


def _beside_people(
    source: str, k: int, counts: WordCounts, agreement: Agreement
) -> pd.DataFrame:
    columns = {
        "source": source,
        "references": k,
        "word": counts.words,
        "people_precision": agreement.precision,
        "people_recall": agreement.recall,
    }
    return pd.DataFrame(columns)


def _word_scores(results: Results, counts: WordCounts) -> pd.DataFrame:
    """Return the scores of words: columns source, image and word (indices), and score."""
    given = results.dataset.word_scores
    number = {word: place for place, word in enumerate(counts.words)}
    texts = given["word"].str.strip().str.lower()
    word = texts.map(number).fillna(-1)
    table = given[["source"]].assign(
        image=_image_index(results, given["image"]),
        word=word.astype(np.int64),
        score=floats(given["score"]),
    )
    is_known = table["image"] >= 0
    return table[is_known]


def _candidates(results: Results) -> pd.DataFrame:
    """Return the captions of systems, each once: columns source, caption, and image (index).

    They are the candidates of pairs, and those of candidates.csv.
    """
    given = results.dataset.candidates
    image = _image_index(results, given["image"])
    source = given["source"].replace("", UNNAMED)
    listed = given.assign(source=source, image=image)
    known = listed.loc[image >= 0, _CANDIDATE_COLUMNS]
    return pd.concat([_of_pairs(results), known]).drop_duplicates()


def _of_pairs(results: Results) -> pd.DataFrame:
    """Return the candidates of pairs."""
    if results.pair_samples is None:
        return pd.DataFrame(columns=_CANDIDATE_COLUMNS)

    captions = results.samples.pairs.captions
    table = candidates_by_source(results.samples.pairs)
    number = table["candidate"].to_numpy()
    texts = np.array([*map(str, captions.candidates)], object)
    columns = {
        "source": table["source"],
        "caption": texts[number],
        "image": captions.candidate_image[number],
    }
    return pd.DataFrame(columns)


def _image_index(results: Results, names: "pd.Series[str]") -> IntArray:
    """Return the index among the images with references of each name, or -1."""
    known = pd.Index(results.references["image"].unique())
    index = known.get_indexer(pd.Index(names))
    return np.asarray(index, np.int64)
