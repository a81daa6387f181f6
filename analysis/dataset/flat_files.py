"""References and pairs in one file, and pairs without names."""

from dataclasses import replace

from analysis.dataset.csv_tables import Sheet, Table
from analysis.dataset.schema import PAIRS, REFERENCES
from analysis.texts import gettext as _

NAME = "pair"
FLAT = Table(
    "",
    (*PAIRS.required, "caption"),
    (*PAIRS.optional, *REFERENCES.optional),
)
"""A file with a pair and a reference on each line; either may be empty there."""
CONTENT = {
    REFERENCES: ["caption"],
    PAIRS: ["candidate_b", "candidate_c"],
}
"""The columns of which a line of each table fills in one at least."""
IDENTITY = {REFERENCES: ["image", "caption"], PAIRS: [*PAIRS.columns]}
"""The columns in which two lines of each table are the same reference or pair."""


def table_in(sheet: Sheet, table: Table, file: str) -> Sheet:
    """One of the two tables of a flat file, each reference and each pair once.

    Parameters
    ----------
    sheet
        The file, read as `FLAT`.
    table
        `REFERENCES` or `PAIRS`. The problems and warnings of the file are those of its pairs.
    file
        The name of the file.

    Returns
    -------
    Sheet
        The first line of each reference or pair, with the columns of the table.
    """
    is_filled = (sheet.frame[CONTENT[table]] != "").any(axis=1)
    distinct = sheet.frame[is_filled].drop_duplicates(IDENTITY[table])
    frame = distinct[[*table.columns, "line"]].reset_index(drop=True)

    if table == PAIRS:
        return replace(sheet, frame=frame)

    note = _(
        "{file}: references and pairs are read from this one file, each of them once",
        file=file,
    )
    return replace(sheet, frame=frame, problems=[], more=0, warnings=[note])


def without_names(table: Table) -> Table:
    """The table where pairs need no names."""
    required = tuple(name for name in table.required if name != NAME)
    return replace(table, required=required, optional=(NAME, *table.optional))


def numbered(sheet: Sheet, file: str) -> Sheet:
    """Name the pairs of a sheet p1, p2, … in their order."""
    names = [f"p{number}" for number in range(1, len(sheet.frame) + 1)]
    note = _(
        "{file}: pairs are named p1, p2, … in the order of their lines",
        file=file,
    )
    return replace(
        sheet,
        frame=sheet.frame.assign(**{NAME: names}),
        warnings=[*sheet.warnings, note],
    )
