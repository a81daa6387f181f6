"""Models from SQL of one's own, for the few statements that every vote runs.

A query set or `raw` is prepared anew each time it is used: that took a quarter of a vote's time.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model

Row = TypeVar("Row", bound=Model)


class Columns(Generic[Row]):
    """Some columns of a model, their names with commas between; all where none are named."""

    def __init__(self, model: type[Row], names: str = "") -> None:
        self.model = model
        wanted = [model._meta.get_field(name) for name in names.split(", ") if name]
        self.fields = [each for each in model._meta.concrete_fields if not wanted or each in wanted]
        self.names = [field.attname for field in self.fields]
        self.sql = ", ".join(f"{model._meta.db_table}.{field.column}" for field in self.fields)

    def instance(self, values: Sequence[Any]) -> Row:
        """The model's instance of one row."""
        values = list(values)
        for index, convert in self.converters:
            values[index] = convert(values[index])
        return self.model.from_db(connection.alias, self.names, values)

    def values(self, row: Row) -> list[object]:
        """What an instance has in these columns, as the database takes it."""
        return [
            field.get_db_prep_save(getattr(row, field.attname), connection) for field in self.fields
        ]

    @cached_property
    def converters(self) -> list[tuple[int, Callable[[Any], Any]]]:
        """What the database at hand gives otherwise than Python has it."""
        return [
            (index, with_column(convert, column))
            for index, field in enumerate(self.fields)
            for column in [field.get_col(self.model._meta.db_table)]
            for convert in [
                *connection.ops.get_db_converters(column),
                *field.get_db_converters(connection),
            ]
        ]


def with_column(convert: Callable[..., Any], column: Any) -> Callable[[Any], Any]:
    return lambda value: convert(value, column, connection)


def fetch(sql: str, values: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def execute(sql: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
