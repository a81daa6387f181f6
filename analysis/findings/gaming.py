"""Whether strings that are written for a metric beat what people wrote (CIDEr paper, section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

import metrics
from analysis.evaluation.options import GAMING, RESAMPLES
from analysis.evaluation.results import Results
from analysis.evaluation.selection import TOKENIZERS, documents_of_all
from analysis.figures.formats import p_value, percent_interval
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import BOTH_CIDERS, SEVERAL_IMAGES
from analysis.findings.sentences import gaming_sentence
from analysis.stats.gaming import N, n_grams_of, write_string
from analysis.stats.resampling import Resamples, mean_and_interval
from analysis.stats.significance import mcnemar
from analysis.texts import gettext as _
from metrics import FloatArray
from metrics.arrays import offsets_of
from metrics.document_frequencies import DocumentFrequencies

MEANING = _(
    # xgettext:no-python-format
    "An adversary sees the references of an image and writes the string that the metric scores "
    "highest: word by word, always the word after which the score is highest. The share of images "
    "on which the string beats the best human caption, which is one of the references and left out "
    "of them. In the row “any” each string has its best length, up to 40 words. “only cider” "
    "counts the images on which the string for CIDEr beats the caption and that for CIDEr-D does "
    "not, “only cider d” the opposite; p is that of the exact sign test of these two numbers. At "
    "most 100 images are taken, at random."
)
CIDER, CIDER_D = METRICS = ("CIDEr", "CIDEr-D")
ANY = "any"
LENGTHS: tuple[int | str, ...] = (5, 10, 15, 20, 30, 40, ANY)
"""The numbers of words of the strings that are scored."""
LONGEST = 40
MOST_IMAGES = 100
MOST_RESAMPLES = 1_000
EXAMPLES = 5
EXAMPLE_LENGTH = 20
"""Words of the strings that are shown as examples."""

Tokens = list[str]


@dataclass(frozen=True)
class Contest:
    """What an adversary wrote for one metric, and whom it competes with, image by image.

    strings: (images,) by number of words. best: the best human captions. scores: (images,) those
    of the strings, by number of words. human: (images,) those of the best human captions.
    """

    strings: dict[int | str, list[Tokens]]
    best: list[Tokens]
    scores: dict[int | str, FloatArray]
    human: FloatArray

    def beaten(self, words: int | str) -> FloatArray:
        """Whether (images,) the string of so many words beats the best human caption."""
        return (self.scores[words] > self.human).astype(float)


class Sample(NamedTuple):
    """The images that are taken, their references as words, and the document frequencies."""

    images: list[str]
    references: list[list[Tokens]]
    documents: DocumentFrequencies


def gaming(results: Results) -> Content:
    """Tabulate how often an adversary beats the best human caption, and what it writes."""
    sample = _sample(results)
    contests = {name: _contest(sample, name) for name in METRICS}
    numbers = _numbers(results, contests)
    table = _table(numbers, contests)

    return Content(
        tables={
            "gaming": table,
            "gaming_examples": _examples(sample, contests),
            "gaming_numbers": numbers,
        },
        sentence=gaming_sentence(numbers, EXAMPLE_LENGTH, ANY),
    )


def _sample(results: Results) -> Sample:
    """Draw images with two or more references."""
    tokenize = TOKENIZERS[results.options.tokenizer]
    captions = results.references.groupby("image", sort=False)["caption"].agg(
        list
    )
    documents = documents_of_all(results.options)
    if not isinstance(documents, DocumentFrequencies):
        documents = metrics.count_documents(captions.tolist(), tokenize)

    possible = captions[captions.map(len) > 1]
    generator = results.options.generator(GAMING)
    drawn = generator.permutation(len(possible))[:MOST_IMAGES]
    chosen = possible.iloc[np.sort(drawn)]
    references = [[list(tokenize(text)) for text in texts] for texts in chosen]

    return Sample(list(map(str, chosen.index)), references, documents)


def _contest(sample: Sample, metric: str) -> Contest:
    """Write strings for a metric, and score them and the best human captions alike."""
    best, others, human = _best_captions(sample, metric)
    strings: dict[int | str, list[Tokens]] = {words: [] for words in LENGTHS}

    for references in others:
        tokens, best_length = _written(references, sample.documents, metric)
        for words in LENGTHS:
            length = best_length if words == ANY else int(words)
            strings[words].append(tokens[:length])

    scores = {
        words: _scores(others, written, sample.documents, metric)
        for words, written in strings.items()
    }
    return Contest(strings, best, scores, human)


def _best_captions(
    sample: Sample, metric: str
) -> tuple[list[Tokens], list[list[Tokens]], FloatArray]:
    """Return the best reference of each image, the others, and its score with the others."""
    found = metrics.score_references(
        references=sample.references,
        metrics=[metric],
        documents=sample.documents,
    )
    sizes = np.array([len(texts) for texts in sample.references])
    best, others, scores = [], [], []

    for texts, (start, end) in zip(
        sample.references, pairwise(offsets_of(sizes).tolist()), strict=True
    ):
        own = found.captions[metric][start:end]
        place = int(own.argmax())
        best.append(texts[place])
        others.append([*texts[:place], *texts[place + 1 :]])
        scores.append(own[place])

    return best, others, np.array(scores)


def _written(
    references: Sequence[Tokens], documents: DocumentFrequencies, metric: str
) -> tuple[Tokens, int]:
    """Write a string for a metric; returns its words, and how many of them score highest."""
    words = sorted({word for text in references for word in text})
    number = {word: place for place, word in enumerate(words)}
    grams = n_grams_of(
        [[number[word] for word in text] for text in references], len(words)
    )

    rarest = np.log(documents.images)
    squares = np.zeros(len(grams.depth))
    for n in range(1, N + 1):
        nodes, of_length = grams.of_length(n)
        images = np.maximum(documents.look_up(of_length, words), 1)
        squares[nodes] = (rarest - np.log(images)) ** 2

    string = write_string(
        grams, squares, rarest**2, metric == CIDER_D, LONGEST
    )
    tokens = [words[place] for place in string.tokens.tolist()]
    return tokens, int(string.scores.argmax()) + 1


def _scores(
    references: Sequence[Sequence[Tokens]],
    strings: Sequence[Tokens],
    documents: DocumentFrequencies,
    metric: str,
) -> FloatArray:
    found = metrics.score(
        references=references,
        candidates=strings,
        metrics=[metric],
        documents=documents,
    )
    return found.captions[metric]


def _numbers(results: Results, contests: dict[str, Contest]) -> pd.DataFrame:
    """Return a row for each metric and number of words."""
    images = len(contests[CIDER].human)
    weights = Resamples.make(
        min(results.options.resamples, MOST_RESAMPLES),
        images=images,
        draws=1,
        generator=results.options.generator(RESAMPLES),
    ).images
    rows = []

    for metric, contest in contests.items():
        beaten = np.column_stack([contest.beaten(words) for words in LENGTHS])
        share, low, high = mean_and_interval(
            beaten, np.arange(images), weights
        )
        for place, words in enumerate(LENGTHS):
            rows.append(
                {
                    "metric": metric,
                    "words": words,
                    "images": images,
                    "beaten": share[place],
                    "low": low[place],
                    "high": high[place],
                    "score": contest.scores[words].mean(),
                    "human_score": contest.human.mean(),
                }
            )
    return pd.DataFrame(rows)


def _table(
    numbers: pd.DataFrame, contests: dict[str, Contest]
) -> pd.DataFrame:
    """Return a row for each number of words: shares with intervals, and the sign test."""
    rows = []

    for words in LENGTHS:
        of_words = numbers[numbers["words"] == words]
        shares = {
            row["metric"]: percent_interval(
                row["beaten"], row["low"], row["high"]
            )
            for row in of_words.to_dict("records")
        }
        test = mcnemar(*(contests[name].beaten(words) for name in METRICS))
        rows.append(
            {
                "words": words,
                "images": len(contests[CIDER].human),
                **shares,
                "only_cider": test.only_a,
                "only_cider_d": test.only_b,
                "p": p_value(test.p),
            }
        )
    return pd.DataFrame(rows)


def _examples(sample: Sample, contests: dict[str, Contest]) -> pd.DataFrame:
    """Return what was written for some images, beside the best human captions."""
    rows = []

    for place, image in enumerate(sample.images[:EXAMPLES]):
        for metric, contest in contests.items():
            rows.append(
                {
                    "image": image,
                    "metric": metric,
                    "string": " ".join(contest.strings[EXAMPLE_LENGTH][place]),
                    "score": contest.scores[EXAMPLE_LENGTH][place],
                    "best_human": " ".join(contest.best[place]),
                    "human_score": contest.human[place],
                }
            )
    return pd.DataFrame(rows)


DEFINITION = Definition(
    name="gaming",
    title=_("Gaming: strings written for a metric"),
    source=_("CIDEr paper, section 8"),
    meaning=MEANING,
    needs=(BOTH_CIDERS, SEVERAL_IMAGES),
    make=gaming,
)
