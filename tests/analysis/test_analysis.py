"""The interface of the package."""

import subprocess
import sys

import pytest

from tercet import analysis
from tests.support.folders import ROOT


def test_every_name_of_the_interface_can_be_imported() -> None:
    assert dir(analysis) == analysis.__all__
    for name in analysis.__all__:
        assert getattr(analysis, name).__name__ == name


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'evaluation_of'"):
        _ = analysis.evaluation_of


def test_importing_it_loads_neither_pandas_nor_matplotlib() -> None:
    code = "import sys, analysis; print({'pandas', 'matplotlib'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert run.stdout == "set()\n"
