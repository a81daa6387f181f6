"""Print dawid_skene_goldens.json: votes of our own, and what the reference makes of them.

Run it with crowd-kit 1.4.2 and NumPy 2.4.6 installed:
``python make_dawid_skene_goldens.py > dawid_skene_goldens.json``.
"""

import json
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

# classes, items, annotators, votes an item, steps
CASES: dict[str, tuple[int, int, int, int, int]] = {
    "one step": (2, 20, 6, 3, 1),
    "two classes": (2, 40, 8, 3, 10),
    "two classes, many steps": (2, 40, 8, 5, 60),
    "three classes": (3, 40, 8, 5, 10),
    "everybody votes on everything": (3, 25, 6, 6, 20),
    "few votes from each of many": (2, 60, 25, 3, 20),
}


def golden(
    name: str, classes: int, items: int, annotators: int, each: int, steps: int
) -> Any:
    votes = made(classes, items, annotators, each)
    model = import_module("crowdkit.aggregation").DawidSkene(n_iter=steps, tol=-1)
    fitted = model.fit(votes)
    errors = fitted.errors_.reindex(
        pd.MultiIndex.from_product([range(annotators), range(classes)]), fill_value=0.0
    )
    confusion = errors[range(classes)].to_numpy().reshape(annotators, classes, classes)

    return {
        "name": name,
        "classes": classes,
        "steps": steps,
        "votes": votes.to_numpy().tolist(),
        "posterior": fitted.probas_.loc[range(items), range(classes)]
        .to_numpy()
        .tolist(),
        "confusion": confusion.transpose(0, 2, 1).tolist(),
        "prior": fitted.priors_[range(classes)].tolist(),
    }


def made(classes: int, items: int, annotators: int, each: int) -> pd.DataFrame:
    """Votes of annotators of whom each is right more often than the one before."""
    generator = np.random.default_rng(items + each)
    truth = generator.integers(0, classes, items)
    rows = []

    for item in range(items):
        for annotator in generator.permutation(annotators)[:each].tolist():
            right = generator.random() < 0.5 + 0.45 * annotator / annotators
            other = (truth[item] + generator.integers(1, classes)) % classes
            rows.append((item, annotator, int(truth[item] if right else other)))

    return pd.DataFrame(rows, columns=["task", "worker", "label"])


if __name__ == "__main__":
    json.dump([golden(name, *case) for name, case in CASES.items()], sys.stdout)
    print()
