"""How well one caption predicts the words of others (COCO captions paper, section 4.2).

An image has K captions. One is the prediction, k of the others are references. A word that c of
the references contain counts c times for the image; a predicted word that none contains is a
false positive and counts once. All figures are expectations over every choice of the prediction
and of its references, so nothing is drawn: they need only the number of images in which m of the
K captions contain a word.

Arrays: W words, N captions, G images.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy.special import comb

from tercet.analysis.stats.resampling import exact_interval, share, share_interval
from tercet.metrics import FloatArray, IntArray

_Z_95 = 1.959963984540054
"""Standard errors on either side of a 95 % interval."""
ROUNDING = 1e-12
"""By how much, relatively, a recall may miss another and still reach it."""

_Histograms: TypeAlias = Mapping[int, IntArray]
"""By the number K of captions, images in which m of them contain each word: (W, K + 1)."""


@dataclass(frozen=True)
class WordCounts:
    """How many captions of each image contain each word.

    Attributes
    ----------
    words
        The W words, the most frequent first.
    held
        Columns image and word (indices), and times, how many captions contain it, above 0.
    captions
        The number of captions of each image, K: shape (G,).
    """

    words: tuple[str, ...]
    held: pd.DataFrame
    captions: IntArray

    @property
    def frequency(self) -> IntArray:
        """How many captions contain each word: (W,)."""
        times = np.bincount(self.held["word"], self.held["times"], len(self.words))
        return times.astype(np.int64)

    def histograms(self, images: IntArray | None = None) -> _Histograms:
        """Count images by the number of captions that contain each word.

        `images` are the indices of the images to count, one as often as it is given; all if None.
        """
        if images is None:
            images = np.arange(len(self.captions))

        rows = pd.DataFrame({"image": images}).merge(self.held, on="image")
        sizes = self.captions[images]
        counted = {}

        for size, table in self._by_size(rows).items():
            images_of_size = (sizes == size).sum()
            table[:, 0] = images_of_size - table[:, 1:].sum(axis=1)
            counted[size] = table

        return counted

    def predicted(
        self, tokens: Sequence[Sequence[str]], images: IntArray
    ) -> _Histograms:
        """Count, of the images whose predicted caption contains a word, as `histograms` does.

        `tokens` are the words of each predicted caption, `images` the indices of their images.
        """
        rows = _words_of(tokens, images, self.words)
        known = self.with_times(rows)
        return self._by_size(known)

    def with_times(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Add to rows (image, word) how many captions of the image contain the word."""
        known = rows.merge(self.held, on=["image", "word"], how="left")
        times = known["times"].fillna(0).astype(np.int64)
        return known.assign(times=times)

    def _by_size(self, rows: pd.DataFrame) -> dict[int, IntArray]:
        """Count rows (image, word, times) by word and times, apart for each number of captions."""
        sizes = self.captions[rows["image"].to_numpy(np.int64)]
        counted = {}

        for size in np.unique(self.captions).tolist():
            word, times = rows.loc[sizes == size, ["word", "times"]].to_numpy().T
            table = np.zeros((len(self.words), size + 1), np.int64)
            np.add.at(table, (word, times), 1)
            counted[size] = table

        return counted


@dataclass(frozen=True)
class Agreement:
    """Precision Hp and recall Hr of each word (W,), 0..1.

    Precision is NaN where a word is never predicted, recall where it is never present. `low` and
    `high` are the 95 % interval of the precision over images, the exact one where all images
    agree; `positives` is how often the word is present in references.
    """

    precision: FloatArray
    low: FloatArray
    high: FloatArray
    recall: FloatArray
    positives: FloatArray


def count_words(
    tokens: Sequence[Sequence[str]], image: IntArray, most: int
) -> WordCounts:
    """Count the captions of each image that contain each of the most frequent words.

    Parameters
    ----------
    tokens
        The words of N captions; a word that a caption has twice counts once.
    image
        The index of each caption's image, from 0 without gaps: shape (N,).
    most
        The number of words; of equally frequent ones the first in the alphabet.
    """
    frequency = Counter(word for caption in tokens for word in set(caption))
    words = sorted(frequency, key=lambda word: (-frequency[word], word))[:most]
    rows = _words_of(tokens, image, words)
    counts = rows.value_counts(sort=False)
    held = counts.reset_index(name="times")
    captions = np.bincount(image)
    return WordCounts(tuple(words), held, captions)


def people_agreement(people: _Histograms, k: int) -> Agreement:
    """Compute how well a person's caption predicts the words of k >= 1 others.

    `people` are the `WordCounts.histograms` of captions; images with k captions or fewer are left
    out.

    Notes
    -----
    With h[m] images in which m of K captions contain the word: true positives are the sum of
    h[m] k m (m - 1) / (K (K - 1)), false positives that of h[m] (m / K) C(K - m, k) / C(K - 1, k),
    and positives that of h[m] k m / K. The interval is by the delta method: each image adds to the
    variance the square of its true positives less precision times all its predictions.
    """
    words = len(next(iter(people.values())))
    true, false, positives, predicting, variance = np.zeros((5, words))
    parts = [
        (images, *_expected(captions, k))
        for captions, images in people.items()
        if captions > k
    ]

    for images, hits, misses, present in parts:
        true += images @ hits
        false += images @ misses
        positives += images @ present
        predicting += images[:, 1:].sum(axis=1)

    predictions = true + false
    precision = share(true, predictions)
    for images, hits, misses, _present in parts:
        deviation = hits - precision[:, None] * (hits + misses)
        variance += (images * deviation**2).sum(axis=1)

    margin = _Z_95 * share(np.sqrt(variance), predictions)
    bounds = np.maximum(precision - margin, 0), np.minimum(precision + margin, 1)
    low, high = share_interval(bounds, exact_interval(precision, predicting))
    return Agreement(precision, low, high, share(true, positives), positives)


