"""How many examples a test of a property draws."""

from hypothesis import settings

USUAL = 30
"""The examples of a test in `make test`."""


def examples(number: int) -> settings:
    """Draw this many examples in `make test`, and in proportion more in `make explore`."""
    drawn = settings().max_examples  # those of the profile
    return settings(max_examples=number * drawn // USUAL)
