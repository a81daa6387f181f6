"""How to read a third-party file: its first lines, with a role above each column."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.functional import cached_property

from tercet.analysis.dataset.flat_files import CAPTION, NAME, series_columns
from tercet.analysis.dataset.guessing import MOST_COLUMNS, ForeignFile, Layout
from tercet.analysis.formats.wide_tables import (
    WIDE,
    Role,
    columns_of,
    faults_of,
    rated_captions,
)
from tercet.analysis.tables.csv_tables import shortened
from tercet.analysis.tables.encodings import ENCODINGS, UTF_8
from tercet.analysis.tables.schema import (
    CANDIDATES,
    IMAGES,
    LONGEST_NAME,
    PAIRS,
    RATINGS,
    REFERENCES,
    SCORES,
    TABLES,
    TIE,
    VOTES,
)

_IGNORED_FILE = ("", "ignore this file")
_IGNORED = ("", "ignore")
_DESCRIPTIONS = {
    IMAGES: "files or addresses of the images",
    REFERENCES: "human captions of the images, one or several per line",
    CANDIDATES: "single captions, to generate pairs from",
    PAIRS: "two captions per line, with or without references",
    VOTES: "votes of annotators on pairs",
    SCORES: "scores of other metrics",
    RATINGS: "ratings of single captions",
}
"""What a line of each table is, for those who choose one."""
_WIDE = "wide table: references and captions of systems in columns"

_LABELED = (Role.CAPTION, Role.RATING, Role.VOTE)
_ROLES = [
    (Role.IMAGE.value, "image"),
    (Role.REFERENCE.value, "reference"),
    (Role.CAPTION.value, "caption"),
    (Role.WINNER.value, "winner"),
    (Role.PAIR.value, "name of the pair"),
    (Role.CATEGORY.value, "category"),
    (Role.SOURCE_B.value, "system of B"),
    (Role.SOURCE_C.value, "system of C"),
    (Role.RATING.value, "rating"),
    (Role.VOTE.value, "vote"),
    (Role.RATER.value, "rater"),
    _IGNORED,
]
_KINDS = {
    "candidate_b": Role.CAPTION.value,
    "candidate_c": Role.CAPTION.value,
    "choice": Role.WINNER.value,
}
"""The roles that columns of our tables look like, where they are called otherwise."""
_KINDS_WITH_REFERENCES = {**_KINDS, CAPTION: Role.REFERENCE.value}


@dataclass(frozen=True)
class _Column:
    """A column of the grid: its cells in the rows that are shown, and its fields.

    given: the role of a column that is called like one of ours. label: the system of captions, the
    aspect of ratings, or who voted. rated: the system whose captions are rated. kinds: what roles
    look like.
    """

    name: str
    cells: Sequence[str]
    given: str = ""
    role: forms.BoundField | None = None
    label: forms.BoundField | None = None
    rated: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What the column looks like in the grid."""
        chosen = str(self.role.value() or "") if self.role else self.given
        return self.kinds.get(chosen, chosen) or "ignore"


