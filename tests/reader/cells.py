"""The cells of a page's tables, compared with the files; and the tables, with the dataset."""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from tercet.analysis.tables.column_titles import title_of
from tests.reader import numbers
from tests.reader.page import Element
from tests.reader.report import BASELINES, Report, Row, known, number
from tests.reader.rules.answer import verdict

NAME = re.compile(r"(\w+)(?:\.csv|-table)")
"""What names the file of a table: its own name, or the element of a site's page."""
PANEL = re.compile(r'<script[^>]* id="compare-data"[^>]*>(.*?)</script>', re.S)
NUMBER = re.compile(r"-?\d*\.?\d+(e[+-]?\d+)?")


def wrong_cells(page: Element, report: Report) -> Iterator[tuple[str, str]]:
    """Yield the rows of a page's tables that no row of their file has, with the table."""
    for details in page.all("details"):
        found = NAME.fullmatch(details.id) or NAME.fullmatch(_code(details))
        tables = list(details.all("table"))
        if not found or len(tables) != 1:
            continue
        name = found[1]
        for cells in rows_of(tables[0]):
            if not any(agree(cells, row) for row in report.tables[name]):
                yield f"{name}.csv", " | ".join(cells.values())


def _code(details: Element) -> str:
    """Return the name of the file that stands above a table of a report's own page."""
    return next((code.text for code in details.all("code")), "")


def rows_of(table: Element) -> Iterator[dict[str, str]]:
    """Yield the rows of a table by the titles of its columns."""
    head, *body = table.all("tr")
    titles = [cell.text for cell in head.all("th")]
    for row in body:
        yield dict(
            zip(titles, [cell.text for cell in row.all("td", "th")], strict=True)
        )


def agree(cells: Mapping[str, str], row: Row) -> bool:
    """Return whether the cells of a page are those of a row, as rounded."""
    by_title = {title_of(name): value for name, value in row.items()}
    return all(_same(text, by_title.get(title, "")) for title, text in cells.items())


def _same(text: str, stored: str) -> bool:
    plain = text.replace(numbers.MINUS, "-")
    if text == "\N{EN DASH}" or not stored:
        return stored == "" and text in ("", "\N{EN DASH}")
    if plain == stored or (
        text.endswith("…") and " ".join(stored.split()).startswith(text[:-1])
    ):
        return True
    if text == "< .001":
        return Decimal(stored) < Decimal("0.001")
    if not (NUMBER.fullmatch(plain) and NUMBER.fullmatch(stored)):
        return " ".join(stored.split()) == text
    digits, _, exponent = plain.partition("e")
    decimals = len(digits.partition(".")[2])
    scaled = Decimal(stored).scaleb(-int(exponent or 0), numbers.EXACT)
    return Decimal(
        numbers.fixed(scaled, decimals).replace(numbers.MINUS, "-")
    ) == Decimal(digits)


def wrong_headline(page: Element, report: Report) -> Iterator[tuple[str, str]]:
    """Yield what is wrong in the table of the first screen: accuracies, and what is bold."""
    for table in page.all("table"):
        captions = [caption.text for caption in table.all("caption")]
        if not captions or "by references per image" not in captions[0]:
            continue
        group = report.rows("answer")[0]["category"]
        for line in list(table.all("tr"))[1:]:
            [metric], cells = (
                [cell.text for cell in line.all("th")],
                list(line.all("td")),
            )
            for count, cell in zip(reversed_counts(report, group), cells, strict=True):
                row = report.accuracy(metric, group, count)
                should = "none" if row is None else in_interval(row)
                if cell.text != should:
                    yield (
                        "headline",
                        f"{metric}, {count}: {cell.text}, should be {should}",
                    )
                if ("best" in cell.classes) != (metric in bold(report, group, count)):
                    yield "headline", f"{metric}, {count}: bold should be other"


def reversed_counts(report: Report, group: str) -> list[str]:
    counts = [row["reference_count"] for row in report.rows("answer", category=group)]
    return list(dict.fromkeys(counts))[::-1]


def in_interval(row: Row) -> str:
    low, high = number(row, "low"), number(row, "high")
    value = number(row, "accuracy")
    if value is None:
        return "none"
    if low is None or high is None:
        return numbers.percent(value)
    return f"{numbers.percent(value)} [{numbers.percent(low)}, {numbers.percent(high)}]"


def bold(report: Report, group: str, count: str) -> set[str]:
    """Return the best metrics and those that do not differ; baselines only where they are best."""
    rows = report.rows("answer", category=group, reference_count=count)
    shares = {
        row[f"metric_{side}"]: known(row, f"accuracy_{side}")
        for row in rows
        for side in "ab"
    }
    best = {name for name, share in shares.items() if share == max(shares.values())}
    alike = [
        {row["metric_a"], row["metric_b"]}
        for row in rows
        if verdict(row) not in ("more often", "less often")
    ]
    beside = {name for both in alike if both & best for name in both - BASELINES}
    return best | beside


def panel_rows(page: str) -> list[dict[str, str]]:
    """Return the texts of the panel that compares two metrics."""
    found = PANEL.search(page)
    rows = json.loads(found[1])["rows"] if found else []
    return [
        {name: " ".join(str(text).split()) for name, text in row.items()}
        for row in rows
    ]


def side_of(shown: Mapping[str, str], report: Report) -> Row:
    """Return the comparison that a row of the panel shows, from its side."""
    there = {"category": shown["category"], "reference_count": shown["reference_count"]}
    a, b = shown["metric_a"], shown["metric_b"]
    if rows := report.rows("answer", metric_a=a, metric_b=b, **there):
        return rows[0]
    row = dict(report.row("answer", metric_a=b, metric_b=a, **there))
    turned = {"metric_a": a, "metric_b": b, "accuracy_a": row["accuracy_b"]}
    turned |= {"accuracy_b": row["accuracy_a"], "difference": _minus(row["difference"])}
    return row | turned | {"low": _minus(row["high"]), "high": _minus(row["low"])}


def wrong_panel(page: str, report: Report) -> Iterator[tuple[str, str]]:
    """Yield the figures of the panel that are not those of the comparison."""
    for shown in panel_rows(page):
        row = side_of(shown, report)
        should = {
            f"accuracy_{side}": f"{_share(row, f'accuracy_{side}')} %" for side in "ab"
        }
        should["p"] = (
            numbers.p_value(known(row, "p_adjusted"))
            .removeprefix("p ")
            .removeprefix("= ")
        )
        should["p_alone"] = (
            numbers.p_value(known(row, "p")).removeprefix("p ").removeprefix("= ")
        )
        should["pairs"] = numbers.count(known(row, "pairs"))
        for name, text in should.items():
            if shown[name] != text:
                yield "panel", f"{name} is {shown[name]!r}, should be {text!r}"


def _share(row: Row, column: str) -> str:
    return numbers.percent(known(row, column))


def _minus(text: str) -> str:
    return text and str(-Decimal(text))
