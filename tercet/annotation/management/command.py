"""What the commands of the site have in common."""

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from tercet.annotation.models import Study
from tercet.annotation.models.base import Owned

T = TypeVar("T", bound=Owned)


class SiteCommand(BaseCommand):
    """A command that starts quickly: before it, Django checks the models only.

    The other checks load all pages of the site, which takes 100 MB of memory.
    """

    requires_system_checks = (Tags.models,)
    refusals: tuple[type[Exception], ...] = ()
    """Exceptions whose messages say why the command cannot be done, and what to do."""

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute(*args, **options)
        except self.refusals as error:
            raise CommandError(str(error)) from None


def get_named(model: type[T], name: str) -> T:
    """Return the dataset, study or challenge of this name; raises CommandError."""
    rows: QuerySet[Any] = model._default_manager.all()
    found = rows.filter(name=name)
    row: T | None = found.first()
    if row is None:
        what = model._meta.model_name
        names = ", ".join(each.name for each in rows) or "none yet"
        raise CommandError(f"There is no {what} named {name}. Existing: {names}.")

    return row


def get_study(options: dict[str, Any]) -> Study:
    """Return the study that is an option of a command; raises CommandError."""
    return get_named(Study, options["study"])


def get_user(name: str) -> User:
    """Return the account of this name; raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account named {name}.")

    return user
