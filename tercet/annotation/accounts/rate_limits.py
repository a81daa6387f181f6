"""Limit how often something is done: leaky buckets, which several processes share."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from tercet.annotation.models import RateLimit


@dataclass(frozen=True)
class Limit:
    """`burst` uses at once, and then one in each interval."""

    burst: int
    interval: timedelta


Limits = Mapping[str, Limit]
"""Limits by what they count, such as "login from 192.0.2.7"."""


class TooMany(ValueError):
    """A use that exceeds a limit; `wait` is the time until it does not."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"The limit is reached; wait {wait}.")
        self.wait = wait


@transaction.atomic
def use(limits: Limits) -> None:
    """Count a use under all limits; raises TooMany, and counts nothing, if it exceeds one."""
    now = timezone.now()
    by_key = {_key(name): limit for name, limit in limits.items()}
    waits = [_fill(key, by_key[key], now) for key in sorted(by_key)]

    longest = max(waits)
    if longest > timedelta(0):
        raise TooMany(longest)


def _fill(key: str, limit: Limit, now: datetime) -> timedelta:
    """Count a use in a bucket, and return for how long it is too full for it."""
    bucket, _created = RateLimit.objects.select_for_update().get_or_create(
        key=key, defaults={"empty_at": now}
    )
    bucket.empty_at = max(bucket.empty_at, now) + limit.interval
    bucket.save(update_fields=["empty_at"])

    return bucket.empty_at - now - limit.burst * limit.interval


def give_back(limits: Limits) -> None:
    """Take back a use that turned out not to count."""
    for name, limit in limits.items():
        rows = RateLimit.objects.filter(key=_key(name))
        rows.update(empty_at=F("empty_at") - limit.interval)


def forget(*names: str) -> int:
    """Forget all uses under some limits; return how many limits had any."""
    keys = [_key(name) for name in names]
    return RateLimit.objects.filter(key__in=keys).delete()[0]


def _key(name: str) -> str:
    """Return a keyed hash, so that neither names nor addresses are stored."""
    return salted_hmac("rate limit", name, algorithm="sha256").hexdigest()
