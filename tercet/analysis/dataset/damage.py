"""Damage that spreadsheets and encodings do to cells, named with file, line and column."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from tercet.analysis.dataset.plans import Plan
from tercet.analysis.layouts.made import core
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
_DATE = re.compile(
    r"(\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d-\d\d)( \d\d:\d\d(:\d\d)?)?"
)
"""A date as names are that a spreadsheet changed, where others are none."""
_MOJIBAKE = re.compile("[ÃÂ][\u0080-\u00bf]|â€|ï»¿|\ufffd")
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_REPEATED = re.compile(r"repeats line (\d+)")
"""What is said of a line that repeats one of its own file."""
_TAIL = 60
"""Characters of a value that a note shows."""

_USED = (Role.IMAGE, Role.REFERENCE, Role.CAPTION, Role.PAIR, Role.CHOICE, Role.RATING)
_NAMES = (Role.IMAGE, Role.PAIR)
_IS_DATE = (
    "is a date: the spreadsheet changed what was entered",
    "Format the column as text, enter the names again, and save",
)
_IS_ERROR = (
    "is an error value of a spreadsheet, not a text",
    "Correct the cell in the spreadsheet, or import without the line",
)
_IS_ROUNDED = (
    "is a rounded number: the spreadsheet wrote 1.00E+11 for a long number",
    "Format the column as text or as a number without decimals, and save",
)
_IS_FORMULA = (
    "is a formula whose value is not in the file",
    "Open the file in a spreadsheet program, and save it",
)
_NOTED = (
    (_MOJIBAKE, "looks as if it had been read in a wrong encoding"),
    (_DIRECTION, "has characters that change the direction of the text"),
)


def damage_of(plan: Plan) -> tuple[list[Problem], list[str]]:
    """Return the cells that a spreadsheet has spoilt, and notes on texts that look odd."""
    problems: list[Problem] = []
    notes: list[str] = []
    for name in _columns(plan, _USED):
        cells = _Cells(plan.table, name)
        is_name = name in _columns(plan, _NAMES)
        problems += cells.that_are(_ERROR, "#", _IS_ERROR)
        problems += cells.in_lines(plan.table.formulas.get(name, ()), _IS_FORMULA)
        if is_name:
            problems += cells.that_are(_ROUNDED, "E+", _IS_ROUNDED)
            problems += cells.that_are(_MONTH, "", _IS_DATE)
            problems += cells.in_lines(plan.table.dates.get(name, ()), _IS_DATE)
            dates = [*cells.that_are(_DATE, "", _IS_DATE)]
            problems += dates if len(dates) < len(cells.texts) else []
        notes += cells.notes()
    return problems, notes


def _columns(plan: Plan, roles: tuple[Role, ...]) -> list[str]:
    """Return the columns with some roles; of our own tables, the columns called so, or all."""
    if not plan.own:
        return columns_of(plan.roles, *roles)
    named = [each for each in plan.table.header if each in plan.own.columns]
    return [each for each in named if roles == _USED or each in roles]


class _Cells:
    """The cells of a column of a table."""

    def __init__(self, table: FileTable, name: str) -> None:
        self.table = table
        self.name = name
        self.texts: list[str] = table.frame[name].tolist()
        self.together = "\n".join(dict.fromkeys(self.texts))

    def that_are(
        self, pattern: re.Pattern[str], part: str, fault: tuple[str, str]
    ) -> Iterator[Problem]:
        """Yield the cells that are a pattern, which always has some part."""
        if part in self.together and pattern.search(self.together):
            lines = self.table.frame["line"].tolist()
            for line, text in zip(lines, self.texts, strict=True):
                if pattern.fullmatch(text.strip()):
                    yield self._problem(line, text, fault)

    def in_lines(
        self, lines: Collection[int], fault: tuple[str, str]
    ) -> Iterator[Problem]:
        frame = self.table.frame
        rows = frame[frame["line"].isin(lines)] if lines else frame[:0]
        for line, text in zip(rows["line"], rows[self.name], strict=True):
            yield self._problem(int(line), text, fault)

    def _problem(self, line: int, text: str, fault: tuple[str, str]) -> Problem:
        what, remedy = fault
        where = line, self.name, text, self.table.is_entry
        return Problem(self.table.key, what, remedy, *where, is_local=True)

    def notes(self) -> Iterator[str]:
        """Name texts that were read in a wrong encoding once, or that turn a text round."""
        if self.together.isascii():
            return
        numbered = [*zip(self.table.frame["line"], self.texts, strict=True)]
        for pattern, what in _NOTED:
            odd = [each for each in numbered if pattern.search(each[1])]
            if odd:
                shown = first_of([str(line) for line, _text in odd])
                lines = plural(len(odd), f"line {shown}", f"lines {shown}")
                value = shortened(odd[0][1], _TAIL)
                if pattern is _DIRECTION:
                    value = value.encode("unicode_escape").decode("ascii")
                where = f"{self.table.key}, {lines}, column {self.name}"
                yield f"{where}: {what} ({value})"


def explained(
    problems: Iterable[Problem], plans: Sequence[Plan], images: "pd.Series[str]"
) -> list[Problem]:
    """Return problems with what is known of their cause.

    An unknown image may have lost its zeros; a line that repeats another one may differ from it in
    a column that is not used.
    """
    if not (problems := [*problems]):
        return []
    tables = {plan.table.key: plan for plan in plans}
    named = {core(name): name for name in images.unique()}
    example = ""
    found = []
    for problem in problems:
        plan = tables.get(problem.file)
        name = named.get(core(problem.value), "")
        if problem.what == "is an unknown image" and name:
            are_lost = problem.value.lstrip("0") == name.lstrip("0")
            why = ", for leading zeros were lost" if are_lost else ""
            example = example or f"{problem.value} is {name} there{why}"
            remedy = f"Write the names as the other file does: {example}"
            problem = replace(problem, remedy=remedy)
        elif plan and (repeated := _REPEATED.fullmatch(problem.what)):
            column = _differing(plan, problem, int(repeated[1]))
            if column:
                remedy = (
                    f"They differ in column {column}, which is not used: say what it holds, or "
                    "keep one of them"
                )
                problem = replace(problem, remedy=remedy, is_local=False)
        found.append(problem)
    return found


def _differing(plan: Plan, problem: Problem, first: int) -> str:
    """Return an unused column in which a line differs from the one that it repeats."""
    frame = plan.table.frame
    one = frame[frame["line"] == first]
    other = frame[frame["line"] == problem.line]
    if one.empty or other.empty:
        return ""
    differing = (
        name for name in plan.unused if one[name].iloc[0] != other[name].iloc[0]
    )
    return next(differing, "")
