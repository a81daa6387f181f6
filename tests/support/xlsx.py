"""Write xlsx files for tests, as a spreadsheet does: sheets of texts, numbers, dates and gaps."""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

Cell = str | int | float | bool | None
Rows = Sequence[Sequence[Cell]]

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_xlsx(path: Path, sheets: dict[str, Rows]) -> Path:
    """Write sheets by their names."""
    numbers = range(1, len(sheets) + 1)
    named = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" '
        f'ContentType="{_KIND}.worksheet+xml"/>'
        for number in numbers
    )
    targets = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/worksheet" '
        f'Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    members = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        f'relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{_KIND}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        f"<sheets>{named}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">'
        f"{targets}</Relationships>",
    }
    for number, rows in zip(numbers, sheets.values(), strict=True):
        members[f"xl/worksheets/sheet{number}.xml"] = _sheet(rows)

    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')

    return path


def _sheet(rows: Rows) -> str:
    lines = (
        f'<row r="{number}">{"".join(_cells(number, row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cells(line: int, row: Sequence[Cell]) -> Sequence[str]:
    return [
        _cell(f"{_letters(place)}{line}", value)
        for place, value in enumerate(row)
        if value is not None
    ]


def _letters(place: int) -> str:
    """The letters of a column: A, …, Z, AA, …"""
    before, last = divmod(place, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _cell(place: str, value: Cell) -> str:
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{value:d}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'

    return f'<c r="{place}"><v>{value}</v></c>'
