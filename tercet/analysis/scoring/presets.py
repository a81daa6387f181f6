"""Protocols of published work, by name: rows of `presets.json`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

USUAL = "tercet"
"""The preset that changes nothing."""


@dataclass(frozen=True)
class _Preset:
    """How a publication counted.

    Attributes
    ----------
    source
        The publication, a key of `tercet/analysis/bench/sources.json`; empty for Tercet's own.
    rows
        What is compared with people: every pair, every rating, or a summary of the ratings
        (`tercet.analysis.stats.scores.ratings.CONVENTIONS`).
    options
        Fields of `Options` with their values; fields that are not named keep the defaults.
    """

    source: str
    rows: str
    options: Mapping[str, Any]

    def changed_in(self, options: Mapping[str, Any]) -> list[str]:
        """Return which of the preset's options have another value in `options`."""
        return [
            name
            for name, own in self.options.items()
            if _as_option(options[name]) != own
        ]


def _as_option(value: Any) -> Any:
    """Return a value of JSON as an option has it: a list is a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _read() -> dict[str, _Preset]:
    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    presets = {}
    for name, row in json.loads(text).items():
        options = {key: _as_option(value) for key, value in row["options"].items()}
        presets[name] = _Preset(row["source"], row["rows"], options)
    return presets


PRESETS = _read()
