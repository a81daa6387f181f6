"""Read a report: place each of its sentences, and recompute it from tables and dataset."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.reader import rules as _rules
from tests.reader.cells import (
    panel_rows,
    side_of,
    wrong_cells,
    wrong_headline,
    wrong_panel,
)
from tests.reader.dataset import Data
from tests.reader.page import Element, read_page
from tests.reader.recount import unlike_tables, wrong_tables
from tests.reader.report import Report, Row
from tests.reader.rule import RULES, Claim, check

assert _rules
LAST = re.compile(r"(?<=[.:])\s+(?=[A-Z“\d])|$")
"""Where a sentence ends that no rule knows."""
CONSTANTS = re.compile(r"(?<![\d.])(95|80|50|5|100|0)(?![\d.]\d)")
"""Numbers that definitions may hold, as they are the same of all data."""
SAYING = ("p", "li", "caption", "small", "summary")
COLUMNS_THAT_SAY = ("reason", "why", "note", "words")


@dataclass(frozen=True)
class Statement:
    """A paragraph of a page, or a cell of a table that says something."""

    text: str
    place: str
    row: Row = field(default_factory=dict)
    is_definition: bool = False


@dataclass(frozen=True)
class Fault:
    """A sentence that no rule knows, or that is false."""

    place: str
    sentence: str
    why: str

    def __str__(self) -> str:
        return f"[{self.place}] {self.sentence}\n    {self.why}"


def read(report: Path, dataset: Path) -> list[Fault]:
    """Return what is false of a report, or said in words that no rule knows."""
    tables = Report(report)
    data = Data(dataset, tables.options)
    path = report / "index.html"
    page = read_page(path)
    statements = [*on_page(page), *in_tables(tables), *in_panel(path, tables)]
    found = [fault for each in statements for fault in faults(each, tables, data)]

    wrong = [
        *wrong_cells(page, tables),
        *wrong_headline(page, tables),
        *wrong_panel(path, tables),
        *unlike_tables(tables),
        *wrong_tables(tables, data),
    ]
    return found + [
        Fault(place, text, "the file or the dataset differs") for place, text in wrong
    ]


def on_page(page: Element) -> Iterator[Statement]:
    """Yield what a report's page says, in its place."""
    for header in page.all("header"):
        for each in header.all(*SAYING):
            yield Statement(each.text, "lead")
    for section in page.all("section", "details"):
        if "finding" in section.classes or section.tag == "section":
            yield from _in_section(section)


def _in_section(section: Element) -> Iterator[Statement]:
    """Yield what a finding says; a paragraph that is neither its sentence nor a note defines."""
    inner = [each.id for each in section.all("div") if each.id]
    place = section.id or (inner[0] if inner else "")
    for each in section.all(*SAYING):
        if each.tag == "summary" and any(each.all("p")):
            continue
        is_source = "faint" in each.classes and place not in ("answer", "headline")
        is_note = "note" in each.classes or each.tag != "p"
        text = each.text.partition(": ")[2] if place == "not-applicable" else each.text
        if not is_source:
            yield Statement(text, place, is_definition=not is_note)


def in_tables(report: Report) -> Iterator[Statement]:
    """Yield what cells of tables say."""
    for name, rows in report.tables.items():
        for row in rows:
            for column in COLUMNS_THAT_SAY:
                if row.get(column):
                    yield Statement(row[column], f"{name}.csv", row)


def in_panel(path: Path, report: Report) -> Iterator[Statement]:
    """Yield what the panel says of two metrics."""
    for shown in panel_rows(path):
        yield Statement(shown["verdict"], "panel", side_of(shown, report))


def faults(statement: Statement, report: Report, data: Data) -> Iterator[Fault]:
    """Yield what is false of each sentence of a paragraph."""
    rest = statement.text.strip()
    while rest:
        said = sentence = ""
        wrong = _unplaced(statement, rest)
        for rule in RULES:
            found = rule.pattern.match(rest)
            if not found:
                continue
            claim = Claim(
                found[0],
                statement.place,
                found.groupdict(),
                report,
                data,
                statement.row,
            )
            said, sentence = rule.template, found[0]
            wrong = check(rule, claim)
            if not wrong:
                break
        if not said:
            end = LAST.search(rest, 1)
            sentence = rest[: end.start()] if end else rest
            wrong = _unplaced(statement, sentence)
        if wrong:
            yield Fault(statement.place, sentence, wrong)
        rest = rest[len(sentence) :].strip()


def _unplaced(statement: Statement, sentence: str) -> str:
    """Say that no rule knows a sentence; a definition may have the numbers that all data have."""
    is_plain = not re.search(r"\d", CONSTANTS.sub("", sentence))
    return "" if statement.is_definition and is_plain else "no rule knows this sentence"


def by_words(
    found: Iterable[tuple[int, Fault]],
) -> dict[str, tuple[tuple[int, Fault], int]]:
    """Return the first fault of each wording, with its seed, and how often it occurs."""
    counted: dict[str, tuple[tuple[int, Fault], int]] = {}
    for each in found:
        words = re.sub(
            r"\S*\d\S*|“[^”]*”|'[^']*'", "#", f"{each[1].sentence} {each[1].why}"
        )
        first, times = counted.get(words, (each, 0))
        counted[words] = first, times + 1
    return counted
