"""Build model instances from raw SQL on the hot path.

Every vote runs these few statements. Building a query set or a `raw` query anew each time took a
quarter of a vote's time.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model

Row = TypeVar("Row", bound=Model)
_Convert = Callable[[Any], Any]


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
        named = [(field, getattr(row, field.attname)) for field in self.fields]
        return [field.get_db_prep_save(value, connection) for field, value in named]

    def insert(self, row: Row, source: str = "", values: Sequence[object] = ()) -> bool:
        """Insert a new instance; its key is set if it is not among these columns.

        With a `source`, FROM with a condition on one row and its values, nothing is inserted where
        the condition does not hold. Return whether the instance was inserted.
        """
        key = self.model._meta.pk
        sql = self._insert_sql.format(source=source)
        returned = fetch(sql, [*self.values(row), *values])
        if not returned:
            return False

        if key not in self.fields:
            row.pk = returned[0][0]

        row._state.adding = False
        return True

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
