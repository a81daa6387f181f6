"""Make a suite of distractors from a dataset: an ordinary dataset again."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.random import Generator

from tercet.analysis.tables.schema import (
    CANDIDATES,
    PAIRS,
    REFERENCES,
    Dataset,
    with_numbers,
)
from tercet.lab.robustness.pool import CaptionedImage, Pool, gather
from tercet.lab.robustness.tasks import CORRECT, INVARIANT, TASKS, Task
from tercet.metrics import plain

_KEPT = ("licence", "citation", "url", "origin")
"""What a suite takes over from the description of the dataset."""
_Used: TypeAlias = tuple[int, str, str]
"""The number of an image, and both captions of a pair."""


def make_suite(dataset: Dataset, tasks: Sequence[Task], seed: int = 0) -> Dataset:
    """Make the pairs of a correct caption and a distractor.

    Parameters
    ----------
    dataset
        With two or more references an image. The first is the correct caption, the others are the
        references of the suite.
    tasks
        What distractors to make. One is made for each image where the task is possible.
    seed
        Of everything random. Each task has a stream of its own; a pair that an earlier task
        made already is not made again.

    Returns
    -------
    Dataset
        With a pair for each distractor: its category is the task, its winner the correct caption
        (or the more general name, source `hypernym`), B and C in random order. Captions after a
        change that leaves them as good are candidates, together with the correct one.

    Raises
    ------
    ValueError
        If no image has two different captions.
    MissingParserError, MissingDataError
        If a task needs what is not installed.
    """
    needs_parser = any(task.needs_parser for task in tasks)
    pool = gather(dataset, with_phrases=needs_parser)

    pairs: list[dict[str, str]] = []
    changed: list[dict[str, str]] = []
    used: set[_Used] = set()

    for number, task in enumerate((*TASKS, *INVARIANT)):
        generator = np.random.default_rng([seed, number])
        if task not in tasks:
            continue

        if task in INVARIANT:
            changed += _changed(pool, task, generator)
        else:
            pairs += _pairs(pool, task, generator, used)

    correct = [
        {"image": item.image, "caption": item.correct, "source": CORRECT}
        for item in pool.items
    ]
    references = [
        {"image": item.image, "caption": caption}
        for item in pool.items
        for caption in item.references
    ]
    return Dataset(
        references=with_numbers(_frame(references, REFERENCES.columns)),
        pairs=_frame(pairs, PAIRS.columns),
        candidates=_frame([*correct, *changed] if changed else [], CANDIDATES.columns),
        info=_info(dataset, seed),
    )


def _pairs(
    pool: Pool, task: Task, generator: Generator, used: set[_Used]
) -> Iterator[dict[str, str]]:
    """Yield a pair for each item that the task is possible for; none that was used before."""
    number = 0

    for item in pool.items:
        better = task.better(item)
        if better is None:
            continue

        made = _distractors(pool, item, task, better, generator)
        new = (text for text in made if (item.number, better, text) not in used)
        worse = next(new, None)
        if worse is None:
            continue

        number += 1
        used.add((item.number, better, worse))
        winner, loser = ("b", "c") if generator.random() < 0.5 else ("c", "b")
        yield {
            "pair": f"{task.name.replace(' ', '-')}-{number:05}",
            "image": item.image,
            "category": task.name,
            f"candidate_{winner}": better,
            f"candidate_{loser}": worse,
            f"source_{winner}": task.source,
            f"source_{loser}": task.name,
            "winner": winner.upper(),
        }


def _distractors(
    pool: Pool, item: CaptionedImage, task: Task, better: str, generator: Generator
) -> Iterator[str]:
    """Yield the distractors that the references allow and that have other words."""
    words = plain(better)

    for caption in task.make(pool, item, generator):
        if plain(caption) != words and item.allows(caption):
            yield caption


def _changed(pool: Pool, task: Task, generator: Generator) -> Iterator[dict[str, str]]:
    """Yield a changed caption for each item that the task is possible for."""
    for item in pool.items:
        made = task.make(pool, item, generator)
        others = (caption for caption in made if caption != item.correct)
        changed = next(others, None)
        if changed:
            yield {"image": item.image, "caption": changed, "source": task.name}


def _frame(rows: Sequence[dict[str, str]], columns: Sequence[str]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=list(columns), dtype="str")
    return table.fillna("").astype("str")


def _info(dataset: Dataset, seed: int) -> dict[str, str]:
    """Say what the suite is made of; licence and citation stay."""
    title = dataset.info.get("title", "")
    return {
        "title": f"Distractors of {title}",
        "description": f"Made by tercet distractors --seed {seed}.",
        **{name: text for name, text in dataset.info.items() if name in _KEPT},
    }
