"""Columns by their cells."""

import pytest

from tercet.analysis.dataset.column_contents import recognise_columns
from tercet.analysis.tables.schema import CANDIDATES, PAIRS, REFERENCES, VOTES

CAPTIONS = ["a dog runs away", "a cat sleeps here"]
OTHERS = ["two dogs on grass", "one cat and a bird"]


@pytest.mark.parametrize(
    ("columns", "cells", "found"),
    [
        (
            REFERENCES.columns,
            {"k": ["n1", "n1"], "s": CAPTIONS},
            {"image": "k", "caption": "s"},
        ),
        (
            PAIRS.columns,
            {
                "x": CAPTIONS,
                "n": ["1", "2"],
                "i": ["d", "d"],
                "y": OTHERS,
                "t": ["HC", "MM"],
            },
            {
                "pair": "n",
                "image": "i",
                "candidate_b": "x",
                "candidate_c": "y",
                "category": "t",
            },
        ),
        (
            VOTES.columns,
            {
                "r": ["1", "2"],
                "c": ["B", "tie"],
                "s": ["left", ""],
                "at": ["2026-05-01T09:30:00+00:00", ""],
            },
            {"reference": "r", "choice": "c", "b_side": "s", "created_at": "at"},
        ),
        (CANDIDATES.columns, {"s": CAPTIONS, "t": OTHERS}, {}),
        (
            REFERENCES.columns,
            {"k": ["n1", "n2"], "m": ["a", "b"], "s": CAPTIONS},
            {"caption": "s"},
        ),
        (REFERENCES.columns, {"k": ["0.5", "0.25"], "e": ["", ""]}, {}),
        (
            ["pair"],
            {"a": ["1", "2"], "HITId": ["h", "i"], "Item": ["x", "y"]},
            {"pair": "HITId"},
        ),
        (
            ["pair"],
            {"HITId": ["h", "h"], "Item_ID": ["x", "y"], "a": ["1", "2"]},
            {"pair": "Item_ID"},
        ),
        (["pair"], {"a": ["1", "2"], "b": ["x", "y"]}, {}),
    ],
    ids=[
        "references",
        "pairs",
        "votes",
        "two captions",
        "two names",
        "numbers and nothing",
        "two items",
        "an item twice",
        "no item",
    ],
)
def test_columns_that_exactly_one_fits_are_recognised(
    columns: tuple[str, ...], cells: dict[str, list[str]], found: dict[str, str]
) -> None:
    assert recognise_columns(cells, {*columns}) == found
