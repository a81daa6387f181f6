"""Whether strings that are written for a metric beat what people wrote (CIDEr paper, section 8)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.evaluation.bootstrap import image_weights
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.needs import BOTH_CIDERS, SEVERAL_IMAGES
from tercet.analysis.number_texts import counted, fixed
from tercet.analysis.scoring.options import GAMING, Options
from tercet.analysis.stats.resampling import share_and_interval
from tercet.analysis.stats.significance import mcnemar
from tercet.analysis.tables.rows import where
from tercet.analysis.values import p_value, percent_interval
from tercet.lab.gaming.strings import N, grow_strings, n_grams_of, write_string
from tercet.lab.tuples import TUPLES
from tercet.lab.tuples.bast import BAST
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.corpora.document_frequencies import DocumentFrequencies
from tercet.metrics.ngram.baselines import BASELINES
from tercet.metrics.registry import families, name_of

MEANING = (
    "An adversary sees the references of an image and writes the string that the metric scores "
    "highest: word by word, always the word after which the score is highest. The share of images "
    "on which the string beats the best human caption, which is one of the references and left out "
    "of them. In the row “any” each string has its best length, up to 40 words. “CIDEr only” "
    "counts the images on which the string for CIDEr beats the caption and that for CIDEr-D does "
    "not, “CIDEr-D only” the opposite; p is that of the exact sign test of these two numbers. At "
    "most 100 images are taken, at random."
)
CIDER, CIDER_D = METRICS = ("CIDEr", "CIDEr-D")
_ANY = "any"
LENGTHS: tuple[int | str, ...] = (5, 10, 15, 20, 30, 40, _ANY)
"""The numbers of words of the strings that are scored."""
LONGEST = 40
_MOST_IMAGES = 100
MOST_RESAMPLES = 1_000
_MOST_OTHER = 25
"""Images for metrics other than CIDEr and CIDEr-D, for which each string is scored as a whole."""
MOST_WORDS, LONGEST_OTHER = 40, 20
"""Words of an image that strings for other metrics may have, and how long these are at most."""
SAME = 1e-6
"""Scores that differ by less are equal: BLEU's constants make those of perfect captions differ."""
_NOT_GAMED = (TUPLES, BAST, *BASELINES)
EXAMPLES = 5
_EXAMPLE_LENGTH = 20
"""Words of the strings that are shown as examples."""

Tokens = list[str]


@dataclass(frozen=True)
class Contest:
    """What an adversary wrote for one metric, and whom it competes with, image by image.

    Attributes
    ----------
    strings, scores : dict
        By number of words, the strings of all images, and their scores (G,).
    best, human
        The best human captions of all images, and their scores (G,).
    """

    strings: dict[int | str, list[Tokens]]
    best: list[Tokens]
    scores: dict[int | str, FloatArray]
    human: FloatArray

    def beaten(self, words: int | str) -> FloatArray:
        """Whether (images,) the string of `words` words beats the best human caption."""
        is_beaten = self.scores[words] > self.human
        return is_beaten.astype(float)


class ImageSample(NamedTuple):
    """The images that are taken, their references as words, and the document frequencies."""

    images: list[str]
    references: list[list[Tokens]]
    documents: DocumentFrequencies


@finding(
    title="Gaming: strings written for a metric",
    source="CIDEr paper, section 8",
    meaning=MEANING,
    needs=(BOTH_CIDERS, SEVERAL_IMAGES),
    place=82,
)
def gaming(results: Results) -> Content:
    """Tabulate how often an adversary beats the best human caption, and what it writes."""
    sample = _sample(results)
    contests = {name: _contest(sample, name) for name in METRICS}
    numbers = _numbers(results, contests)
    tables = {
        "gaming": _table(numbers, contests),
        "gaming_examples": _examples(sample, contests),
        "gaming_numbers": numbers,
    }
    if others := _other_metrics(results.options):
        tables["gaming_others"] = _others(results, sample, others)

    said = _sentence(numbers)
    return Content(tables=tables, sentence=said)


