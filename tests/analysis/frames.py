"""Datasets in memory for the tests of analysis."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Finding
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.schema import (
    CATEGORIES,
    PAIRS,
    REFERENCES,
    VOTES,
    Dataset,
    with_numbers,
)
from tests.support import folders

loaded = cache(load)
"""`load`, once for each folder that does not change."""

WORDS = ("a", "cat", "dog", "runs", "sleeps", "on", "grass", "roof", "ball", "the")


def frame(
    table: Table, rows: folders.Rows, columns: Sequence[str] = ()
) -> pd.DataFrame:
    """Rows of `columns` (those required, if not said) as a frame with all columns of `table`."""
    named = pd.DataFrame(list(rows), columns=pd.Index(columns or table.required))
    return named.reindex(columns=list(table.columns), fill_value="").astype("str")


def dataset(
    references: folders.Rows = folders.REFERENCES,
    pairs: folders.Rows = folders.PAIRS,
    votes: folders.Rows = (),
    study: dict[str, Any] | None = None,
) -> Dataset:
    """The small dataset of tests/support/folders.py, or another."""
    return Dataset(
        references=with_numbers(frame(REFERENCES, references)),
        pairs=frame(PAIRS, pairs, folders.PAIR_COLUMNS),
        votes=frame(VOTES, votes),
        study=study or {},
    )


def find_one(results: Results, name: str) -> Finding:
    """The finding of this name, which must not have failed."""
    [finding] = find(results, [name])
    assert not finding.error, finding.error

    return finding


def one_row(table: pd.DataFrame, **values: object) -> dict[Any, Any]:
    """The only row with these values."""
    for name, value in values.items():
        table = table[table[name] == value]

    [row] = table.to_dict("records")
    return row


def with_winners(made: Dataset, winners: Sequence[str]) -> Dataset:
    """The dataset with the published winners B, C or "" instead of votes."""
    return replace(made, pairs=made.pairs.assign(winner=list(winners)))


def random_dataset(seed: int, counts: Sequence[int], pairs: int = 3) -> Dataset:
    """Images with `counts` references and some pairs each, of random words and random votes."""
    generator = np.random.default_rng(seed)

    def captions() -> Iterator[str]:
        number = 0
        while True:
            number += 1
            words = " ".join(generator.choice(WORDS, size=generator.integers(2, 8)))
            yield f"{words} {number}"

    new = captions()
    images = [f"image {place}" for place in range(len(counts))]
    references = [
        (image, next(new))
        for image, count in zip(images, counts, strict=True)
        for _ in range(count)
    ]
    made = [
        (
            f"{image} pair {number}",
            image,
            next(new),
            next(new),
            CATEGORIES[(place + number) % 4],
        )
        for place, image in enumerate(images)
        for number in range(pairs)
    ]
    votes = [
        (
            pair,
            reference,
            f"annotator {person}",
            generator.choice(["B", "B", "C", "tie"]),
        )
        for (pair, image, *_) in made
        for reference in range(1, counts[images.index(image)] + 1)
        for person in range(3)
    ]

    return dataset(references, made, votes)
