"""Write CSV, for every file and page: commas, LF line ends, and quotes where a cell needs them."""

import csv
from collections.abc import Iterable, Iterator

_END = "\r\n"
"""Cells with one of these are quoted, whatever version of Python writes them."""


class _Line:
    """Returns what is written, with the end of a line that files have."""

    @staticmethod
    def write(line: str) -> str:
        return line.removesuffix(_END) + "\n"


def csv_lines(
    rows: Iterable[Iterable[object]], *, all_quoted: bool = False
) -> Iterator[str]:
    """Yield a line for each row of cells; quotes stand where they are needed, or everywhere.

    Examples
    --------
    >>> list(csv_lines([("image", "caption"), (1, "a dog, running\\r")]))
    ['image,caption\\n', '1,"a dog, running\\r"\\n']
    """
    writer = csv.writer(
        _Line,
        lineterminator=_END,
        quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL,
    )
    for row in rows:
        line: str = writer.writerow(row)
        yield line