def _sample(results: Results) -> ImageSample:
    """Draw images with two or more references."""
    tokenize = results.tokenize
    by_image = results.references.groupby("image", sort=False)
    captions = by_image["caption"].agg(list)
    documents = results.options.documents_of_all
    if not isinstance(documents, DocumentFrequencies):
        documents = metrics.count_documents(captions.tolist(), tokenize)

    has_several = captions.map(len) > 1
    possible = captions[has_several]
    generator = results.options.generator(GAMING)
    order = generator.permutation(len(possible))
    drawn = np.sort(order[:_MOST_IMAGES])
    chosen = possible.iloc[drawn]
    references = [[list(tokenize(text)) for text in texts] for texts in chosen]

    images = list(map(str, chosen.index))
    return ImageSample(images, references, documents)


def _contest(sample: ImageSample, metric: str) -> Contest:
    """Write strings for a metric, and score them and the best human captions alike."""
    best, others, human = _best_captions(sample, metric)
    strings: dict[int | str, list[Tokens]] = {words: [] for words in LENGTHS}

    for references in others:
        tokens, best_length = _written(references, sample.documents, metric)
        for words in LENGTHS:
            length = best_length if words == _ANY else int(words)
            strings[words].append(tokens[:length])

    scores = _scores(others, strings, sample.documents, metric)
    return Contest(strings, best, scores, human)


def _other_metrics(options: Options) -> list[str]:
    """Return the other metrics that are wanted by name; those that parse captions take too long."""
    wanted = {name_of(each).lower() for each in options.metrics}
    return [
        name
        for metric in families()
        if metric not in _NOT_GAMED
        for name in metric.all_names
        if name.lower() in wanted and name not in METRICS
    ]


