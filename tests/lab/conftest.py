"""The word vectors for the tests of what takes them."""

import pytest

from tercet.lab.vectors import glove


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch the word vectors on."""
    monkeypatch.delenv(glove.VARIABLE, raising=False)
    if problem := glove.missing():
        pytest.skip(problem)
