"""Words that people agree on, and how systems choose them (COCO captions paper, section 4.2)."""

from functools import partial

import numpy as np
import pandas as pd

import metrics
from analysis.dataset.schema import PEOPLE
from analysis.evaluation.results import Results
from analysis.evaluation.selection import TOKENIZERS
from analysis.figures.words import words_figure
from analysis.findings.captions import SIDES, UNNAMED
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import SEVERAL_REFERENCES
from analysis.findings.sentences import words_sentence
from analysis.stats.word_agreement import (
    Agreement,
    WordCounts,
    count_words,
    model_precision,
    people_agreement,
    system_agreement,
)
from analysis.texts import gettext as _
from metrics import FloatArray, IntArray

MOST = 1_000
"""Words that are looked at, as in the paper."""
COUNTS = (1, 2, 3, 4)
"""Numbers of references, as in figure 3 of the paper; the most that there are comes last."""
FUNCTION_WORDS = frozenset(
    """
    a about above across after against all along also am among an and another any are around as
    at away be because been before behind being below beneath beside between both but by can
    could did do does doing down during each either for from had has have he her hers him his
    how i if in inside into is it its itself just me my near next no nor not of off on onto or
    other our out outside over own past she so some such than that the their them themselves
    then there these they this those through to together too toward towards under until up upon
    very was we were what when where which while who whose why will with within without would
    you your 's n't
    """.split()  # noqa: SIM905
)
"""They have little to do with an image: in the tables they are marked, in the plot left out."""

MEANING = _(
    "The references of an image are taken as predictions of each other, word by word, over all "
    "choices of one as the prediction and of k others as references. Recall is how often a word "
    "that people use is used by one more person, and does not depend on k; precision is how "
    "often a word that one person uses is used by the others. Words with a high recall can be "
    "demanded of a system; the rest is a matter of taste. The line is a model in which every "
    "person names a thing that is there with the same chance. Precision and recall of a system "
    "are those of its captions."
)


def words(results: Results) -> Content:
    """Tabulate how well people predict each other's words, and systems those of people."""
    tokenize = TOKENIZERS[results.options.tokenizer]
    captions, images = _references(results)
    counts = count_words([tokenize(text) for text in captions], images, MOST)

    people = counts.histograms()
    most = max(people) - 1
    used = sorted({k for k in (*COUNTS, most) if k <= most})
    found = {k: people_agreement(people, k) for k in used}

    table = _table(counts, found)
    is_content = ~table["function_word"]
    shown = table[is_content & table["references"].isin(COUNTS)]

    return Content(
        tables={
            "words": table,
            "words_means": _means(results, counts, found, tokenize),
        },
        plots={"words": partial(words_figure, shown)},
        sentence=words_sentence(shown),
    )


def _references(
    results: Results,
) -> tuple[list[str], IntArray]:
    """Return the references with the index of the image of each."""
    table = results.references
    image = pd.factorize(table["image"])[0].astype(np.int64)
    return table["caption"].tolist(), image


def _table(counts: WordCounts, found: dict[int, Agreement]) -> pd.DataFrame:
    """Return a row for each number of references and word, the most frequent word first."""
    parts = []

    for k, agreement in found.items():
        part = pd.DataFrame(
            {
                "references": k,
                "word": counts.words,
                "function_word": [
                    word in FUNCTION_WORDS for word in counts.words
                ],
                "captions": counts.frequency,
                "recall": agreement.recall,
                "precision": agreement.precision,
                "low": agreement.low,
                "high": agreement.high,
                "model": model_precision(agreement.recall, k),
            }
        )
        parts.append(part)

    return pd.concat(parts, ignore_index=True)


def _means(
    results: Results,
    counts: WordCounts,
    found: dict[int, Agreement],
    tokenize: metrics.Tokenize,
) -> pd.DataFrame:
    """Return the mean precision and recall of people, and of the words of each system."""
    rows = []

    for k, agreement in found.items():
        model = model_precision(agreement.recall, k)
        rows.append(
            {
                "source": PEOPLE,
                "references": k,
                **_mean(agreement.precision, agreement.recall),
                "model_precision": np.nanmean(model),
                "weighted_precision": _weighted_mean(agreement),
            }
        )

    return pd.DataFrame([*rows, *_systems(results, counts, found, tokenize)])


def _systems(
    results: Results,
    counts: WordCounts,
    found: dict[int, Agreement],
    tokenize: metrics.Tokenize,
) -> list[dict[str, object]]:
    """Return the rows of the systems, beside people at the same words."""
    rows: list[dict[str, object]] = []

    for source, own in _candidates(results).groupby("source", sort=True):
        images = own["image"].to_numpy(np.int64)
        tokens = [tokenize(text) for text in own["caption"]]
        people = counts.histograms(images)
        predicted = counts.predicted(tokens, images)

        for k, agreement in found.items():
            precision, recall = system_agreement(people, predicted, k)
            is_used = ~np.isnan(precision) & ~np.isnan(recall)
            rows.append(
                {
                    "source": source,
                    "references": k,
                    **_mean(precision[is_used], recall[is_used]),
                    "people_precision": _nan_mean(
                        agreement.precision[is_used]
                    ),
                    "people_recall": _nan_mean(agreement.recall[is_used]),
                }
            )

    return rows


def _candidates(results: Results) -> pd.DataFrame:
    """Return the candidates of pairs: columns source, caption, and image (index)."""
    if results.pair_samples is None:
        return pd.DataFrame(columns=["source", "caption", "image"])

    pairs = results.scored.pairs
    captions = pd.Series(list(map(str, pairs.captions.candidates)))
    sides = [
        pd.DataFrame(
            {
                "source": pairs.table[f"source_{side}"].replace("", UNNAMED),
                "caption": captions[getattr(pairs, side)].to_numpy(),
                "image": pairs.table["image"],
            }
        )
        for side in SIDES
    ]
    known = pd.Index(results.references["image"].unique())
    candidates = pd.concat(sides, ignore_index=True).drop_duplicates()

    return candidates.assign(image=known.get_indexer(candidates["image"]))


def _weighted_mean(agreement: Agreement) -> float:
    """Return the mean precision over words, each as often as references have it."""
    known = ~np.isnan(agreement.precision)
    weights = agreement.positives[known]
    return float(np.average(agreement.precision[known], weights=weights))


def _mean(precision: FloatArray, recall: FloatArray) -> dict[str, object]:
    return {
        "words": int((~np.isnan(precision)).sum()),
        "precision": _nan_mean(precision),
        "recall": _nan_mean(recall),
    }


def _nan_mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


DEFINITION = Definition(
    name="words",
    title=_("Words that people agree on"),
    source=_("COCO captions paper, section 4.2 and figure 3"),
    meaning=MEANING,
    needs=(SEVERAL_REFERENCES,),
    make=words,
)
