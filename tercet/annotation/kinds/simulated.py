"""How simulated annotators answer, whatever is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random

Beliefs = Mapping[str, str]
"""The preferred candidate, B or C, by the name of the pair."""


class Habit(StrEnum):
    """How a simulated annotator answers.

    Good and fast ones answer by their beliefs, with their reliability; fast ones take less than a
    second. The others choose at random, or always the left candidate.
    """

    GOOD = "good"
    RANDOM = "random"
    LEFT = "left"
    FAST = "fast"


@dataclass
class Character:
    """The habit, reliability (0..1) and beliefs of a simulated annotator, and its own chance."""

    habit: Habit
    reliability: float
    beliefs: Beliefs
    random: Random
