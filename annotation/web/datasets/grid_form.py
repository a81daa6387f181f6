"""The form of a wide table: a role above each column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tercet.analysis.dataset.guessing import MOST_COLUMNS, ForeignFile
from tercet.analysis.formats.wide_tables import (
    WIDE,
    Role,
    columns_of,
    faults_of,
    rated_captions,
)
from tercet.analysis.tables.schema import LONGEST_NAME
from tercet.annotation.web.datasets.upload_form import FormatForm

_LABELED = (Role.CAPTION, Role.RATING)
_ROLES = [
    (Role.IMAGE.value, gettext_lazy("image")),
    (Role.REFERENCE.value, gettext_lazy("reference")),
    (Role.CAPTION.value, gettext_lazy("caption")),
    (Role.WINNER.value, gettext_lazy("winner")),
    (Role.CATEGORY.value, gettext_lazy("category")),
    (Role.RATING.value, gettext_lazy("rating")),
    ("", gettext_lazy("ignore")),
]


@dataclass(frozen=True)
class _Column:
    """A column of the grid with its fields and the cells of the rows that are shown.

    rated: the system whose captions are rated. winners: a field for each value of the winners.
    """

    name: str
    role: forms.BoundField
    label: forms.BoundField | None
    rated: str
    winners: Sequence[forms.BoundField]
    cells: Sequence[str]

    @property
    def kind(self) -> str:
        return str(self.role.value() or "ignore")


class GridForm(FormatForm):
    """How to read a wide table: its encoding, and what each of its columns holds."""

    def __init__(self, file: ForeignFile, *args: Any, **kwargs: Any) -> None:
        super().__init__(file, *args, **kwargs)
        roles = file.dialect.roles

        for number, name in self._columns():
            role, label = roles.get(name, ("", ""))
            self.fields[f"role{number}"] = forms.ChoiceField(
                label=_("Role of %(column)s") % {"column": name},
                choices=_ROLES,
                initial=role,
                required=False,
            )
            if role in _LABELED:
                self.fields[f"label{number}"] = self._label(role, name, label)

        systems = [roles[name][1] for name in columns_of(roles, Role.CAPTION)]
        for number, value in enumerate(file.dialect.winners):
            means = [
                ("B", _("B: %(system)s") % {"system": systems[0]}),
                ("C", _("C: %(system)s") % {"system": systems[1]}),
                ("", _("no winner")),
            ]
            self.fields[f"winner{number}"] = forms.ChoiceField(
                label=value,
                choices=means,
                initial=file.dialect.winners[value],
                required=False,
            )

    def _columns(self) -> Iterator[tuple[int, str]]:
        """Yield the columns that have a name, with their numbers."""
        for number, name in enumerate(self.file.header[:MOST_COLUMNS]):
            if name and self.file.header.index(name) == number:
                yield number, name

    @staticmethod
    def _label(role: str, name: str, label: str) -> forms.CharField:
        words = _("System of %(column)s")
        if role == Role.RATING:
            words = _("Aspect of %(column)s")
        return forms.CharField(
            label=words % {"column": name}, initial=label, max_length=LONGEST_NAME
        )

    @property
    def columns(self) -> Iterator[_Column]:
        """The columns of the grid."""
        roles = self.file.dialect.roles
        for number, name in self._columns():
            role = roles.get(name, ("", ""))[0]
            has_label = f"label{number}" in self.fields
            is_rating = role == Role.RATING and bool(columns_of(roles, Role.CAPTION))
            yield _Column(
                name,
                self[f"role{number}"],
                self[f"label{number}"] if has_label else None,
                roles[rated_captions(roles, name)][1] if is_rating else "",
                self._winner_fields() if role == Role.WINNER else (),
                [row[number] for row in self.file.rows if number < len(row)],
            )

    @property
    def rows(self) -> list[list[tuple[str, str]]]:
        """The cells of the rows that are shown, with the roles of their columns."""
        columns = list(self.columns)
        shown = len(self.file.rows)
        filled = [[*each.cells, *[""] * shown][:shown] for each in columns]
        kinds = [each.kind for each in columns]
        return [
            list(zip(kinds, cells, strict=True)) for cells in zip(*filled, strict=True)
        ]

    @property
    def others(self) -> Iterator[forms.BoundField]:
        """The fields that belong to no column."""
        for name in ("table", "encoding"):
            if name in self.fields:
                yield self[name]

    def _winner_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("winner")]

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("table") == WIDE:
            for fault in faults_of(self._roles):
                self.add_error(None, str(fault))
        return self.cleaned_data

    @property
    def _roles(self) -> dict[str, tuple[str, str]]:
        """Role and label of each column that has one; a new label is the column's name."""
        roles = {}
        for number, name in self._columns():
            role = self.cleaned_data.get(f"role{number}", "")
            own = self.cleaned_data.get(f"label{number}", name)
            if role:
                roles[name] = (role, own if role in _LABELED else "")
        return roles

    @property
    def choice(self) -> dict[str, Any]:
        """The parameters of `ForeignFile.read_as`."""
        chosen = super().choice
        if self.cleaned_data.get("table") != WIDE:
            return chosen

        winners = {}
        for number, value in enumerate(self.file.dialect.winners):
            winners[value] = self.cleaned_data.get(f"winner{number}", "")
        return {**chosen, "roles": self._roles, "winners": winners}
