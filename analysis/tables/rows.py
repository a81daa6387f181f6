"""Rows of tables by their values."""

import pandas as pd


def where(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Return the rows of a table that have these values in the columns of these names.

    Examples
    --------
    >>> table = pd.DataFrame({"metric": ["CIDEr", "BLEU-1"], "count": [1, 1]})
    >>> where(table, metric="CIDEr", count=1).to_dict("records")
    [{'metric': 'CIDEr', 'count': 1}]
    """
    for name, value in values.items():
        table = table[table[name] == value]
    return table