def _others(
    results: Results, sample: ImageSample, names: Sequence[str]
) -> pd.DataFrame:
    """Tabulate how often strings written for other metrics beat people, with an example each."""
    images = sample.images[:_MOST_OTHER]
    references = sample.references[:_MOST_OTHER]
    first = ImageSample(images, references, sample.documents)
    numbers = np.arange(len(images))
    weights = image_weights(results.options, len(images), MOST_RESAMPLES)
    rows = []

    for name in names:
        best, others, human = _best_captions(first, name)
        strings, scores = _grown(others, first.documents, name)
        beaten = (scores > human + SAME).astype(float)
        share, low, high = share_and_interval(beaten, numbers, weights)
        row = {
            "metric": name,
            "images": len(images),
            "beaten": share,
            "low": low,
            "high": high,
            "score": scores.mean(),
            "human_score": human.mean(),
            "image": images[0],
            "string": " ".join(strings[0]),
            "best_human": " ".join(best[0]),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _grown(
    references: Sequence[Sequence[Tokens]], documents: DocumentFrequencies, metric: str
) -> tuple[list[Tokens], FloatArray]:
    """Write a string for each image, as long as scores highest; return strings and scores."""

    def score(strings: Sequence[Tokens], image: IntArray) -> FloatArray:
        found = metrics.score(
            references=references,
            candidates=strings,
            images=image.tolist(),
            metrics=[metric],
            documents=documents,
        )
        return found.captions[metric]

    vocabularies = list(map(_frequent_words, references))
    strings, scores = grow_strings(vocabularies, score, LONGEST_OTHER)
    best = scores.argmax(axis=1)
    cut = zip(strings, best.tolist(), strict=True)
    best_strings = [words[: end + 1] for words, end in cut]
    return best_strings, scores.max(axis=1)


def _frequent_words(captions: Sequence[Tokens]) -> list[str]:
    """Return the words that most captions of an image have."""
    words_once = chain.from_iterable(map(set, captions))
    counts = Counter(words_once)
    words = sorted(counts, key=lambda word: (-counts[word], word))

    return words[:MOST_WORDS]


def _best_captions(
    sample: ImageSample, metric: str
) -> tuple[list[Tokens], list[list[Tokens]], FloatArray]:
    """Return the best reference of each image, the others, and its score with the others."""
    found = metrics.score_references(
        references=sample.references, metrics=[metric], documents=sample.documents
    )
    sizes = list(map(len, sample.references))
    ends = np.cumsum(sizes)
    of_images = np.split(found.captions[metric], ends[:-1])
    best, others, scores = [], [], []

    for texts, own in zip(sample.references, of_images, strict=True):
        number = int(own.argmax())
        others.append(texts[:number] + texts[number + 1 :])
        best.append(texts[number])
        scores.append(own[number])

    return best, others, np.array(scores)


def _written(
    references: Sequence[Tokens], documents: DocumentFrequencies, metric: str
) -> tuple[Tokens, int]:
    """Write a string for a metric; returns its words, and how many of them score highest."""
    different = set(chain.from_iterable(references))
    words = sorted(different)
    number = {word: index for index, word in enumerate(words)}
    texts = [[number[word] for word in text] for text in references]
    grams = n_grams_of(texts, len(words))

    rarest = np.log(documents.images)
    squares = np.zeros(len(grams.depth))
    for n in range(1, N + 1):
        nodes, of_length = grams.of_length(n)
        counted = documents.look_up(of_length, words)
        weight = rarest - np.log(np.maximum(counted, 1))
        squares[nodes] = weight**2

    string = write_string(grams, squares, rarest**2, metric == CIDER_D, LONGEST)
    tokens = [words[number] for number in string.tokens.tolist()]
    best_length = int(string.scores.argmax()) + 1
    return tokens, best_length


def _scores(
    references: Sequence[Sequence[Tokens]],
    strings: Mapping[int | str, Sequence[Tokens]],
    documents: DocumentFrequencies,
    metric: str,
) -> dict[int | str, FloatArray]:
    """Score the strings of all lengths at once: (images,) by number of words."""
    candidates = list(chain.from_iterable(strings.values()))
    images = list(range(len(references)))
    found = metrics.score(
        references=references,
        candidates=candidates,
        images=images * len(strings),
        metrics=[metric],
        documents=documents,
    )
    scores = found.captions[metric]
    by_length = scores.reshape(len(strings), -1)
    return dict(zip(strings, by_length, strict=True))


def _numbers(results: Results, contests: dict[str, Contest]) -> pd.DataFrame:
    """Return a row for each metric and number of words."""
    images = np.arange(len(contests[CIDER].human))
    weights = image_weights(results.options, len(images), MOST_RESAMPLES)
    tables = []

    for metric, contest in contests.items():
        beaten = np.column_stack(list(map(contest.beaten, LENGTHS)))
        share, low, high = share_and_interval(beaten, images, weights)
        columns = {
            "metric": metric,
            "words": LENGTHS,
            "images": len(images),
            "beaten": share,
            "low": low,
            "high": high,
            "score": [contest.scores[words].mean() for words in LENGTHS],
            "human_score": contest.human.mean(),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def _table(numbers: pd.DataFrame, contests: dict[str, Contest]) -> pd.DataFrame:
    """Return a row for each number of words: shares with intervals, and the sign test."""
    rows = []

    images = len(contests[CIDER].human)
    for words in LENGTHS:
        shares = {}
        for each in where(numbers, words=words).to_dict("records"):
            share = percent_interval(each["beaten"], each["low"], each["high"])
            shares[each["metric"]] = share

        beaten = [contests[name].beaten(words) for name in METRICS]
        test = mcnemar(*beaten)
        row = {
            "words": words,
            "images": images,
            **shares,
            "only_cider": test.only_a,
            "only_cider_d": test.only_b,
            "p": p_value(test.p),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _examples(sample: ImageSample, contests: dict[str, Contest]) -> pd.DataFrame:
    """Return what was written for some images, beside the best human captions."""
    rows = []

    for number, image in enumerate(sample.images[:EXAMPLES]):
        for metric, contest in contests.items():
            tokens = contest.strings[_EXAMPLE_LENGTH][number]
            scores = contest.scores[_EXAMPLE_LENGTH]
            row = {
                "image": image,
                "metric": metric,
                "string": " ".join(tokens),
                "score": scores[number],
                "best_human": " ".join(contest.best[number]),
                "human_score": contest.human[number],
            }
            rows.append(row)

    return pd.DataFrame(rows)


def _sentence(numbers: pd.DataFrame) -> str:
    """Say how often strings written for CIDEr and for CIDEr-D beat people."""
    beaten = numbers.set_index(["metric", "words"])["beaten"]
    shares = (100 * beaten).astype(float)
    images = numbers["images"].iloc[0]

    return (
        "At their best length, strings that were written for CIDEr beat the best human caption on "
        f"{fixed(shares[CIDER, _ANY], 0)} % of {counted(int(images), 'image')}, those for CIDEr-D "
        f"on {fixed(shares[CIDER_D, _ANY], 0)} %; with {_EXAMPLE_LENGTH} words, on "
        f"{fixed(shares[CIDER, _EXAMPLE_LENGTH], 0)} % and on "
        f"{fixed(shares[CIDER_D, _EXAMPLE_LENGTH], 0)} %."
    )