def system_agreement(
    people: _Histograms, predicted: _Histograms, k: int
) -> tuple[FloatArray, FloatArray]:
    """Compute precision and recall of the words in a system's captions: (W,) each.

    Parameters
    ----------
    people
        Of the captions of people for the images that the system describes.
    predicted
        Of those of them whose caption by the system contains the word.
    k
        The number of references, at least 1; images with fewer captions are left out.
    """
    words = len(next(iter(people.values())))
    true, false, positives = np.zeros((3, words))

    for captions, images in people.items():
        if captions >= k:
            present, absent = _expected_by_held(captions, np.arange(captions + 1), k)
            predicting = predicted[captions]
            true += predicting @ present
            false += predicting @ absent
            positives += images @ present

    precision = share(true, true + false)
    recall = share(true, positives)
    return precision, recall


def precision_at_recall(
    score: FloatArray,
    present: FloatArray,
    absent: FloatArray,
    positives: float,
    recall: float,
) -> float:
    """Compute a system's precision, 0..1, for one word where it reaches a given recall, or NaN.

    Images are predicted to show the word from the highest score down, those of equal scores
    together. Between two of these points, precision is interpolated linearly in recall; before the
    first, it is that of the first.

    Parameters
    ----------
    score
        Of the images that the system scores: shape (N,).
    present, absent
        The true and false positives that each of these images adds; see `_expected_by_held`.
    positives
        The sum over all images that the system describes.
    recall
        0..1, such as that of people.
    """
    from_best = np.argsort(-score, kind="stable")
    is_last = np.append(np.diff(score[from_best]) != 0, True)
    summed = np.cumsum([present[from_best], absent[from_best]], axis=1)
    true, false = summed[:, is_last]

    reached = share(true, np.full(len(true), positives))
    precision = share(true, true + false)
    is_enough = reached >= recall * (1 - ROUNDING)
    if not is_enough.any():
        return float("nan")

    end = int(np.argmax(is_enough)) + 1
    return float(np.interp(recall, reached[:end], precision[:end]))


def precisions_at_recall(
    counts: WordCounts, scores: pd.DataFrame, k: int, recall: FloatArray
) -> FloatArray:
    """Compute a system's precision for each word where it reaches a given recall: (W,).

    Parameters
    ----------
    counts
        The captions of people.
    scores
        Columns image and word (indices; -1 for a word that is not looked at) and score: how likely
        the system thinks the word is for the image. A word without a score for an image that the
        system describes is not predicted for it.
    k
        The number of references, at least 1; images with fewer captions are left out.
    recall
        Of each word: shape (W,). See `precision_at_recall`.
    """
    described = scores["image"].unique()
    scores = scores[scores["word"] >= 0]
    held = counts.held[counts.held["image"].isin(described)]
    held = _with_expected(held, counts.captions, k)
    positives = np.bincount(held["word"], held["present"], len(counts.words))

    known = counts.with_times(scores)
    found = np.full(len(counts.words), np.nan)

    expected = _with_expected(known, counts.captions, k)
    for word, own in expected.groupby("word"):
        number = int(str(word))
        found[number] = precision_at_recall(
            own["score"].to_numpy(),
            own["present"].to_numpy(),
            own["absent"].to_numpy(),
            positives[number],
            recall[number],
        )

    return found


def _with_expected(rows: pd.DataFrame, captions: IntArray, k: int) -> pd.DataFrame:
    """Add true and false positives to rows (image, times); images of too few captions go.

    Rows are ordered by the number of captions of their image.
    """
    size = captions[rows["image"].to_numpy(np.int64)]
    order = np.argsort(size, kind="stable")
    order = order[size[order] >= k]

    kept: pd.DataFrame = rows.iloc[order]
    times = kept["times"].to_numpy(np.int64)
    present, absent = _expected_by_held(size[order], times, k)
    return kept.assign(present=present, absent=absent)


def _expected_by_held(
    captions: IntArray | int, held: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Compute what images add where a system predicts a word.

    Returns true positives, which are also the image's positives, and false positives, for images
    with so many captions, at least k, of which so many contain (`held`) the word.
    """
    absent = comb(captions - held, k) / comb(captions, k)
    return k * held / captions, np.asarray(absent, np.float64)


def model_precision(recall: FloatArray, k: int) -> FloatArray:
    """Compute precision under the model in which people use a word independently.

    The word's thing is there in some images, each person then names it with the chance p, and
    nobody names it elsewhere: recall is p, 0..1, and precision p k / (p k + (1 - p)^k) with k
    references.
    """
    hits = recall * k
    misses = (1 - recall) ** k
    return share(hits, hits + misses)


def _expected(captions: int, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return true positives, false positives, and positives of an image, by m: (K + 1,) each."""
    held = np.arange(captions + 1)
    chance = held / captions

    hits = k * chance * (held - 1) / (captions - 1)
    misses = chance * comb(captions - held, k) / comb(captions - 1, k)
    return np.maximum(hits, 0), misses, k * chance


def _words_of(
    tokens: Sequence[Sequence[str]], image: IntArray, words: Sequence[str]
) -> pd.DataFrame:
    """Return a row (image, word: indices) for each of these words in each caption."""
    numbers = {word: number for number, word in enumerate(words)}
    found = []

    for own, caption in zip(image.tolist(), tokens, strict=True):
        known = [word for word in dict.fromkeys(caption) if word in numbers]
        found += [(own, numbers[word]) for word in known]

    return pd.DataFrame(found, columns=["image", "word"], dtype=np.int64)
