"""What all tests share."""

import os
from pathlib import Path

import pytest

from tests.folders import SHARED

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps an event loop in the test's thread


@pytest.fixture(scope="session")
def abstract50s() -> Path:
    """The ABSTRACT-50S dataset folder, which is not part of the project."""
    folder = SHARED / "data" / "abstract50s"
    if not folder.is_dir():
        pytest.skip(f"ABSTRACT-50S is not at {folder}")
    return folder
