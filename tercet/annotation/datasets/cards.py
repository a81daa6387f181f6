"""What the page of an import shows of each file, as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tercet.analysis.dataset.files import Files
from tercet.analysis.dataset.folder import Reading
from tercet.analysis.dataset.plans import Plan
from tercet.analysis.number_texts import plural
from tercet.analysis.roles.meanings import plain_values
from tercet.analysis.roles.roles import Role, columns_of
from tercet.analysis.tables.csv_tables import shortened
from tercet.analysis.tables.encodings import UTF_8
from tercet.analysis.tables.file_tables import Choices

Card = dict[str, Any]
_MOST_COLUMNS = 100
_ROWS_SHOWN = 3
_LONGEST_SHOWN = 120
_MOST_VALUES = 12


def cards_of(
    reading: Reading, choices: Mapping[str, Choices], remembered: Sequence[str]
) -> list[Card]:
    """Return a card for each table, and for each file that is not read."""
    cards = [
        _card(
            plan, choices.get(plan.table.key, Choices()), plan.table.key in remembered
        )
        for plan in reading.plans
    ]
    return [*cards, *_unread(reading.files)]


def _unread(files: Files) -> Iterator[Card]:
    spare = [each for each in files.unread if each.is_spare]
    for each in files.unread:
        if not each.is_spare:
            yield {
                "key": each.file,
                "state": "unread",
                "kind": each.what,
                "remedy": each.remedy,
            }
    if spare:
        names = ", ".join(each.file for each in spare[:6])
        more = f" and {len(spare) - 6:,} more" if len(spare) > 6 else ""
        yield {
            "key": f"{names}{more}",
            "state": "spare",
            "kind": spare[0].what,
            "remedy": spare[0].remedy,
        }


def _card(plan: Plan, said: Choices, is_remembered: bool) -> Card:
    table = plan.table
    state = "read"
    if not table.readable or table.problems:
        state = "faulty" if not table.readable else "read"
    if plan.questions:
        state = "asks"
    elif not plan.tables and table.readable:
        state = "idle" if plan.layout or table.frame.empty else "left"
    used = len(table.header) - len(plan.unused) if plan.is_used else 0
    return {
        "key": table.key,
        "state": state,
        "kind": plan.kind,
        "rows": len(table.frame),
        "used": used,
        "unused": len(plan.unused),
        "is_own": plan.own is not None,
        "is_known": plan.layout is not None,
        "questions": [
            {"kind": each.kind, "text": each.text, "column": each.column}
            for each in plan.questions
        ],
        "columns": [*_columns(plan, said)] if table.readable else [],
        "encoding": table.encoding
        if table.encoding not in ("", UTF_8)
        else said.encoding,
        "header": table.header_line,
        "has_lines": not table.is_entry,
        "above": [
            {"line": line, "text": shortened(" | ".join(filter(None, cells)), 100)}
            for line, cells in table.above
        ],
        "use": said.use,
        "remembered": is_remembered,
    }


def _columns(plan: Plan, said: Choices) -> Iterator[Card]:
    """Describe the columns: those that are used or asked about first named, then the others."""
    table = plan.table
    asked = {each.column for each in plan.questions if each.kind == "role"}
    explaining = [cells for line, cells in table.above if line > table.header_line]
    rows = _shown_rows(plan)
    for place, name in enumerate(table.header[:_MOST_COLUMNS]):
        role, label = plan.roles.get(name, ("", ""))
        if plan.own and name in plan.own.columns:
            role = name
        explained = explaining[0] if explaining else ()
        is_noise = bool(plan.layout and plan.layout.is_noise(name))
        yield {
            "place": place,
            "name": name,
            "explained": explained[place] if place < len(explained) else "",
            "role": str(role or Role.UNUSED),
            "label": label,
            "asked": name in asked,
            "hidden": is_noise and role in (Role.UNUSED, ""),
            "note": _note(plan, name, role),
            "cells": [shortened(cell, _LONGEST_SHOWN) for cell in rows[name]],
            "values": [*_values(plan, name)],
            "said": name in said.roles,
        }


def _shown_rows(plan: Plan) -> Any:
    """Return rows to show: of a file in another encoding, those that show it."""
    frame = plan.table.frame
    if plan.table.encoding in ("", UTF_8):
        return frame.iloc[:_ROWS_SHOWN]
    names = [*plan.table.header]
    is_telling = frame[names].apply(lambda cells: ~cells.map(str.isascii)).any(axis=1)
    order = is_telling.sort_values(ascending=False, kind="stable").index
    return frame.loc[order[:_ROWS_SHOWN]]


def _note(plan: Plan, name: str, role: str) -> str:
    cells = plan.table.frame[name]
    if role in (Role.IMAGE, Role.PAIR, Role.ANNOTATOR, Role.CATEGORY):
        count = cells[cells != ""].nunique()
        words = {
            Role.IMAGE: ("image", "images"),
            Role.PAIR: ("pair", "pairs"),
            Role.ANNOTATOR: ("person", "people"),
            Role.CATEGORY: ("category", "categories"),
        }[Role(role)]
        return plural(count, f"{count:,} {words[0]}", f"{count:,} {words[1]}")
    filled = int((cells.str.strip() != "").sum())
    return plural(filled, f"{filled:,} cell", f"{filled:,} cells")


def _values(plan: Plan, name: str) -> Iterator[Card]:
    meant = plan.values.get(name, {})
    if not meant:
        return
    is_choice = name in columns_of(plan.roles, Role.CHOICE)
    cells = plan.table.frame[name]
    counts = (plain_values(cells) if is_choice else cells.str.strip()).value_counts()
    for value, meaning in list(meant.items())[:_MOST_VALUES]:
        count = int(counts.get(value, 0))
        yield {
            "value": value,
            "meaning": meaning,
            "count": count,
            "is_choice": is_choice,
        }
