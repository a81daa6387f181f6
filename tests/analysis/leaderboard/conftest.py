"""A small challenge: systems that copy words of the references, more or less."""

from collections.abc import Callable

import numpy as np
import pytest

from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import score_system

NOUNS = [
    "dog",
    "cat",
    "bird",
    "horse",
    "car",
    "boat",
    "child",
    "woman",
    "man",
    "tree",
    "house",
    "street",
    "table",
    "ball",
    "kite",
]
VERBS = ["runs", "sits", "flies", "stands", "jumps", "sleeps", "waits", "plays"]
IMAGES = 60
METRICS = ("BLEU-1", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D")

System = Callable[..., SystemScores]


def sentences(
    generator: np.random.Generator, nouns: list[str], count: int
) -> list[str]:
    """Sentences about the same two things."""
    verbs = generator.choice(VERBS, count).tolist()
    return [f"a {nouns[0]} {verb} near the {nouns[1]} today" for verb in verbs]


@pytest.fixture(scope="session")
def rules() -> Rules:
    return Rules(METRICS, (3, 5), seed=1)


@pytest.fixture(scope="session")
def references() -> list[list[str]]:
    """The references of each image: five, and one more of every second image."""
    generator = np.random.default_rng(3)
    return [
        sentences(
            generator, generator.choice(NOUNS, 2, replace=False).tolist(), 5 + image % 2
        )
        for image in range(IMAGES)
    ]


@pytest.fixture(scope="session")
def system(references: list[list[str]], rules: Rules) -> System:
    """Score a system that describes the right image with the probability `skill`."""

    def score(skill: float, seed: int = 0) -> SystemScores:
        generator = np.random.default_rng(seed)
        shown = np.where(
            generator.random(IMAGES) < skill,
            np.arange(IMAGES),
            generator.integers(0, IMAGES, IMAGES),
        )
        captions = [references[image][0].replace("today", "now") for image in shown]

        return score_system(references, captions, rules)

    return score


@pytest.fixture(scope="session")
def systems(system: System) -> dict[str, SystemScores]:
    """A good system, one that hardly differs from it, and a bad one."""
    return {"good": system(0.9), "similar": system(0.88, seed=5), "bad": system(0.1)}
