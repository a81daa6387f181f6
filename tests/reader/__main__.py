"""Read the reports of random degenerate datasets: python -m tests.reader [SEEDS | FIRST-LAST]."""

import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.reader.reader import by_words
from tests.reader.studies import NAMES, OF_TEXTS, faults_of_seed
from tests.support.drawing import draw_nothing

USUAL_SEEDS = "200"


def main(seeds: str) -> int:
    """Print what is false, each kind of sentence once; return 1 if anything is."""
    logging.disable()
    first, _, last = seeds.rpartition("-")
    numbers = range(int(first), int(last) + 1) if first else range(int(last))
    found = []
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        draw_nothing(patch)
        for seed in numbers:
            names = dict.fromkeys((*NAMES, *OF_TEXTS))
            wrong = faults_of_seed(seed, Path(folder), [*names])
            found += [(seed, fault) for fault in wrong]

    for (seed, fault), times in by_words(found).values():
        print(f"{times} times, first of seed {seed}: {fault}")
    print(f"{len(found)} false or unknown sentences in {len(numbers)} datasets")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [USUAL_SEEDS]))
