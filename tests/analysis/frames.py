"""Datasets in memory for the tests of analysis."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
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


def table_of(results: Results, finding: str, table: str = "") -> pd.DataFrame:
    """A table of a finding, which must not have failed; by default that of the finding's name."""
    tables = find_one(results, finding).tables
    return tables[table or finding]


def rows_with(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """The rows with these values in the columns of these names."""
    for name, value in values.items():
        table = table[table[name] == value]

    return table


def one_row(table: pd.DataFrame, **values: object) -> dict[Any, Any]:
    """The only row with these values."""
    rows = rows_with(table, **values)
    [row] = rows.to_dict("records")
    return row


def with_winners(made: Dataset, winners: Sequence[str]) -> Dataset:
    """The dataset with the published winners B, C or "" instead of votes."""
    return replace(made, pairs=made.pairs.assign(winner=list(winners)))


def _random_captions(generator: np.random.Generator) -> Iterator[str]:
    """Captions of two to seven words and a number that no other has."""
    for number in count(1):
        length = generator.integers(2, 8)
        words = generator.choice(WORDS, size=length)
        yield f"{' '.join(words)} {number}"


def dataset_by_sources(
    references: folders.Rows, pairs: folders.Rows, winners: str | Sequence[str]
) -> Dataset:
    """Pairs of candidates whose sources are known, with published winners or one for all."""
    columns = (*folders.PAIR_COLUMNS, "source_b", "source_c")
    rows = frame(PAIRS, pairs, columns)
    table = rows.assign(winner=winners)

    return Dataset(references=with_numbers(frame(REFERENCES, references)), pairs=table)


def without_votes(made: Dataset) -> Dataset:
    return replace(made, votes=made.votes.iloc[:0])


def even_dataset(seed: int, images: int, references: int, pairs: int = 3) -> Dataset:
    """A random dataset whose images have equally many references."""
    return random_dataset(seed, [references] * images, pairs)


def random_dataset(seed: int, counts: Sequence[int], pairs: int = 3) -> Dataset:
    """Images with `counts` references and some pairs each, of random words and random votes."""
    generator = np.random.default_rng(seed)
    new = _random_captions(generator)
    images = [f"image {place}" for place in range(len(counts))]
    references = [
        (image, next(new))
        for image, number in zip(images, counts, strict=True)
        for _ in range(number)
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
