"""What reports say, subject by subject: importing this package declares all rules."""

from tests.reader.rules import (
    accuracy,
    answer,
    ceilings,
    models,
    people,
    raters,
    ratings,
    reasons,
    systems,
    texts,
    whole,
    worth,
)

__all__ = [
    "accuracy",
    "answer",
    "ceilings",
    "models",
    "people",
    "raters",
    "ratings",
    "reasons",
    "systems",
    "texts",
    "whole",
    "worth",
]
