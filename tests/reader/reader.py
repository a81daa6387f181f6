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
from tests.reader.page import Element, parse
from tests.reader.recount import unlike_tables, wrong_tables
from tests.reader.report import Report, Row
from tests.reader.rule import RULES, Claim, check

assert _rules
LAST = re.compile(r"(?<=[.:])\s+(?=[A-Z“\d])|$")
"""Where a sentence ends that no rule knows."""
CONSTANTS = re.compile(r"(?<![\d.])(95|80|50|5|100|0)(?![\d.]\d)")
"""Numbers that definitions may hold, as they are the same of all data."""
SAYING = ("p", "caption", "small", "summary")
REASONS = ("No two of the main metrics can be compared", "There is one metric only")
"""Why a page with accuracies may begin with no sentence about them."""
COLUMNS_THAT_SAY = ("reason", "why", "note", "words")
COUNTED_WORDS = re.compile(r"\d+|any")
"""Numbers of words, in columns of the same name."""


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


def read(report: Path, dataset: Path, page: str = "") -> list[Fault]:
    """Return what is false of a report, or said in words that no rule knows.

    `page` is the page of results on a site that shows the report, instead of its own page.
    """
    tables = Report(report)
    data = Data(dataset, tables.options)
    text = page or (report / "index.html").read_text(encoding="utf-8")
    read = parse(text)
    said = [*on_page(read), *in_tables(tables), *in_panel(text, tables)]
    found = [fault for each in said for fault in faults(each, tables, data)]

    wrong = [
        *silence(read, tables),
        *wrong_cells(read, tables),
        *wrong_headline(read, tables),
        *wrong_panel(text, tables),
        *unlike_tables(tables),
        *wrong_tables(tables, data),
    ]
    return found + [
        Fault(place, text, "the file or the dataset differs") for place, text in wrong
    ]


def on_page(page: Element) -> Iterator[Statement]:
    """Yield what a page says of results, in its place: a report's own page, or a site's."""
    for first in page.all("header", "section"):
        is_lead = first.tag == "header" or "first" in first.classes
        is_shown = is_lead or first.id in ("answer", "headline")
        titles = ("h2",) if is_lead else ()
        for each in first.all(*SAYING, *titles) if is_shown else ():
            is_definition = first.id == "answer" and each.tag == "p"
            yield Statement(each.text, first.id or "lead", is_definition=is_definition)

    for finding in page.all("details", "section"):
        if "finding" in finding.classes:
            yield from _in_finding(finding)
        if finding.id == "not-applicable":
            for each in finding.all("li"):
                _titles, _, reason = each.text.replace(
                    "Gaming: ", "Gaming, "
                ).partition(": ")
                yield Statement(reason, finding.id)


def silence(page: Element, report: Report) -> Iterator[tuple[str, str]]:
    """Yield that a page begins with no sentence, and says nowhere why."""
    leads = [
        each
        for each in page.all("p", "h2")
        if "lead" in each.classes or each.id == "answer-title"
    ]
    text = page.text
    if (
        report.rows("accuracy")
        and not leads
        and not any(each in text for each in REASONS)
    ):
        yield "lead", "neither a sentence nor a reason stands on the page"


def _in_finding(finding: Element) -> Iterator[Statement]:
    """Yield what a finding says; a paragraph that is neither its sentence nor a note defines."""
    inner = [each for each in finding.all("div") if f"{each.id}-title" in _ids(finding)]
    if not inner:
        return

    place = inner[0].id
    plain = [each for each in inner[0].all("p") if not each.classes]
    for each in next(finding.all("summary")).all("p"):
        is_sentence = "note" in each.classes or bool(plain)
        yield Statement(each.text, place, is_definition=not is_sentence)
    for each in plain:
        yield Statement(each.text, place, is_definition=True)
    for each in inner[0].all("p", "caption", "small", "summary"):
        if each.tag != "p" or "note" in each.classes:
            yield Statement(each.text, place)


def _ids(finding: Element) -> set[str]:
    return {each.id for each in finding.all("h2", "h3")}


def in_tables(report: Report) -> Iterator[Statement]:
    """Yield what cells of tables say."""
    for name, rows in report.tables.items():
        for row in rows:
            for column in COLUMNS_THAT_SAY:
                if row.get(column) and not COUNTED_WORDS.fullmatch(row[column]):
                    yield Statement(row[column], f"{name}.csv", row)


def in_panel(page: str, report: Report) -> Iterator[Statement]:
    """Yield what the panel says of two metrics."""
    for shown in panel_rows(page):
        yield Statement(shown["verdict"], "panel", side_of(shown, report))


def faults(statement: Statement, report: Report, data: Data) -> Iterator[Fault]:
    """Yield what is false of each sentence of a paragraph."""
    whole = rest = statement.text.strip(" ·")
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
                whole.removesuffix(rest),
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
