"""Damage that spreadsheets and encodings do to cells, named with file, line and column."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from tercet.analysis.dataset.plans import Plan
from tercet.analysis.number_texts import plural
from tercet.analysis.roles.roles import Role, columns_of
from tercet.analysis.tables.csv_tables import Problem, first_of, shortened
from tercet.analysis.tables.file_tables import FileTable

_ERROR = re.compile(
    r"#(NAME\?|REF!|DIV/0!|VALUE!|N/A|NULL!|NUM!|SPILL!|CALC!|BEZUG!|WERT!|NV|"
    r"NOMBRE\?|VALEUR!|VALOR!|NOM\?|N/D|¡.{3,12}!)",
    re.IGNORECASE,
)
_ROUNDED = re.compile(r"\d([.,]\d+)?E\+\d+")
_MONTH = re.compile(
    r"\d{1,2}[-. ](Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mrz|Mai|Okt|Dez)|"
    r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mrz|Mai|Okt|Dez)[-. ]\d{1,4}"
)
_DATE = r"(\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d-\d\d)( \d\d:\d\d(:\d\d)?)?"
"""A date as names are that a spreadsheet changed, where others are none."""
_MOJIBAKE = re.compile("[ÃÂ][\u0080-\u00bf]|â€|ï»¿|\ufffd")
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAIL = 60
"""Characters of a value that a note shows."""

_USED = (Role.IMAGE, Role.REFERENCE, Role.CAPTION, Role.PAIR, Role.CHOICE, Role.RATING)
_NAMES = ("image", "pair")


def problems_in(plan: Plan) -> Iterator[Problem]:
    """Yield the cells that a spreadsheet has made errors, dates or rounded numbers of."""
    table = plan.table
    for name in _used_columns(plan):
        what = "is an error value of a spreadsheet, not a text"
        remedy = "Correct the cell in the spreadsheet, or import without the line"
        yield from _problems(table, name, _ERROR, what, remedy)

        for line in table.formulas.get(name, ()):
            what = "is a formula whose value is not in the file"
            remedy = "Open the file in a spreadsheet program, and save it"
            yield _problem(table, name, line, "", what, remedy)

    for name in _name_columns(plan):
        what = "is a rounded number: the spreadsheet wrote 1.00E+11 for a long number"
        remedy = "Format the column as text or as a number without decimals, and save"
        yield from _problems(table, name, _ROUNDED, what, remedy)
        what = "is a date: the spreadsheet changed what was entered"
        remedy = "Format the column as text, enter the names again, and save"
        yield from _problems(table, name, _MONTH, what, remedy)
        cells, lines = table.frame[name], table.frame["line"]
        is_date = cells.str.fullmatch(_DATE)
        is_date = (is_date & ~is_date.all()) | lines.isin(table.dates.get(name, ()))
        for line, cell in zip(lines[is_date], cells[is_date], strict=True):
            yield _problem(table, name, int(line), cell, what, remedy)


def _used_columns(plan: Plan) -> list[str]:
    if plan.own:
        return [each for each in plan.table.header if each in plan.own.columns]
    return columns_of(plan.roles, *_USED)


def _name_columns(plan: Plan) -> list[str]:
    if plan.own:
        return [name for name in _NAMES if name in plan.table.header]
    return columns_of(plan.roles, Role.IMAGE, Role.PAIR)


def _problems(
    table: FileTable, name: str, pattern: re.Pattern[str], what: str, remedy: str
) -> Iterator[Problem]:
    odd = _odd_cells(table, name, pattern, is_whole=True)
    if not odd:
        return
    cells = table.frame[name]
    bad = cells.isin(odd)
    lines = table.frame["line"]
    for line, cell in zip(lines[bad], cells[bad], strict=True):
        yield _problem(table, name, int(line), cell, what, remedy)


def _odd_cells(
    table: FileTable, name: str, pattern: re.Pattern[str], *, is_whole: bool
) -> list[str]:
    """Return the distinct cells that have a pattern, or are one; most columns have none."""
    distinct = dict.fromkeys(table.frame[name].tolist())
    if not pattern.search("\n".join(distinct)):
        return []
    finds = pattern.fullmatch if is_whole else pattern.search
    return [cell for cell in distinct if finds(cell.strip())]


def _problem(
    table: FileTable, name: str, line: int, cell: str, what: str, remedy: str
) -> Problem:
    return Problem(
        table.key, what, remedy, line, name, cell, table.is_entry, is_local=True
    )


def notes_on(plan: Plan) -> Iterator[str]:
    """Name texts that were read in a wrong encoding once, and characters that turn a text round."""
    table = plan.table
    kinds = (
        (_MOJIBAKE, "looks as if it had been read in a wrong encoding"),
        (_DIRECTION, "has characters that change the direction of the text"),
    )
    for name in _used_columns(plan):
        cells = table.frame[name]
        for pattern, what in kinds:
            odd = _odd_cells(table, name, pattern, is_whole=False)
            if not odd:
                continue
            lines = [str(line) for line in table.frame["line"][cells.isin(odd)]]
            shown = plural(
                len(lines), f"line {first_of(lines)}", f"lines {first_of(lines)}"
            )
            value = shortened(odd[0], _TAIL).encode("unicode_escape").decode("ascii")
            text = value if pattern is _DIRECTION else shortened(odd[0], _TAIL)
            yield f"{table.key}, {shown}, column {name}: {what} ({text})"


def explained(
    problems: Iterable[Problem], plans: Sequence[Plan], images: "pd.Series[str]"
) -> list[Problem]:
    """Return problems with what is known of their cause.

    An unknown image may have lost its zeros; a line that repeats another one may differ from it in
    a column that is not used.
    """
    tables = {plan.table.key: plan for plan in plans}
    without_zeros = {name.lstrip("0"): name for name in images.unique()}
    found = []
    for problem in problems:
        plan = tables.get(problem.file)
        known = without_zeros.get(problem.value.lstrip("0"), "")
        if problem.what == "is an unknown image" and known and known != problem.value:
            remedy = f"Write {known}, as the other file does: leading zeros were lost"
            problem = replace(problem, remedy=remedy)
        elif problem.what.startswith("repeats line ") and plan:
            column = _differing(plan, problem)
            if column:
                remedy = (
                    f"They differ in column {column}, which is not used: say what it holds, or "
                    "keep one of them"
                )
                problem = replace(problem, remedy=remedy, is_local=False)
        found.append(problem)
    return found


def _differing(plan: Plan, problem: Problem) -> str:
    """Return an unused column in which a line differs from the one that it repeats."""
    frame = plan.table.frame
    first = int(problem.what.rpartition(" ")[2])
    one = frame[frame["line"] == first]
    other = frame[frame["line"] == problem.line]
    if one.empty or other.empty:
        return ""
    differing = (
        name for name in plan.unused if one[name].iloc[0] != other[name].iloc[0]
    )
    return next(differing, "")
