"""Rows of tables by their values."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def where(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Return the rows of a table that have these values in the columns of these names.

    A collection stands for any of its values.

    Examples
    --------
    >>> table = pd.DataFrame({"metric": ["CIDEr", "BLEU-1"], "count": [1, 1]})
    >>> where(table, metric="CIDEr", count=1).to_dict("records")
    [{'metric': 'CIDEr', 'count': 1}]
    """
    for name, value in values.items():
        if isinstance(value, Iterable) and not isinstance(value, str):
            table = table[table[name].isin(value)]
        else:
            table = table[table[name] == value]
    return table


def are_blank(cells: "pd.Series[str]") -> NDArray[np.bool_]:
    """Return whether each cell has no text but spaces."""
    texts = cells.to_numpy(dtype=object)
    are_spaces = map(str.isspace, texts.tolist())
    blank = np.fromiter(are_spaces, dtype=bool, count=len(texts))
    return np.asarray(blank | (texts == ""), dtype=bool)


def captions_by_image(references: pd.DataFrame) -> dict[str, list[str]]:
    """Return the captions of each image by its name, in the order of the rows."""
    by_image = references.groupby("image", sort=False)["caption"]
    return {str(image): list(captions) for image, captions in by_image}


def are_among(
    rows: pd.DataFrame, others: pd.DataFrame, columns: list[str]
) -> "pd.Series[bool]":
    """Return whether each row is among others, by some columns."""
    keys = pd.MultiIndex.from_frame(rows[columns])
    known = pd.MultiIndex.from_frame(others[columns])
    return pd.Series(keys.isin(known), index=rows.index)
