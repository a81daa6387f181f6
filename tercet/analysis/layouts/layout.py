"""A layout: how another tool, or a published set, writes its files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from tercet.analysis.layouts.made import CorpusCaptions, Record
from tercet.analysis.roles.roles import Role, Roles
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.file_tables import FileTable


def _no_noise(_name: str) -> bool:
    """Say that no column belongs to the tool itself."""
    return False


@dataclass(frozen=True)
class Layout:
    """How a kind of file is written.

    `matches` looks at names of files, columns and keys only. `roles` gives those that are certain,
    `tidy` makes a table of one in which a cell holds several values. `is_noise` tells columns of
    the tool itself, which nobody misses; `own` the table of ours that a file is. `headless` says
    that its files have no names of columns. `make` makes our tables of all tables of a published
    set that match, and of the captions beside them.
    """

    name: str
    matches: Callable[[FileTable], bool]
    roles: Callable[[FileTable], Roles] | None = None
    tidy: Callable[[FileTable], FileTable] | None = None
    is_noise: Callable[[str], bool] = _no_noise
    own: Callable[[FileTable], Table | None] | None = None
    headless: bool = False
    make: Callable[[Sequence[FileTable], CorpusCaptions], Iterator[Record]] | None = (
        None
    )


def has(*names: str) -> Callable[[FileTable], bool]:
    """Return a test for tables that have all of some columns."""
    return lambda table: {*names} <= {*table.header}


Names = str | Sequence[str]
"""Names of columns; a text has a word for each."""


def called(**names: Names) -> Callable[[FileTable], Roles]:
    """Return the roles of columns by their names: called(image="videoID", reference="enCap")."""
    return lambda table: roles_by_name(table.header, names)


def roles_by_name(header: Sequence[str], names: Mapping[str, Names]) -> Roles:
    """Return the roles of the columns of a header; of several names of a role those that exist."""
    found = {}
    for role, columns in names.items():
        for name in columns.split() if isinstance(columns, str) else columns:
            if name in header:
                found[name] = Role(role.replace("_", " ")), ""
    return found


def with_pressed_buttons(
    frame: pd.DataFrame, names: Sequence[str], separator: str
) -> pd.DataFrame:
    """Put columns of radio buttons together: NAME.A and NAME.B are NAME, with A or B.

    They are columns of yes and no, of which a row has one yes at most.
    """
    buttons: dict[str, list[str]] = {}
    for name in names:
        stem, _separator, button = name.rpartition(separator)
        cells = {cell.casefold() for cell in frame[name].unique()}
        if stem and button and cells <= _PRESSED | _NOT_PRESSED:
            buttons.setdefault(stem, []).append(name)

    for stem, own in buttons.items():
        is_on = frame[own].apply(lambda cells: cells.str.casefold().isin(_PRESSED))
        if len(own) < 2 or stem in frame or (is_on.sum(axis=1) > 1).any():
            continue
        pressed = pd.Series("", index=frame.index, dtype="str")
        for name in own:
            pressed = pressed.mask(is_on[name], name.rpartition(separator)[2])
        frame = frame.drop(columns=own).assign(**{stem: pressed})
    return frame


_PRESSED = {"true", "1", "on", "yes", "x"}
_NOT_PRESSED = {"false", "0", "off", "no", ""}
