"""The examples in the docstrings of the library are true."""

import doctest
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tercet.lab.tuples import captions, parser
from tercet.lab.vectors import glove

PACKAGES = ("tercet", "tercet.metrics", "tercet.analysis")
NEED_EXTRAS = {
    "tercet.lab.tuples.bast": parser.missing,
    "tercet.lab.vectors.flows": glove.missing,
}
"""The modules whose examples need an optional package, and what says that it is missing."""


def modules_with_examples() -> Iterator[str]:
    """The names of modules whose source has an example."""
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent

        for file in sorted(folder.rglob("*.py")):
            if ">>> " in file.read_text(encoding="utf-8"):
                parts = file.relative_to(folder).with_suffix("").parts
                names = (package, *parts)
                yield ".".join(names).removesuffix(".__init__")


@pytest.fixture
def _optional_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Switch the parser and the vectors on; what is parsed is kept in a folder of the test."""
    monkeypatch.delenv(parser.VARIABLE)
    monkeypatch.delenv(glove.VARIABLE)
    monkeypatch.setattr(captions, "cache_directory", lambda: tmp_path)


@pytest.mark.usefixtures("_optional_packages")
@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_the_examples_are_true(name: str) -> None:
    if name in NEED_EXTRAS and (problem := NEED_EXTRAS[name]()):
        pytest.skip(problem)

    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_the_face_of_each_library_has_examples() -> None:
    assert {"tercet", "tercet.metrics", "tercet.metrics.scoring"} <= set(
        modules_with_examples()
    )
