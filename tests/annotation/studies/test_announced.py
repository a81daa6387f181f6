"""The duration and pay that a consent announces."""

import pytest

from tercet.annotation.models import Study
from tercet.annotation.studies.announced import Pay, announced_minutes, announced_pay


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("8 minutes", 8),
        ("About 20 minutes", 20),
        ("10\N{EN DASH}15 min", 10),
        ("10 to 15 minutes", 10),
        ("1 hour 30 minutes", 90),
        ("1.5 hours", 90),
        ("12 Minuten", 12),
        ("约 10 分钟", 10),
        ("an evening", None),
        ("", None),
    ],
)
def test_a_duration_is_read_in_minutes(text: str, minutes: float | None) -> None:
    assert announced_minutes(Study(duration=text)) == minutes


@pytest.mark.parametrize(
    ("text", "pay"),
    [
        ("9.00 GBP an hour", Pay(9, "GBP", is_hourly=True)),
        ("£9/h", Pay(9, "GBP", is_hourly=True)),
        ("12,50 EUR pro Stunde", Pay(12.5, "EUR", is_hourly=True)),
        ("2.50 USD", Pay(2.5, "USD", is_hourly=False)),
        ("nothing", None),
        ("unpaid, colleagues", None),
    ],
)
def test_pay_is_read_with_its_currency(text: str, pay: Pay | None) -> None:
    assert announced_pay(Study(pay=text)) == pay


def test_pay_by_the_hour_needs_a_duration_for_one_person() -> None:
    assert Pay(9, "GBP", is_hourly=True).each(8) == pytest.approx(1.2)
    assert Pay(9, "GBP", is_hourly=True).each(None) is None
    assert Pay(2, "GBP", is_hourly=False).hourly(10) == 12
