"""What learned metrics are trained on: the scores of candidates, and what people said of them.

Arrays: P pairs, N rated or written captions, M metrics.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Self

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.evaluation.results import Results
from tercet.analysis.scoring.learned import RATING_MODEL, WINNER_MODEL, complete_metrics
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Arranged
from tercet.analysis.scoring.sources import Sources, measured_by, score_once, to_score
from tercet.analysis.stats.scores.ratings import EVERY
from tercet.analysis.stats.scores.weights import (
    E,
    Numbers,
    PairExamples,
    joined_examples,
)
from tercet.analysis.tables.rows import captions_by_image, where
from tercet.analysis.tables.schema import (
    CANDIDATES,
    HUMAN,
    SCORES,
    Dataset,
    with_numbers,
)
from tercet.metrics import FloatArray
from tercet.metrics.composed.learned import image_digest, shared_images
from tercet.metrics.text.inputs import check

_LEAST_REFERENCES = 2
"""The fewest references of an image: the last one stands for the caption of a person."""


@dataclass(frozen=True)
class NamedExamples(Generic[E]):
    """Examples of the judgments of people.

    Attributes
    ----------
    names : sequence of str
        The metrics.
    examples : PairExamples or Numbers
    scores : float array (C, M)
        Of all captions of the examples.
    """

    names: Sequence[str]
    examples: E
    scores: FloatArray

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The lowest and the highest score by each metric: (M,) each."""
        lowest = self.scores.min(axis=0)
        highest = self.scores.max(axis=0)
        return lowest, highest

    def of(self, names: Sequence[str]) -> Self:
        """Return the examples by some of the metrics; ValueError where one is missing."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise ValueError(
                f"{missing[0]} does not score every rated caption: leave it out of --metrics"
            )

        own = [self.names.index(name) for name in names]
        features = self.examples.features[:, own]
        examples = replace(self.examples, features=features)
        scores = self.scores[:, own]
        return replace(self, names=names, examples=examples, scores=scores)


def joined(found: Sequence[NamedExamples[E]]) -> NamedExamples[E]:
    """Put the examples of several datasets together, by the metrics that score all of them."""
    first, *others = found
    names = [name for name in first.names if all(name in own.names for own in others)]
    if not names:
        raise ValueError(
            "no metric scores all candidates of every folder: choose others by --metrics"
        )

    chosen = [each.of(names) for each in found]

    return NamedExamples(
        names,
        joined_examples([each.examples for each in chosen]),
        np.concatenate([each.scores for each in chosen]),
    )


def pair_examples(results: Results) -> NamedExamples[PairExamples]:
    """Take the metrics that score every pair, and the winners by all triplets.

    The scores are those with all references, or with the only number that is evaluated.
    """
    samples = results.samples
    options = results.options
    pairs = samples.pairs
    count = pairs.learning_count(options)
    if count:
        sources = replace(samples.sources, weights={})
        scores = score_once(pairs, sources, options, count=count)
    else:
        scores = {
            name: np.stack([tally.score_b, tally.score_c])
            for name, tally in samples.tallies.items()
            if name != WINNER_MODEL
        }

    names = complete_metrics(scores)
    columns = [scores[name] for name in names]
    b, c = np.stack(columns, axis=-1) if names else np.empty((2, len(pairs), 0))
    examples = PairExamples(b - c, pairs.human.winner, pairs.image)
    scores_of_both = np.concatenate([b, c])
    return NamedExamples(names, examples, scores_of_both)


def rated_examples(results: Results) -> NamedExamples[Numbers]:
    """Take the metrics that score every rated caption, and every rating."""
    rows = results.ratings.rated.rows.summarised(EVERY)
    scores = results.ratings.scores
    names = [name for name in scores if name != RATING_MODEL]

    columns = np.column_stack([rows.scores(scores[name]) for name in names])
    examples = Numbers(columns, rows.rating, rows.image)
    return NamedExamples(names, examples, columns)


def written_examples(
    dataset: Dataset, options: Options, count: int | None = None
) -> NamedExamples[Numbers]:
    """Score captions of people, whose number is 1, and of machines (0), none with itself.

    Those of people are the candidates with the source `human`; where there are none, the last
    reference of each image.

    Parameters
    ----------
    dataset : Dataset
        References, and candidates with their sources.
    options : Options
        Which metrics, tokenizer and documents.
    count : int, optional
        How many references each caption is given, the first ones. Without it, as many as the
        caption with the fewest has besides itself.
    """
    captions = captions_by_image(dataset.references)
    tokenize = options.tokenize
    all_references = list(captions.values())
    documents = metrics.count_documents(all_references, tokenize)

    written = _with_people(dataset.candidates, dataset.references)
    others = []
    for image, caption in zip(written["image"], written["caption"], strict=True):
        others.append([text for text in captions[image] if text != caption])
    given = count or min(len(each) for each in others if each)
    is_used = np.array([len(each) >= given for each in others])

    used = written[is_used]
    references = [each[:given] for each in others if len(each) >= given]
    texts = used["caption"].tolist()
    inputs = check(references, texts)
    selection = to_score(options, ())
    sources = Sources(selection, measured_by(dataset, selection, inputs, options))
    arranged = Arranged.of_captions(inputs)
    scores = score_once(arranged, sources, options, documents)

    names = list(scores)
    columns = np.column_stack([scores[name] for name in names])
    is_human = np.asarray(used["source"] == HUMAN, dtype=float)
    _names, image = np.unique(used["image"], return_inverse=True)
    examples = Numbers(columns, is_human, image)
    return NamedExamples(names, examples, columns)


def _with_people(candidates: pd.DataFrame, references: pd.DataFrame) -> pd.DataFrame:
    """Return captions with image and source, including the captions of people."""
    if (candidates["source"] == HUMAN).any():
        return candidates.reset_index(drop=True)

    known = where(references, image=candidates["image"])
    by_image = known.groupby("image", sort=False)
    sizes = by_image["caption"].transform("size")
    several = known[sizes >= _LEAST_REFERENCES]
    last = several.drop_duplicates("image", keep="last")

    columns = list(CANDIDATES.columns)
    people = last.assign(source=HUMAN)[columns]
    return pd.concat([candidates[columns], people], ignore_index=True)


def first_references(dataset: Dataset, count: int | None) -> Dataset:
    """Keep the first `count` references of each image, and drop images with fewer."""
    if count is None:
        return dataset

    references = dataset.references
    sizes = references.groupby("image")["caption"].transform("size")
    few = references.loc[sizes < count, "image"].unique()

    is_first = references["number"] <= count
    first = replace(dataset, references=references[is_first])
    return without_images(first, few)


def without_images(dataset: Dataset, images: Collection[str]) -> Dataset:
    """Leave out images with all that belongs to them."""
    left_out = list(images)
    is_kept = ~dataset.pairs["image"].isin(left_out)
    pairs = dataset.pairs.loc[is_kept, "pair"]
    rest: dict[str, Any] = {}

    for table, frame in dataset.frames.items():
        if table is SCORES or not {"image", "pair"} & {*frame}:
            continue
        rows = frame
        if "image" in rows:
            rows = rows[~rows["image"].isin(left_out)]
        if "pair" in rows:
            rows = where(rows, pair=["", *pairs])
        rest[table.name] = rows.reset_index(drop=True)

    references = with_numbers(rest["references"])
    rest["references"] = references
    return replace(dataset, **rest)


def digests(datasets: Iterable[Dataset]) -> tuple[str, ...]:
    """Return the digest of each image of datasets (`metrics.composed.learned.image_digest`)."""
    found: list[str] = []
    for dataset in datasets:
        captions = captions_by_image(dataset.references)
        found.extend(map(image_digest, captions.values()))
    return tuple(found)


def images_also_in(dataset: Dataset, other: Dataset) -> list[str]:
    """Return the images of a dataset that another one has, too, by their references."""
    seen = digests([other])
    return shared_images(seen, captions_by_image(dataset.references))
