"""The face of the installed package."""

import pytest

import tercet
from tercet import analysis


@pytest.mark.parametrize("name", tercet.__all__)
def test_every_name_of_the_face_is_there(name: str) -> None:
    assert name in dir(tercet)
    assert getattr(tercet, name) is not None


def test_the_names_of_the_analysis_are_its_own() -> None:
    assert tercet.evaluate is analysis.evaluate


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unheard_of'"):
        tercet.unheard_of  # noqa: B018
