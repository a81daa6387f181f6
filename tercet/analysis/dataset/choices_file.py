"""What people have said about tables, as a file: the answers of the grid for a shell."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tercet.analysis.dataset.plans import Plan
from tercet.analysis.roles.meanings import KEEP, LEAVE, MEANINGS
from tercet.analysis.roles.roles import Role
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import FaultyDataset, Problem
from tercet.analysis.tables.encodings import ENCODINGS
from tercet.analysis.tables.file_tables import Choices

OPEN = "?"
"""In the place of an answer that is open."""


def read_choices(path: Path) -> dict[str, Choices]:
    """Read what was said about tables, by their keys; raises FaultyDataset."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        choices = {key: _choices(each) for key, each in content.items()}
        for name, each in choices.items():
            _check(path, name, each)
    except FaultyDataset:
        raise
    except (OSError, ValueError, AttributeError, TypeError, IndexError) as error:
        what = "is not a file of roles"
        remedy = "Write one with tercet doctor FILE --roles roles.json"
        problem = Problem(path.name, what, remedy, value=str(error))
        raise FaultyDataset([problem]) from None
    return choices


def _choices(said: Mapping[str, Any]) -> Choices:
    """Return what was said, without answers that are open."""
    roles = {
        name: (str(each[0]), str(each[1]))
        for name, each in said.get("roles", {}).items()
        if each[0] != OPEN
    }
    values = {
        name: {value: meant for value, meant in each.items() if meant != OPEN}
        for name, each in said.get("values", {}).items()
    }
    others = {name: said[name] for name in said.keys() - {"roles", "values"}}
    return Choices(**{**others, "roles": roles, "values": values})


def _check(path: Path, table: str, said: Choices) -> None:
    """Refuse what cannot be an answer; raises FaultyDataset."""
    roles = {column: role for column, (role, _label) in said.roles.items()}
    meant = {
        f"{column}, {value}": each
        for column, own in said.values.items()
        for value, each in own.items()
    }
    rows = {"header": said.header or 0, "first": said.first or 0}
    for answers, known in (
        (roles, [role.value for role in Role]),
        (meant, [*MEANINGS, KEEP, LEAVE, ""]),
        ({"encoding": said.encoding}, [*ENCODINGS, ""]),
        (rows, range(limits.MAX_ROWS)),
    ):
        for name, answer in answers.items():
            if answer not in known:
                what = f"is not an answer about {table}"
                shown = ", ".join(filter(None, map(str, known[:20])))
                remedy = f"Use one of {shown}"
                value = str(answer)
                problem = Problem(path.name, what, remedy, column=name, value=value)
                raise FaultyDataset([problem])


def write_choices(path: Path, plans: Iterable[Plan]) -> None:
    """Write how tables are read, with a question mark for each answer that is open."""
    content = {}
    for plan in plans:
        if plan.own or not plan.table.readable:
            continue
        asked = {each.column for each in plan.questions if each.kind == "role"}
        roles = {
            name: [OPEN if name in asked else role, label]
            for name, (role, label) in plan.roles.items()
        }
        values = {
            name: {value: meant or OPEN for value, meant in each.items()}
            for name, each in plan.values.items()
        }
        said = asdict(Choices(header=plan.table.header_line, roles={}))
        said["first"] = plan.first_row
        content[plan.table.key] = said | {"roles": roles, "values": values}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")
