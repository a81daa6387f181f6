"""Read the duration and the pay that a consent announces, as far as its words give numbers."""

import re
from dataclasses import dataclass

from tercet.annotation.models import Study

_NUMBER = r"\d+(?:[.,]\d+)?"
_HOURS = re.compile(
    rf"({_NUMBER})(?:\s*[-\u2013]\s*{_NUMBER})?\s*(?:h\b|hours?|stunden?|horas?|heures?|小时)",
    re.IGNORECASE,
)
_MINUTES = re.compile(
    rf"({_NUMBER})(?:\s*(?:[-\u2013]|to|bis|à|a|至)\s*{_NUMBER})?\s*(?:min|分)",
    re.IGNORECASE,
)
_SIGNS = {"£": "GBP", "$": "USD", "€": "EUR", "¥": "CNY"}
_CURRENCY = r"[A-Z]{3}\b|[£$€¥]"
_PAY = re.compile(
    rf"(?P<before>{_CURRENCY})\s*(?P<amount>{_NUMBER})"
    rf"|(?P<number>{_NUMBER})\s*(?P<after>{_CURRENCY})"
)
_BY_HOUR = re.compile(
    r"(?:/|per|an|each|pro|por|par|每)\s*(?:h\b|hour|stunde|hora|heure|小时)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Pay:
    """An amount that a study announces, for an hour or for taking part."""

    amount: float
    currency: str
    is_hourly: bool

    def each(self, minutes: float | None) -> float | None:
        """Return the pay of one person for these minutes; None where these are not known."""
        if not self.is_hourly:
            return self.amount
        return None if minutes is None else self.amount * minutes / 60

    def hourly(self, minutes: float | None) -> float | None:
        """Return the pay for an hour where taking part lasts these minutes; None if unknown."""
        if self.is_hourly:
            return self.amount
        return self.amount * 60 / minutes if minutes else None


def announced_minutes(study: Study) -> float | None:
    """Return the duration that a study announces, the shorter one of a span; None without one."""
    hours = _HOURS.search(study.duration)
    minutes = _MINUTES.search(study.duration)
    total = 60 * _number(hours) + _number(minutes)
    return total or None


def _number(found: re.Match[str] | None) -> float:
    return float(found[1].replace(",", ".")) if found else 0.0


def announced_pay(study: Study) -> Pay | None:
    """Return the pay that a study announces; None where its words name no amount."""
    found = _PAY.search(study.pay)
    if found is None:
        return None

    text = found["amount"] or found["number"]
    currency = found["before"] or found["after"]
    is_hourly = _BY_HOUR.search(study.pay, found.end()) is not None
    amount = float(text.replace(",", "."))
    return Pay(amount, _SIGNS.get(currency, currency), is_hourly)
