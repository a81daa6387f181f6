"""What all tests share."""

import gc
import os
import random
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support.environment import WITHOUT_EXTRAS
from tests.support.examples import USUAL
from tests.support.folders import ROOT, SHARED
from tests.support.quick import draw_quickly

VOTING = (ROOT / "tests" / "annotation", ROOT / "tests" / "browser" / "test_crowd.py")
"""Where `make test` looks for tests to run on PostgreSQL, too."""

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = (
    "1"  # Playwright keeps an event loop in the test's thread
)

# The tests of the extras set these anew.
os.environ.update(WITHOUT_EXTRAS)

# Several tests share the processors: how long an example takes says nothing about it.
_UNTIMED: dict[str, Any] = {
    "parent": settings.get_profile("default"),
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("suite", max_examples=USUAL, derandomize=True, **_UNTIMED)
settings.register_profile("explore", max_examples=1_000, print_blob=True, **_UNTIMED)
settings.load_profile("suite")

# Hypothesis also tries constants from the modules that are imported, which depend on the order of
# tests and on what else runs in the process.
providers._get_local_constants = lambda: providers._local_constants

draw_quickly()


# Searching a million objects of imported libraries for cycles takes a fifth of the whole time.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave what is imported to itself, and collect the rest a little less often than usual."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--order", help="a number: run the tests in another order")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Put the long tests of documents and Makefile first: two processes then end together.

    With `--order`, shuffle the files, and the tests in each.
    """
    order = config.getoption("order")
    if order is None:
        items.sort(key=lambda item: item.path.parent != ROOT / "tests")
    else:
        items.sort(key=lambda item: Random(f"{order} {item.nodeid}").random())
        items.sort(key=lambda item: Random(f"{order} {item.path}").random())

    for item in items:
        is_found = any(map(item.path.is_relative_to, VOTING))
        if item.get_closest_marker("voting") and not is_found:
            raise pytest.UsageError(
                f"{item.nodeid}: voting tests belong into one of {VOTING}."
            )


@pytest.fixture(autouse=True)
def _same_chance(request: pytest.FixtureRequest) -> None:
    """Give each test its own chance, the same in every run and order."""
    random.seed(request.node.nodeid)
    np.random.seed(crc32(request.node.nodeid.encode()))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes of this run."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, shared: Path
) -> Iterator[None]:
    """Give each process a copy of one database, instead of migrating one in each."""
    from tests.support.databases import database_of

    process = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with django_db_blocker.unblock(), database_of(process, shared):
        yield


@pytest.fixture(scope="session")
def abstract50s() -> Path:
    """The ABSTRACT-50S dataset folder, which is not part of the project."""
    folder = SHARED / "data" / "abstract50s"
    if not folder.is_dir():
        pytest.skip(f"ABSTRACT-50S is not at {folder}")

    return folder


@pytest.fixture
def flickr8k() -> Path:
    """The folder with the ratings of Flickr8k-Expert, which is not part of the project."""
    folder = SHARED / "data" / "flickr8k_expert"
    if not folder.is_dir():
        pytest.skip(f"Flickr8k-Expert is not at {folder}")

    return folder
