"""Every test and benchmark that docs/promises.md names exists."""

import re

from tests.support.folders import ROOT

PROMISES = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def test_the_tests_that_are_named_exist() -> None:
    named = re.findall(r"`(tests/[a-z0-9_/]+[.]py)(?:::(test_[a-z0-9_]+))?`", PROMISES)
    assert len(named) > 30
    for file, test in named:
        assert f"def {test}" in (ROOT / file).read_text(encoding="utf-8"), (file, test)


def test_the_benchmarks_that_are_named_exist() -> None:
    for module in re.findall(r"`python -m (benchmarks[.][a-z]+)`", PROMISES):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
