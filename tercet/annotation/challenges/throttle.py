"""Limit how many files an account has checked: checks are not attempts, but take time."""

from datetime import timedelta
from math import ceil

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from tercet.annotation.models import FileCheck

MAX_CHECKS = 30
PERIOD = timedelta(minutes=10)


class TooManyChecks(ValueError):
    """An account had as many files checked as it may; the message says when it may again."""

    def __init__(self, wait: timedelta) -> None:
        message = (
            "You have had %(checks)s files checked within %(period)s min. Check the next one in "
            "%(wait)s min."
        )
        numbers = {
            "checks": MAX_CHECKS,
            "period": PERIOD // timedelta(minutes=1),
            "wait": wait // timedelta(minutes=1) + 1,
        }
        super().__init__(message % numbers)
        self.seconds = ceil(wait.total_seconds())


@transaction.atomic
def count_check(user: User) -> None:
    """Count a check of a file, in all challenges; raises TooManyChecks."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    now = timezone.now()
    own = FileCheck.objects.filter(user=user)
    own.filter(created_at__lte=now - PERIOD).delete()

    if own.count() >= MAX_CHECKS:
        first = own.earliest("created_at").created_at
        end = first + PERIOD
        raise TooManyChecks(end - now)

    FileCheck.objects.create(user=user)
