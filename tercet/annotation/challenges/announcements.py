"""Tell news to everybody who sees a challenge."""

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.models import Announcement
from tercet.annotation.studies.audit import log_site


@transaction.atomic
def announce(announcement: Announcement, by: User) -> None:
    """Save a new announcement, and log it."""
    announcement.save()
    _log(announcement, by, "announced")


@transaction.atomic
def retract(announcement: Announcement, by: User) -> None:
    """Delete an announcement, and log it."""
    _log(announcement, by, "retracted")
    announcement.delete()


def _log(announcement: Announcement, by: User, what: str) -> None:
    name = announcement.challenge.name
    log_site(by, what, challenge=name, title=announcement.title)
