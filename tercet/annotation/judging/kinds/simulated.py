"""How simulated annotators answer, whatever is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

Beliefs = Mapping[str, str]
"""The preferred candidate, B or C, by the name of the pair."""


@dataclass
class Character:
    """The reliability (0..1) and beliefs of a simulated annotator, and its own generator."""

    reliability: float
    beliefs: Beliefs
    random: Random
