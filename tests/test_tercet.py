"""The face of the installed package."""

import doctest

import pytest

import tercet
from analysis.evaluation.results import evaluate


def test_the_example_of_the_documentation_is_true() -> None:
    assert doctest.testmod(tercet) == (0, 2)


@pytest.mark.parametrize("name", tercet.__all__)
def test_every_name_of_the_face_is_there(name: str) -> None:
    assert name in dir(tercet)
    assert getattr(tercet, name) is not None


def test_the_names_of_the_analysis_are_its_own() -> None:
    assert tercet.evaluate is evaluate


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unheard_of'"):
        tercet.unheard_of  # noqa: B018
