"""How a table of a file is read: its layout, roles, meanings, and what has to be asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    SAMPLE,
    SIDES,
    Proposal,
    Role,
    Roles,
    are_numbers,
    are_texts,
    cells_of,
    columns_of,
    counts_something,
    may_be_ratings,
)
from tercet.analysis.tables.csv_tables import Table, shortened
from tercet.analysis.tables.file_tables import NO_CHOICES, Choices, FileTable
from tercet.analysis.tables.json_tables import list_in
from tercet.analysis.tables.rows import are_blank
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

    def of(self, *wanted: Role) -> list[str]:
        """Return the columns with one of some roles, in their order."""
        return columns_of(self.roles, *wanted)

    @property
    def tables(self) -> list[Table]:
        """Our tables that it is read as."""
        if not self.is_used:
            return []
        return [self.own] if self.own else list(_tables_of(self.roles))

    @property
    def is_unknown(self) -> bool:
        """Whether it has rows, but no column with a role."""
        has_rows = self.table.readable and len(self.table.frame) > 0
        roles = columns_of(self.roles, *(set(Role) - {Role.UNUSED}))
        return has_rows and self.is_used and not (self.own or self.layout or roles)

    @property
    def kind(self) -> str:
        """What the table is, in words."""
        if not self.table.readable:
            return f"{self.table.of}: not read" if self.table.of else "not read"
        if self.own:
            return f"{self.table.of or 'Tercet dataset'}: {self.own.name}"
        if self.layout:
            return self.layout.name
        names = ", ".join(table.name for table in self.tables)
        nothing = "no role is known" if self.is_unknown else "nothing in it is imported"
        return f"a table that Tercet does not know: {names or nothing}"

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
        return columns_of(self.roles, Role.UNUSED)

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
    ranks = columns_of(roles, Role.RANK) if captions else []
    are_pairs = len(captions) == 2 and bool(choices or columns_of(roles, Role.PAIR))
    if are_pairs or ranks:
        yield PAIRS
    elif captions and (
        len(captions) > 1
        or not columns_of(roles, Role.RATING)
        or columns_of(roles, Role.SYSTEM, Role.SYSTEM_B)
    ):
        yield CANDIDATES
    if (are_pairs and choices) or ranks:
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
    proposal = Proposal(table, known)
    roles = proposal.roles
    made = Plan(table, layout, None, roles, _values(table, roles, said))
    made = replace(made, questions=tuple(_questions(made, said, proposal.unsure)))
    return replace(made, lost=tuple(_lost(made)))


def _given(table: FileTable, layout: Layout | None) -> Roles:
    """Return the roles that a layout gives; its own columns are not used otherwise."""
    if not layout:
        return {}
    own = {name: (Role.UNUSED, "") for name in table.header if layout.is_noise(name)}
    return own | dict(layout.roles(table) if layout.roles else {})


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
    others = [value for each in columns for value in table.frame[each].unique()]
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
    open_values = {*cells[filled & (told == "")].unique()}
    yield from {*cells[filled].unique()} - open_values


def _questions(
    plan: Plan, said: Choices, unsure: Mapping[str, str]
) -> Iterator[Question]:
    """Yield what has to be answered about a table; of a column of unknown role only the first."""
    asked: set[str] = set()
    for each in _all_questions(plan, said, unsure):
        if not (each.kind == ROLE and each.column in asked):
            yield each
        asked |= {each.column} - {""}


def _all_questions(
    plan: Plan, said: Choices, unsure: Mapping[str, str]
) -> Iterator[Question]:
    yield from _about_header(plan, said)
    choices = plan.of(Role.CHOICE)
    if choices and not plan.of(Role.CAPTION, Role.PAIR, Role.IMAGE):
        yield _about_form(plan, choices)
        return
    for name, why in unsure.items():
        if name not in said.roles:
            yield Question(ROLE, f"Column {name} {why}: what does it hold?", name)
    are_votes = bool(plan.of(Role.PAIR) and choices)
    says_something = plan.of(Role.REFERENCE, Role.CAPTION, Role.CHOICE, Role.RATING)
    if says_something and not are_votes and not plan.of(Role.IMAGE):
        yield Question(ROLE, "Which column names the images?")
    yield from _about_captions(plan, said)
    yield from _about_values(plan)
    open_ones = [name for name in plan.of(Role.UNUSED) if name not in said.roles]
    noise = plan.layout.is_noise if plan.layout else None
    unused = [name for name in open_ones if not (noise and noise(name))]
    yield from _about_lost(plan, [name for name in unused if name not in unsure])
    yield from _about_people(plan, open_ones)


def _about_header(plan: Plan, said: Choices) -> Iterator[Question]:
    table = plan.table
    has_names = not (plan.layout and plan.layout.headless)
    if table.asks == HEADER and said.header is None and has_names:
        cells = table.frame[[*table.header]].iloc[:1, :3].to_numpy().ravel()
        row = " | ".join(map(shortened, cells))
        yield Question(HEADER, f"Is the first row a header? It is: {row}")
    if table.asks == SECOND_HEADER and said.first is None:
        line, names = table.above[-1]
        text = shortened(" | ".join(filter(None, names)), 100)
        yield Question(
            SECOND_HEADER, f"Does row {line} explain the columns? It is: {text}"
        )


def _about_form(plan: Plan, choices: Sequence[str]) -> Question:
    """Ask for other rows where each column is a question, and no column says of what."""
    count = int((plan.table.frame[[*choices]] != "").to_numpy().sum())
    shown = ", ".join(shortened(name) for name in choices[:2])
    more = f" and {len(choices) - 2:,} more" if len(choices) > 2 else ""
    text = (
        f"{count:,} answers in column {shown}{more} are not used, for no column holds the image "
        "and the captions that were asked about: write a row for each answer, with its image, "
        "both captions, the annotator and the choice"
    )
    return Question(ROLE, text)


def _about_captions(plan: Plan, said: Choices) -> Iterator[Question]:
    """Doubt captions that have one value, and ask for those that answers are about."""
    frame = plan.table.frame
    images = plan.of(Role.IMAGE)
    has_several = len(frame) > 2 and bool(images) and frame[images[0]].nunique() > 1
    for name in plan.of(Role.CAPTION, Role.REFERENCE):
        cells = cells_of(plan.table, name)
        is_one = len({*cells}) == 1 and len(cells) > 2
        if is_one and has_several and name not in said.roles:
            text = f"Column {name} has one value, {shortened(cells[0])!r}: are these captions?"
            yield Question(ROLE, text, name)
    captions, is_paired = plan.of(Role.CAPTION), bool(plan.of(Role.PAIR))
    known = ", ".join(captions) or "none"
    for name in plan.of(Role.RATING)[: not (captions or is_paired)]:
        yield Question(ROLE, f"Which column holds the captions that {name} rates?")
    for name in plan.of(Role.CHOICE)[: not (len(captions) == 2 or is_paired)]:
        text = (
            f"{_count(frame[name]):,} answers in column {name} are not used: which two columns "
            f"are the captions that are compared? Known as captions: {known}"
        )
        yield Question(ROLE, text)


def _count(cells: "pd.Series[str]") -> int:
    """Return how many cells are filled."""
    return len(cells) - int(are_blank(cells).sum())


def _about_values(plan: Plan) -> Iterator[Question]:
    """Ask what values mean that no rule knows."""
    for name, meant in plan.values.items():
        values = tuple(value for value, each in meant.items() if not each)
        cells = plan.table.frame[name]
        if plan.roles[name][0] == Role.LEAVE_OUT:
            shown = ", ".join(map(repr, values[:MOST_VALUES]))
            text = f"Are rows left out where {name} is {shown}?"
        elif len(values) > MOST_VALUES:
            text = (
                f"Column {name} has {len(values):,} different values: is it a choice?"
            )
            yield Question(ROLE, text, name)
            continue
        else:
            count = int(plain_values(cells).isin(values).sum())
            are = plural(count, "answer in column {} is", "answers in column {} are")
            do = "does" if len(values) == 1 else "do"
            shown = ", ".join(f"“{value}”" for value in values[:MOST_VALUES])
            text = f"{count:,} {are.format(name)} not used: what {do} {shown} mean?"
        if values:
            yield Question(VALUES, text, name, values)


def _about_lost(plan: Plan, unused: Sequence[str]) -> Iterator[Question]:
    """Ask about columns that are not used, and whose cells may be answers."""
    captions = plan.of(Role.CAPTION)
    are_pairs = len(captions) == 2 or bool(plan.of(Role.PAIR))
    is_answered = bool(plan.of(Role.CHOICE, Role.RATING, Role.RANK))
    lacks_answers = bool(captions and plan.of(Role.ANNOTATOR)) and not is_answered
    may_be_rated = len(captions) in (1, 2) and not is_answered
    images = {
        cell for name in plan.of(Role.IMAGE) for cell in cells_of(plan.table, name)
    }
    for name in unused:
        cells = cells_of(plan.table, name)
        if are_numbers(cells) and counts_something(name):
            continue
        is_asked = are_pairs and _are_answers(cells)
        is_asked |= may_be_rated and may_be_ratings(plan.table, name)
        rows = len(plan.table.frame)
        has_few = 0 < len({*cells}) <= MOST_VALUES and len({*cells}) < len(cells)
        has_few &= len({*cells}) > 1 or len(cells) < min(rows, SAMPLE)
        has_few &= not images & {*cells}
        if is_asked or (lacks_answers and has_few):
            count = _count(plan.table.frame[name])
            text = f"{count:,} answers in column {name} are not used: what is it?"
            yield Question(ROLE, text, name)


def _about_people(plan: Plan, unused: Sequence[str]) -> Iterator[Question]:
    """Ask whether a column is the annotator that tells lines apart which are otherwise equal."""
    if len(plan.of(Role.CHOICE, Role.RANK)) != 1 or plan.of(Role.ANNOTATOR):
        return
    told = plan.of(Role.IMAGE, Role.CAPTION, Role.SYSTEM)
    subject = plan.of(Role.PAIR)[:1] or told
    frame = plan.table.frame
    rows = frame[frame.duplicated(subject, keep=False)] if subject else frame[:0]
    for name in unused:
        is_telling = not rows.duplicated([*subject, name]).any()
        if is_telling and rows[name].duplicated().any():
            text = f"Column {name} tells lines apart that are otherwise equal: is it the annotator?"
            yield Question(ROLE, text, name)
            return


def _lost(plan: Plan) -> Iterator[str]:
    """Say what of a table is not imported."""
    key, frame = plan.table.key, plan.table.frame
    for name in plan.of(Role.LEAVE_OUT):
        left = [value for value, each in plan.values[name].items() if each == LEAVE]
        count = int(frame[name].str.strip().isin(left).sum())
        if count:
            rows = plural(count, "row is", "rows are")
            yield f"{key}: {count:,} {rows} left out, where {name} is {', '.join(left)}"
    for question in plan.questions:
        if question.kind == VALUES and question.text[0].isdigit():
            yield f"{key}: {question.text.partition(':')[0]}"
    choices = plan.of(Role.CHOICE)
    count = int(are_blank(frame[choices[0]]).sum()) if len(choices) == 1 else 0
    if count:
        rows = plural(count, "row has", "rows have")
        yield f"{key}: {count:,} {rows} no answer in column {choices[0]}"

    if frame.empty:
        yield f"{key}: it has no rows"
    filled = [name for name in plan.unused if (frame[name] != "").any()]
    layout = plan.layout
    noise = [name for name in filled if layout and layout.is_noise(name)]
    others = [_described(plan.table, name) for name in filled if name not in noise]
    if noise and layout:
        count = len(noise)
        columns = plural(count, "column of {} itself is", "columns of {} itself are")
        tool = layout.name.partition(",")[0]
        yield f"{key}: {count:,} {columns.format(tool)} not used"
    if len(others) == 1:
        yield f"{key}: column {others[0]} is not used"
    elif others:
        more = f" and {len(others) - 8:,} more" if len(others) > 8 else ""
        shown = ", ".join(others[:8])
        yield f"{key}: {len(others):,} columns are not used: {shown}{more}"


def _described(table: FileTable, name: str) -> str:
    """Return the name of a column, with how much it holds."""
    cells = cells_of(table, name)
    what = "texts" if are_texts(cells) else "values"
    what = "numbers" if are_numbers(cells) else what
    return f"{name} ({_count(table.frame[name]):,} {what})"