class GridForm(forms.Form):
    """How to read one third-party file: which table it is, its encoding, and its columns."""

    def __init__(self, file: ForeignFile, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.file = file

        if not file.named:
            files = [table.file for table in TABLES]
            named = [f"{table.file}: {_DESCRIPTIONS[table]}" for table in TABLES]
            tables = [_IGNORED_FILE, (WIDE, _WIDE), *zip(files, named, strict=True)]
            chosen = file.dialect.table
            self.fields["table"] = _choice("This file is", tables, chosen)
        elif file.own_table and (file.is_wide or self._may_have_votes):
            own = file.own_table
            words = f"{own.file}: {_DESCRIPTIONS[own]}"
            tables = [("", words), (WIDE, _WIDE)]
            chosen = file.dialect.table
            self.fields["table"] = _choice("This file is", tables, chosen)
        if not file.utf8:
            choices = ENCODINGS.items()
            chosen = file.dialect.encoding
            self.fields["encoding"] = _choice("Encoding", choices, chosen)

    @property
    def _may_have_votes(self) -> bool:
        """Whether a file that is called as a table may have columns of votes instead."""
        file = self.file
        unused = {*file.unknown}.difference(file.dialect.columns.values())
        may_lose = file.own_table == PAIRS and bool(unused)
        return may_lose or (file.own_table == VOTES and bool(file.lacking))

    def _add_role(self, number: int, name: str, roles: Any, initial: str) -> None:
        """Add the field of what a column holds."""
        label = f"Role of {name}"
        self.fields[f"role{number}"] = _choice(label, roles, initial)

    def _named(self) -> Iterator[tuple[int, str]]:
        """Yield the columns that have a name of their own, with their numbers."""
        header = self.file.header[:MOST_COLUMNS]
        for number, name in enumerate(header):
            if name and header.index(name) == number:
                yield number, name

    def _roles(self) -> dict[str, str]:
        """Return the roles that were chosen, by the names of their columns."""
        chosen = {}
        for number, name in self._named():
            role = self.cleaned_data.get(f"role{number}", "")
            if role:
                chosen[name] = role
        return chosen

    @cached_property
    def columns(self) -> list[_Column]:
        """The columns of the grid; those of a file without a header have no names."""
        widths = [len(self.file.header), *map(len, self.file.rows)]
        names = [*self.file.header, *[""] * max(widths)][: max(widths)]
        fields = dict(self._named())

        columns = []
        for number, name in enumerate(names[:MOST_COLUMNS]):
            cells = [row[number] if number < len(row) else "" for row in self.file.rows]
            parts = self._fields_of(number, name) if number in fields else {}
            columns.append(_Column(name, cells, **parts))
        return columns

    def _fields_of(self, number: int, name: str) -> dict[str, Any]:
        """Return what the grid shows above a column: the fields of `_Column`."""
        raise NotImplementedError

    @property
    def rows(self) -> list[list[tuple[str, str]]]:
        """The cells of the rows that are shown, with what their columns look like."""
        kinds = [column.kind for column in self.columns]
        cells = zip(*(column.cells for column in self.columns), strict=True)
        return [list(zip(kinds, row, strict=True)) for row in cells]

    @property
    def others(self) -> Iterator[forms.BoundField]:
        """The fields that stand below the grid, as they belong to no single column."""
        for name in self.fields:
            if not name.startswith(("role", "label")):
                yield self[name]

    @property
    def grid_id(self) -> str:
        """The id of the grid in the page."""
        return f"grid-{self.prefix}"

    @property
    def may_have_references(self) -> bool:
        """Whether columns of this file of pairs may be chosen as references."""
        is_asked = CAPTION in self.file.asked
        return is_asked and self.file.layout is Layout.WITH_PAIRS

    @property
    def differs(self) -> bool:
        """Whether fields that were sent say otherwise than how the file is read now."""
        return any(self.add_prefix(name) in self.data for name in self.changed_data)

    @property
    def choice(self) -> dict[str, Any]:
        """The parameters of `ForeignFile.read_as`."""
        return {
            "encoding": self.cleaned_data.get("encoding", UTF_8),
            "table": self.cleaned_data.get("table", ""),
            "positions": {},
        }


class TableGrid(GridForm):
    """A file that is one of our tables: its columns are ours, by other names."""

    def __init__(self, file: ForeignFile, *args: Any, **kwargs: Any) -> None:
        super().__init__(file, *args, **kwargs)
        asked = file.asked
        roles = [(name, self._words_for(name)) for name in asked]
        ours_of = {theirs: ours for ours, theirs in file.dialect.columns.items()}
        choosable = {*file.unknown, *asked} if asked else ()

        for number, name in self._named():
            if name in choosable:
                ours = ours_of.get(name, "").partition(" ")[0]
                initial = ours if ours in asked else ""
                self._add_role(number, name, [*roles, _IGNORED], initial)

    def _words_for(self, name: str) -> str:
        """Return what one of our columns is called in the grid."""
        if name == CAPTION and self._has_references:
            return "reference"
        is_numbered = name == NAME and self.file.table == PAIRS
        if name in self._required and not is_numbered:
            return f"{name} (required)"
        return name

    @property
    def _required(self) -> Sequence[str]:
        return self.file.table.required if self.file.table else ()

    @property
    def _has_references(self) -> bool:
        return self.file.table in (PAIRS, REFERENCES)

    def _fields_of(self, number: int, name: str) -> dict[str, Any]:
        kinds = _KINDS_WITH_REFERENCES if self._has_references else _KINDS
        if f"role{number}" in self.fields:
            return {"kinds": kinds, "role": self[f"role{number}"]}

        columns = self.file.table.columns if self.file.table else ()
        return {"kinds": kinds, "given": name if name in columns else ""}

    def clean(self) -> dict[str, Any]:
        for role, names in self._columns_by_role().items():
            may_be_several = role == CAPTION and self._has_references
            if len(names) > 1 and not may_be_several:
                values = {"role": role, "columns": shortened(", ".join(names))}
                message = "Only one column can be %(role)s: choose among %(columns)s."
                self.add_error(None, message % values)

        return self.cleaned_data

    def _columns_by_role(self) -> dict[str, list[str]]:
        """Return the columns of the file that were chosen as each of ours."""
        chosen: dict[str, list[str]] = defaultdict(list)
        for name, role in self._roles().items():
            chosen[role].append(name)
        return chosen

    @property
    def choice(self) -> dict[str, Any]:
        """The parameters of `ForeignFile.read_as`."""
        positions: dict[str, int] = {}
        for role, names in self._columns_by_role().items():
            ours = series_columns(role, len(names))
            places = map(self.file.header.index, names)
            positions |= dict(zip(ours, places, strict=True))
        return {**super().choice, "positions": positions}


class WideGrid(GridForm):
    """A wide table: what its columns hold, and the systems that their captions are of."""

    def __init__(self, file: ForeignFile, *args: Any, **kwargs: Any) -> None:
        super().__init__(file, *args, **kwargs)
        roles = file.dialect.roles

        for number, name in self._named():
            role, label = roles.get(name, ("", ""))
            self._add_role(number, name, _ROLES, role)
            if role in _LABELED:
                self.fields[f"label{number}"] = self._label(role, name, label)

        winners = file.dialect.winners
        means = self._meanings() if winners else []
        for number, (value, initial) in enumerate(winners.items()):
            label = f"“{value}” means"
            self.fields[f"winner{number}"] = _choice(label, means, initial)

    @staticmethod
    def _label(role: str, name: str, label: str) -> forms.CharField:
        words = "System of %(column)s"
        if role == Role.RATING:
            words = "Aspect of %(column)s"
        elif role == Role.VOTE:
            words = "Annotator of %(column)s"
        return forms.CharField(
            label=words % {"column": name}, initial=label, max_length=LONGEST_NAME
        )

    def _meanings(self) -> list[tuple[str, str]]:
        """Return what a value of the winners or votes may mean."""
        roles = self.file.dialect.roles
        b, c = (roles[name][1] for name in columns_of(roles, Role.CAPTION))
        sides = [("B", f"B: {b}"), ("C", f"C: {c}")]
        if columns_of(roles, Role.VOTE):
            return [*sides, (TIE, "tie"), ("", "no vote")]
        return [*sides, ("", "no winner")]

    def _fields_of(self, number: int, name: str) -> dict[str, Any]:
        roles = self.file.dialect.roles
        role = roles.get(name, ("", ""))[0]
        fields: dict[str, Any] = {"role": self[f"role{number}"]}

        if f"label{number}" in self.fields:
            fields["label"] = self[f"label{number}"]
        if role == Role.RATING and columns_of(roles, Role.CAPTION):
            fields["rated"] = roles[rated_captions(roles, name)][1]
        return fields

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("table") == WIDE:
            for fault in faults_of(self._labeled_roles()):
                self.add_error(None, str(fault))
        return self.cleaned_data

    def _labeled_roles(self) -> dict[str, tuple[str, str]]:
        """Return role and label of columns; a new label is the column's name."""
        numbers = {name: number for number, name in self._named()}
        roles = {}
        for name, role in self._roles().items():
            own = self.cleaned_data.get(f"label{numbers[name]}", name)
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
        return {**chosen, "roles": self._labeled_roles(), "winners": winners}


def _choice(label: str, choices: Any, initial: str) -> forms.ChoiceField:
    """Return a select that is optional where it has a choice without a value."""
    needed = "" not in dict(choices)
    return forms.ChoiceField(
        label=label, choices=choices, initial=initial, required=needed
    )
