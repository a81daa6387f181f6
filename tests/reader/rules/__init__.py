"""What reports say, subject by subject: importing this package declares all rules."""

from tests.reader.rules import (
    accuracy,
    answer,
    ceilings,
    people,
    ratings,
    reasons,
    systems,
    whole,
)

__all__ = [
    "accuracy",
    "answer",
    "ceilings",
    "people",
    "ratings",
    "reasons",
    "systems",
    "whole",
]
