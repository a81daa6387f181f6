"""Find names that nothing has yet."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from django.db.models import Manager


def first_free(names: Iterable[str], rows: Manager[Any], field: str = "name") -> str:
    """Return the first of the names that no row has in a field."""
    return next(name for name in names if not rows.filter(**{field: name}).exists())


def numbered(
    name: str, suffix: str = "-{}", longest: int | None = None
) -> Iterator[str]:
    """Yield a name, then the same name with the numbers from 2, at most this long."""
    yield name
    for number in count(2):
        end = suffix.format(number)
        yield name[: longest and longest - len(end)] + end
