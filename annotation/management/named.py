"""Find what commands name: datasets, studies, challenges and accounts."""

from typing import TypeVar

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from tercet.annotation.models.owned import Owned

T = TypeVar("T", bound=Owned)


def get_named(model: type[T], name: str) -> T:
    """Return the dataset, study or challenge of this name; raises CommandError."""
    rows = model._default_manager.all()
    row = rows.filter(name=name).first()
    if row is None:
        what = model._meta.model_name
        names = ", ".join(each.name for each in rows) or "none yet"
        raise CommandError(f"There is no {what} named {name}. Existing: {names}.")

    return row


def get_user(name: str) -> User:
    """Return the account of this name; raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account named {name}.")

    return user
