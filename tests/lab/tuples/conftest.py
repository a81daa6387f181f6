"""The parser for the tests of tuples; its model is loaded once in a process."""

from pathlib import Path

import pytest

from tercet.lab.tuples import captions, parser


@pytest.fixture
def parsing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Switch the parser on; returns the folder in which it keeps what it parsed."""
    pytest.importorskip("spacy", reason="the extra `tuples` is not installed")
    monkeypatch.delenv(parser.VARIABLE, raising=False)
    monkeypatch.setattr(captions, "cache_directory", lambda: tmp_path)

    return tmp_path
