"""How a table of a file is read: a role above each column, and what values mean."""

from collections.abc import Iterator
from typing import Any

from django import forms

from tercet.analysis.dataset.plans import HEADER, SECOND_HEADER
from tercet.analysis.roles.meanings import KEEP, LEAVE, MEANINGS, NONE, TIE
from tercet.analysis.roles.roles import Role
from tercet.analysis.tables.encodings import ENCODINGS, UTF_8
from tercet.analysis.tables.schema import LONGEST_NAME
from tercet.annotation.datasets.cards import Card

_CHOOSE = ("", "choose …")
_ROLES = [(role.value, role.value) for role in Role]
_LABELED = {
    Role.CAPTION: "System",
    Role.REFERENCE: "Origin",
    Role.RATING: "Aspect",
    Role.CHOICE: "Given by",
}
_STATUSES = [_CHOOSE, (KEEP, "keep the rows"), (LEAVE, "leave the rows out")]
_HEADERS = [_CHOOSE, ("1", "the names of the columns"), ("0", "data")]
_EXPLAINING = [_CHOOSE, ("out", "explains the columns"), ("data", "data")]
_OF_ROWS = {HEADER: ("names", _HEADERS), SECOND_HEADER: ("explains", _EXPLAINING)}
"""The field and the answers of each kind of question about rows."""


class GridForm(forms.Form):
    """What people say about one table; what they leave as it is stays proposed."""

    def __init__(self, card: Card, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.card = card
        for question in card["questions"]:
            if question["kind"] in _OF_ROWS:
                name, choices = _OF_ROWS[question["kind"]]
                self.fields[name] = _choice(question["text"], choices, "")
        for column in card["columns"]:
            self._add_column(column)
        if card["columns"] and not card["is_own"]:
            self._add_details()

    def _add_column(self, column: Card) -> None:
        place, name = column["place"], column["name"]
        roles = _ROLES
        role = column["role"]
        if self.card["is_own"] and role != Role.UNUSED:
            return
        if column["asked"]:
            roles, role = [_CHOOSE, *_ROLES], ""
        self.fields[f"role{place}"] = _choice(f"Role of {name}", roles, role)
        if role in _LABELED and not (role == Role.CHOICE and not column["label"]):
            self.fields[f"label{place}"] = forms.CharField(
                label=f"{_LABELED[Role(role)]} of {name}",
                initial=column["label"],
                max_length=LONGEST_NAME,
                required=False,
            )
        meanings = self._meanings()
        for number, each in enumerate(column["values"]):
            offered = meanings if each["is_choice"] else _STATUSES
            label = f"{each['value']} in {name} means"
            field = _choice(label, offered, each["meaning"])
            self.fields[f"value{place}-{number}"] = field

    def _meanings(self) -> list[tuple[str, str]]:
        """Return what a value of a choice may mean, with the names of the two captions."""
        captions = [
            each["name"]
            for each in self.card["columns"]
            if each["role"] == Role.CAPTION
        ]
        names = captions if len(captions) == 2 else ["the first caption", "the second"]
        b, c, *_others = MEANINGS
        return [
            _CHOOSE,
            (b, names[0]),
            (c, names[1]),
            (TIE, "tie"),
            (NONE, "no answer"),
        ]

    def _add_details(self) -> None:
        card = self.card
        if card["has_lines"]:
            self.fields["header"] = forms.IntegerField(
                label="The header is in row",
                initial=card["header"],
                min_value=0,
                required=False,
            )
        use = [("", "use this table"), ("no", "do not use it")]
        self.fields["use"] = _choice("Table", use, card["use"])
        if card["encoding"]:
            chosen = card["encoding"] or UTF_8
            self.fields["encoding"] = _choice("Encoding", [*ENCODINGS.items()], chosen)

    @property
    def columns(self) -> Iterator[Card]:
        """The columns with their fields: those with a question first."""
        shown = [each for each in self.card["columns"] if not each["hidden"]]
        open_ones = {each["column"] for each in self.card["questions"]}
        for column in sorted(shown, key=lambda each: each["name"] not in open_ones):
            place = column["place"]
            values = [
                {**each, "field": self[f"value{place}-{number}"]}
                for number, each in enumerate(column["values"])
                if f"value{place}-{number}" in self.fields
            ]
            yield {
                **column,
                "field": self._bound(f"role{place}"),
                "label_field": self._bound(f"label{place}"),
                "maps": values,
                "is_open": column["name"] in open_ones,
            }

    def _bound(self, name: str) -> forms.BoundField | None:
        return self[name] if name in self.fields else None

    @property
    def questions(self) -> list[Card]:
        """What has to be answered; of a question about rows with its field."""
        return [
            {**each, "field": self._bound(_OF_ROWS.get(each["kind"], ("",))[0])}
            for each in self.card["questions"]
        ]

    @property
    def rows_above(self) -> list[Card]:
        """The rows that are no data, unless that is asked."""
        return [] if "explains" in self.fields else self.card["above"]

    @property
    def details(self) -> Iterator[forms.BoundField]:
        """The fields of the whole table."""
        for name in ("header", "encoding", "use"):
            if name in self.fields:
                yield self[name]

    @property
    def hidden(self) -> int:
        """How many columns of the tool itself are not shown."""
        return sum(each["hidden"] for each in self.card["columns"])

    @property
    def grid_id(self) -> str:
        return f"grid-{self.prefix}"

    @property
    def differs(self) -> bool:
        """Whether fields that were sent say otherwise than how the table is read now."""
        return any(self.add_prefix(name) in self.data for name in self.changed_data)

    def said(self, before: dict[str, Any]) -> dict[str, Any]:
        """Return what was said about the table: before, and what was changed now."""
        now = {**before}
        roles, values = dict(before.get("roles", {})), dict(before.get("values", {}))
        given, changed = self.cleaned_data, {*self.changed_data}
        if self.card[
            "remembered"
        ]:  # what was recalled is not recalled beside an answer
            of_columns = ("role", "label", "value")
            changed |= {name for name in self.fields if name.startswith(of_columns)}
        for column in self.card["columns"]:
            place, name = column["place"], column["name"]
            role, label = given.get(f"role{place}", ""), given.get(f"label{place}", "")
            if role and changed & {f"role{place}", f"label{place}"}:
                is_same = role == column["role"]
                roles[name] = [role, label if is_same else ""]
            for number, each in enumerate(column["values"]):
                field = f"value{place}-{number}"
                if field in changed and given.get(field):
                    own = dict(values.get(name, {}))
                    values[name] = own | {each["value"]: given[field]}
        now |= {"roles": roles, "values": values}
        return now | self._said_of_rows(changed)

    def _said_of_rows(self, changed: set[str]) -> dict[str, Any]:
        given = self.cleaned_data
        now: dict[str, Any] = {}
        if given.get("names"):
            now["header"] = int(given["names"])
            now["first"] = None if now["header"] else 1
        elif "header" in changed and given.get("header") is not None:
            now |= {"header": given["header"], "first": None}
        if given.get("explains"):
            line = self.card["above"][-1]["line"]
            now["first"] = line + (given["explains"] == "out")
        for name in {"use", "encoding"} & changed:
            now[name] = given[name]
        return now


def _choice(
    label: str, choices: list[tuple[str, str]], initial: str
) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label, choices=choices, initial=initial, required=False
    )
