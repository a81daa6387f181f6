"""Build model instances from raw SQL on the hot path.

Every vote runs these few statements. Building a query set or a `raw` query anew each time took a
quarter of a vote's time.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import JSONField, Model

Row = TypeVar("Row", bound=Model)
_Convert = Callable[[Any], Any]
_PLAIN = {int, str, float, type(None)}
"""Types whose values need not be prepared for the database, unless they are written as JSON."""
Statement = tuple[str, Sequence[Any]]
"""A statement of SQL and its values."""


class Columns(Generic[Row]):
    """Some columns of a model, named with commas between them; all columns where none is named."""

    def __init__(self, model: type[Row], names: str = "") -> None:
        table = model._meta.db_table
        chosen = [model._meta.get_field(name) for name in names.split(", ") if name]

        self.model = model
        self.fields = [
            field
            for field in model._meta.concrete_fields
            if not chosen or field in chosen
        ]
        self.names = [field.attname for field in self.fields]
        self.columns = [str(field.column) for field in self.fields]
        self.sql = ", ".join(f"{table}.{column}" for column in self.columns)

    def instance(self, values: Sequence[Any]) -> Row:
        """Build an instance of the model from one row of the database."""
        values = list(values)

        for index, convert in self._converters:
            values[index] = convert(values[index])

        return self.model.from_db(connection.alias, self.names, values)

    def values(self, row: Row) -> list[object]:
        """Return the values of an instance in these columns, prepared for the database."""
        values: list[object] = []
        for field in self.fields:
            value = getattr(row, field.attname)
            if type(value) not in _PLAIN or isinstance(field, JSONField):
                value = field.get_db_prep_save(value, connection)
            values.append(value)

        return values

    def insert(self, row: Row, source: str = "", values: Sequence[object] = ()) -> bool:
        """Insert a new instance; its key is set if it is not among these columns.

        With a `source`, FROM with a condition on one row and its values, nothing is inserted where
        the condition does not hold. Return whether the instance was inserted.
        """
        sql, own_values = self.insertion(row, source)
        returned = fetch(sql, [*own_values, *values])
        if not returned:
            return False

        self.note_inserted(row, *returned[0])
        return True

    def insertion(self, row: Row, source: str = "") -> Statement:
        """Return the statement that inserts a new instance; it returns the key."""
        return self._insert_sql.format(source=source), self.values(row)

    def note_inserted(self, row: Row, key: object) -> None:
        """Note that an instance was inserted, and its key if it is not among these columns."""
        if self.model._meta.pk not in self.fields:
            row.pk = key

        row._state.adding = False

    @cached_property
    def _insert_sql(self) -> str:
        meta = self.model._meta
        columns = ", ".join(self.columns)
        values = ", ".join("%s" for _ in self.fields)

        insert = f"INSERT INTO {meta.db_table} ({columns}) SELECT {values}"
        return f"{insert} {{source}} RETURNING {meta.pk.column}"

    @cached_property
    def _converters(self) -> list[tuple[int, _Convert]]:
        """The conversions from the database's values to Python's, by the index of the column."""
        converters: list[tuple[int, _Convert]] = []

        for index, field in enumerate(self.fields):
            column = field.get_col(self.model._meta.db_table)
            own = field.get_db_converters(connection)
            functions = [*connection.ops.get_db_converters(column), *own]
            known = {"expression": column, "connection": connection}
            converters += [
                (index, partial(function, **known)) for function in functions
            ]

        return converters


def fetch(sql: str, values: Sequence[Any]) -> list[Any]:
    """Run a query and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def execute(sql: str, values: Sequence[Any]) -> None:
    """Run a statement that returns no rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def in_one(*statements: Statement) -> Statement:
    """Return one statement for PostgreSQL that runs several, which must change different rows.

    All see the database as it was before. Those after the first may use what it returns, as a table
    named `first`.
    """
    names = ["first", *(f"next_{index}" for index in range(1, len(statements)))]
    *parts, last = [sql for sql, _values in statements]
    before = [f"{name} AS ({part})" for name, part in zip(names, parts, strict=False)]
    values = [value for _sql, given in statements for value in given]
    return f"WITH {', '.join(before)} {last}" if before else last, values


def execute_all(statements: Sequence[Statement]) -> None:
    """Run statements that change different rows: on PostgreSQL in one round trip."""
    if statements and connection.vendor == "postgresql":
        statements = [in_one(*statements)]

    for sql, values in statements:
        execute(sql, values)
