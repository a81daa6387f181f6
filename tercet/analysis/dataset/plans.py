"""How a table of a file is read: its layout, roles, meanings, and what has to be asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from tercet.analysis.layouts import Layout, layout_of
from tercet.analysis.number_texts import plural
from tercet.analysis.roles.meanings import (
    KEEP,
    LEAVE,
    MEANINGS,
    MOST_VALUES,
    Sides,
    chosen,
    meanings,
    plain_value,
    plain_values,
    status_meanings,
)
from tercet.analysis.roles.roles import (
    SIDES,
    Role,
    Roles,
    are_numbers,
    are_texts,
    cells_of,
    columns_of,
    propose,
)
from tercet.analysis.tables.csv_tables import Table, shortened
from tercet.analysis.tables.file_tables import NO_CHOICES, Choices, FileTable
from tercet.analysis.tables.json_tables import list_in
from tercet.analysis.tables.schema import (
    CANDIDATES,
    PAIRS,
    RATINGS,
    REFERENCES,
    TIE,
    VOTES,
)

HEADER, SECOND_HEADER = "header", "second header"
ROLE, VALUES = "role", "values"
ANSWERS = {each for pair in SIDES for each in pair} | {
    TIE,
    "true",
    "false",
    "=",
    "yes",
    "no",
}

_LETTERS = {"a", "b", "c", "left", "right", "first", "second"}


@dataclass(frozen=True)
class Question:
    """What has to be answered before it is known which rows there are; of a column, or of all."""

    kind: str
    text: str
    column: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """How a table is read.

    `own` is our table that it is as it stands; others have `roles`. `values` are the meanings of
    the values of choices and of statuses, by column. `lost` says what will not be imported.
    """

    table: FileTable
    layout: Layout | None = None
    own: Table | None = None
    roles: Roles = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    lost: tuple[str, ...] = ()
    is_used: bool = True

    @property
    def tables(self) -> list[Table]:
        """Our tables that it is read as."""
        if not self.is_used:
            return []
        return [self.own] if self.own else list(_tables_of(self.roles))

    @property
    def kind(self) -> str:
        """What the table is, in words."""
        if not self.table.readable:
            return "not read"
        if self.own:
            return f"Tercet dataset: {self.own.name}"
        if self.layout:
            return self.layout.name
        names = ", ".join(table.name for table in self.tables)
        return f"a table that Tercet does not know: {names or 'no role is known'}"

    @property
    def first_row(self) -> int | None:
        """The row of a sheet or a text file in which the data begin; None of records."""
        lines = self.table.frame["line"]
        return None if self.table.is_entry or lines.empty else int(lines.iloc[0])

    @property
    def unused(self) -> list[str]:
        """The columns that are not used."""
        if self.own:
            return [each for each in self.table.header if each not in self.own.columns]
        return columns_of(self.roles, Role.UNUSED, Role.RANK)

    @property
    def sides(self) -> Sides:
        """The two captions of each row."""
        return _sides_of(self.roles)


def _sides_of(roles: Roles) -> Sides:
    captions = columns_of(roles, Role.CAPTION)
    systems = [
        *columns_of(roles, Role.SYSTEM_B)[:1],
        *columns_of(roles, Role.SYSTEM_C)[:1],
    ]
    both = captions if len(captions) == 2 else []
    labels = [roles[name][1] for name in both]
    return Sides(both, labels, systems if len(systems) == 2 else ())


def _tables_of(roles: Roles) -> Iterator[Table]:
    """Yield our tables that a table with these roles holds."""
    captions = columns_of(roles, Role.CAPTION)
    choices = columns_of(roles, Role.CHOICE)
    if columns_of(roles, Role.PAIR) and choices and not captions:
        yield VOTES
        return
    if not columns_of(roles, Role.IMAGE):
        return

    if columns_of(roles, Role.REFERENCE):
        yield REFERENCES
    are_pairs = len(captions) == 2 and bool(choices or columns_of(roles, Role.PAIR))
    if are_pairs:
        yield PAIRS
    elif captions and (
        len(captions) > 1
        or not columns_of(roles, Role.RATING)
        or columns_of(roles, Role.SYSTEM, Role.SYSTEM_B)
    ):
        yield CANDIDATES
    if are_pairs and choices:
        yield VOTES
    if captions and columns_of(roles, Role.RATING):
        yield RATINGS


def plan(table: FileTable, said: Choices = NO_CHOICES) -> Plan:
    """Return how a table is read, by what people have said and else by what is proposed."""
    if said.use == "no":
        return Plan(table, is_used=False)
    layout = layout_of(table)
    own = layout.own(table) if layout and layout.own else None
    if not table.readable or (
        own and not said.roles and not _other_columns(table, own)
    ):
        return Plan(table, layout, own)

    if layout and layout.tidy:
        table = layout.tidy(table)
    given = _given(table, layout)
    in_table = {name: each for name, each in said.roles.items() if name in table.header}
    known = dict(given) | {name: (each[0], each[1]) for name, each in in_table.items()}
    proposal = propose(table, known)
    roles = proposal.roles
    values = _values(table, roles, said)
    questions = list(_questions(table, layout, roles, values, said, proposal.unsure))
    made = Plan(table, layout, None, roles, values, tuple(questions))
    return Plan(
        table, layout, None, roles, values, tuple(questions), tuple(_lost(made, said))
    )


def _given(table: FileTable, layout: Layout | None) -> Roles:
    """Return the roles that a layout gives; its own columns are not used otherwise."""
    if not layout or not layout.roles:
        return {}
    own = {name: (Role.UNUSED, "") for name in table.header if layout.is_noise(name)}
    return own | dict(layout.roles(table))


def _other_columns(table: FileTable, own: Table) -> list[str]:
    """Return the columns of one of our tables that hold answers, or lists of references."""
    if own == REFERENCES:
        cells = cells_of(table, "caption")
        return ["caption"] if any(map(list_in, cells)) and _are_lists(cells) else []
    if own not in (PAIRS, VOTES, CANDIDATES):
        return []
    unknown = [name for name in table.header if name not in own.columns]
    return [name for name in unknown if _are_answers(cells_of(table, name))]


def _are_lists(cells: Sequence[str]) -> bool:
    return sum(cell.startswith("[") for cell in cells) * 2 > len(cells)


def _are_answers(cells: Sequence[str]) -> bool:
    """Return whether cells are the names of sides, in which a choice is mostly written."""
    values = {plain_value(cell).casefold() for cell in cells}
    letters = values - {"0", "1", "2"}
    if not cells or not values <= ANSWERS or len(values) > MOST_VALUES:
        return False
    if len(values) == 1:
        return bool(values & _LETTERS)
    return bool(letters or len(cells) > 3)


def _values(table: FileTable, roles: Roles, said: Choices) -> dict[str, dict[str, str]]:
    """Return the meanings of the values of choices and statuses, "" where one is to be asked."""
    sides = _sides_of(roles)
    columns = columns_of(roles, Role.CHOICE)
    every = pd.concat([table.frame[each] for each in columns]) if columns else []
    others = [*dict.fromkeys(every)]
    found: dict[str, dict[str, str]] = {}
    for name in columns:
        guessed = meanings(table.frame[name], name, sides, others)
        self_told = {*_told_by_rows(table.frame, name, sides)}
        own = {value: each for value, each in guessed.items() if value not in self_told}
        found[name] = own
    for name in columns_of(roles, Role.LEAVE_OUT):
        found[name] = status_meanings(table.frame[name])
    for name, meant in said.values.items():
        if name in found:
            allowed = {*MEANINGS, KEEP, LEAVE}
            found[name] |= {
                value: each
                for value, each in meant.items()
                if value in found[name] and each in allowed
            }
    return found


def _told_by_rows(frame: pd.DataFrame, name: str, sides: Sides) -> Iterator[str]:
    """Yield values of a choice that are the text or the system of a side wherever they stand."""
    if not sides.columns:
        return
    told = chosen(frame, name, sides, {})
    cells = plain_values(frame[name])
    filled = cells != ""
    open_values = {*cells[filled & (told == "")]}
    yield from {*cells[filled]} - open_values


def _questions(
    table: FileTable,
    layout: Layout | None,
    roles: Roles,
    values: Mapping[str, Mapping[str, str]],
    said: Choices,
    unsure: Mapping[str, str],
) -> Iterator[Question]:
    """Yield what has to be answered about a table."""
    yield from _about_header(table, layout, said)
    answered = {*said.roles}
    for name, why in unsure.items():
        if name not in answered:
            text = f"Column {name} {why}: what does it hold?"
            yield Question(ROLE, text, name)
    if not columns_of(roles, Role.IMAGE) and _says_something(roles):
        pair = columns_of(roles, Role.PAIR)
        if not (pair and columns_of(roles, Role.CHOICE)):
            yield Question(ROLE, "Which column names the images?")
    yield from _about_captions(table, roles, answered)
    yield from _about_choices(table, roles, values, answered)
    for name in columns_of(roles, Role.LEAVE_OUT):
        open_values = [value for value, each in values[name].items() if not each]
        if open_values:
            shown = ", ".join(map(repr, open_values[:MOST_VALUES]))
            text = f"Are rows left out where {name} is {shown}?"
            yield Question(VALUES, text, name, tuple(open_values))


def _about_header(
    table: FileTable, layout: Layout | None, said: Choices
) -> Iterator[Question]:
    if (
        table.asks == HEADER
        and said.header is None
        and not (layout and layout.headless)
    ):
        row = (
            " | ".join(map(shortened, table.frame[[*table.header]].iloc[0, :3]))
            if len(table.frame)
            else ""
        )
        yield Question(HEADER, f"Is the first row a header? It is: {row}")
    if table.asks == SECOND_HEADER and said.first is None:
        line, cells = table.above[-1]
        text = shortened(" | ".join(filter(None, cells)), 100)
        yield Question(
            SECOND_HEADER, f"Does row {line} explain the columns? It is: {text}"
        )


def _says_something(roles: Roles) -> bool:
    return bool(
        columns_of(roles, Role.REFERENCE, Role.CAPTION, Role.CHOICE, Role.RATING)
    )


def _about_captions(
    table: FileTable, roles: Roles, answered: set[str]
) -> Iterator[Question]:
    """Doubt captions that have one value, or are no texts."""
    for name in columns_of(roles, Role.CAPTION, Role.REFERENCE):
        cells = cells_of(table, name)
        if name in answered or len(table.frame) < 3:
            continue
        if len({*cells}) == 1 and len(cells) > 2:
            images = columns_of(roles, Role.IMAGE)
            if images and table.frame[images[0]].nunique() > 1:
                text = f"Column {name} has one value, {shortened(cells[0])!r}: are these captions?"
                yield Question(ROLE, text, name)
    ratings = columns_of(roles, Role.RATING)
    if ratings and not columns_of(roles, Role.CAPTION, Role.PAIR):
        yield Question(
            ROLE, f"Which column holds the captions that {ratings[0]} rates?"
        )
    choices = columns_of(roles, Role.CHOICE)
    captions = columns_of(roles, Role.CAPTION)
    if choices and len(captions) != 2 and not columns_of(roles, Role.PAIR):
        count = sum(bool(cell.strip()) for cell in table.frame[choices[0]])
        yield Question(
            ROLE,
            f"{count:,} answers in column {choices[0]} are not used: which two columns are the "
            f"captions that are compared? ({len(captions)} are known)",
        )


def _about_choices(
    table: FileTable,
    roles: Roles,
    values: Mapping[str, Mapping[str, str]],
    answered: set[str],
) -> Iterator[Question]:
    """Ask what answers mean, which column has them, and who gave them."""
    for name in columns_of(roles, Role.CHOICE):
        open_values = [value for value, each in values[name].items() if not each]
        if len(open_values) > MOST_VALUES:
            text = f"Column {name} has {len(open_values):,} different values: is it a choice?"
            yield Question(ROLE, text, name)
        elif open_values:
            cells = plain_values(table.frame[name])
            count = int(cells.isin(open_values).sum())
            shown = ", ".join(open_values[:4])
            words = plural(
                count,
                f"{count} answer in column {name} is not used",
                f"{count:,} answers in column {name} are not used",
            )
            do = "does" if len(open_values) == 1 else "do"
            words = f"{words}: what {do} {shown} mean?"
            yield Question(VALUES, words, name, tuple(open_values))

    captions = columns_of(roles, Role.CAPTION)
    if len(captions) == 2 or columns_of(roles, Role.PAIR):
        for name in columns_of(roles, Role.UNUSED):
            if name not in answered and _are_answers(cells_of(table, name)):
                count = int((table.frame[name].str.strip() != "").sum())
                text = f"{count:,} answers in column {name} are not used: what is it?"
                yield Question(ROLE, text, name)
    yield from _about_people(table, roles, answered)


def _about_people(
    table: FileTable, roles: Roles, answered: set[str]
) -> Iterator[Question]:
    """Ask whether a column is the annotator that tells lines apart which are otherwise equal."""
    choices = columns_of(roles, Role.CHOICE)
    if len(choices) != 1 or columns_of(roles, Role.ANNOTATOR):
        return
    subject = columns_of(roles, Role.PAIR)[:1] or columns_of(
        roles, Role.IMAGE, Role.CAPTION
    )
    again = table.frame.duplicated(subject, keep=False)
    if not again.any() or not subject:
        return
    rows = table.frame[again]
    for name in columns_of(roles, Role.UNUSED):
        is_telling = not rows.duplicated([*subject, name]).any()
        recurs = rows[name].duplicated().any()
        if name not in answered and is_telling and recurs:
            text = f"Column {name} tells lines apart that are otherwise equal: is it the annotator?"
            yield Question(ROLE, text, name)
            return


def _lost(plan: Plan, said: Choices) -> Iterator[str]:
    """Say what of a table is not imported."""
    table, layout = plan.table, plan.layout
    frame = table.frame
    for name in columns_of(plan.roles, Role.LEAVE_OUT):
        left = [value for value, each in plan.values[name].items() if each == LEAVE]
        count = int(frame[name].str.strip().isin(left).sum())
        if count:
            shown = ", ".join(left)
            yield plural(
                count,
                f"{table.key}: {count} row is left out, where {name} is {shown}",
                f"{table.key}: {count:,} rows are left out, where {name} is {shown}",
            )
    for question in plan.questions:
        if question.kind == VALUES and question.text.split(" ", 1)[0][0].isdigit():
            yield f"{table.key}: {question.text.partition(':')[0]}"

    filled = [name for name in plan.unused if (frame[name] != "").any()]
    noise = [name for name in filled if layout and layout.is_noise(name)]
    others = [name for name in filled if name not in noise]
    if noise and layout:
        yield plural(
            len(noise),
            f"{table.key}: {len(noise)} column of {layout.name} itself is not used",
            f"{table.key}: {len(noise):,} columns of {layout.name} itself are not used",
        )
    if others:
        shown = ", ".join(_described(table, name) for name in others[:8])
        more = f" and {len(others) - 8:,} more" if len(others) > 8 else ""
        yield plural(
            len(others),
            f"{table.key}: column {shown} is not used",
            f"{table.key}: {len(others):,} columns are not used: {shown}{more}",
        )
    if table.above:
        yield from ()


def _described(table: FileTable, name: str) -> str:
    """Return the name of a column, with how much it holds."""
    cells = cells_of(table, name)
    count = int((table.frame[name].str.strip() != "").sum())
    what = (
        "numbers" if are_numbers(cells) else "texts" if are_texts(cells) else "values"
    )
    return f"{name} ({count:,} {what})"
