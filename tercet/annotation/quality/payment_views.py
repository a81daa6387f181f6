"""Whom to pay: the list for owners, since the ids of a platform are personal data."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from django.contrib import messages
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from tercet.analysis.number_texts import plural
from tercet.annotation.models import Snapshot, Study
from tercet.annotation.models.annotator import PayDecision
from tercet.annotation.models.study import Outcome
from tercet.annotation.participation.exits import exit_of, has_platform_codes
from tercet.annotation.permissions import owners_only
from tercet.annotation.quality import payment
from tercet.annotation.quality.checks import SHORT_SHARE
from tercet.annotation.quality.forms import PayForm
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    csv_response,
    form_page,
    page_in,
    safe_page,
    show_success,
)
from tercet.annotation.results.snapshot_views import quality_of, snapshot_context
from tercet.annotation.studies.announced import announced_minutes, announced_pay
from tercet.annotation.studies.audit import log

_LOOKED_AT_PER_PAGE = 10
_APPROVED_PER_PAGE = 20


@owners_only
@form_page
def study_pay(request: UserRequest, study: Study) -> HttpResponse:
    """Show at whom to look first and who can be approved, and store decisions."""
    if request.method == "POST":
        _decide(request, study)
        return redirect("study_pay", study.name)

    prefetch_related_objects([study], "exits")
    rows, snapshot = _payments(study)
    looked_at = [row for row in rows if row.needs_look]
    looked_at.sort(key=lambda row: (bool(row.annotator.pay_decision), -len(row.flags)))
    approved = [row for row in rows if row.is_approved]
    undecided = [row for row in looked_at if not row.annotator.pay_decision]
    minutes = [row.minutes for row in approved if row.minutes is not None]

    context = {
        "study": study,
        "rows": rows,
        "undecided": len(undecided),
        "look": page_in(request, looked_at, _LOOKED_AT_PER_PAGE, "look"),
        "approve": page_in(request, approved, _APPROVED_PER_PAGE),
        "listed": sum(row.is_listed for row in approved),
        "announced": announced_minutes(study),
        "least_share": SHORT_SHARE,
        "decisions": PayDecision.choices,
        "exits": _exits(study, rows),
        "has_codes": has_platform_codes(study),
        "minutes": minutes,
        "money": _money(study, minutes),
    }
    return render(request, "quality/pay.html", context | snapshot_context(snapshot))


def _payments(study: Study) -> tuple[list[payment.Payment], Snapshot | None]:
    """Return how everybody finished, and the snapshot that their flags are from."""
    content, snapshot = quality_of(study)
    flags = payment.flags_of(study, content)
    people = payment.people_to_pay(study)
    rows = payment.payments(people, flags, are_complete=snapshot is None)
    return rows, snapshot


def _decide(request: UserRequest, study: Study) -> None:
    form = PayForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was saved: choose one of the decisions.")
        return

    count = payment.decide(study, form.cleaned_data["decisions"], request.user)
    message = plural(count, "%(count)s decision saved.", "%(count)s decisions saved.")
    show_success(request, message, count=count)


@dataclass(frozen=True)
class _Money:
    """What approved people get, and what that is for an hour of the time that they took.

    `each` and `total` are by the announced pay and duration; `median` is in minutes. Where it is
    longer than announced, `kept` would keep the promise of a pay by the hour.
    """

    each: float
    total: float
    currency: str
    promised: float | None
    is_hourly: bool
    median: float | None
    is_longer: bool
    real: float | None
    kept: float | None
    kept_total: float | None


def _money(study: Study, minutes: Sequence[float]) -> _Money | None:
    """Return the money of the approved people; None where the consent names no amount."""
    pay = announced_pay(study)
    announced = announced_minutes(study)
    each = pay.each(announced) if pay else None
    if pay is None or each is None:
        return None

    typical = median(minutes) if minutes else None
    promised = pay.hourly(announced)
    kept = None
    if promised is not None and typical is not None:
        kept = promised * typical / 60
    return _Money(
        each=each,
        total=each * len(minutes),
        currency=pay.currency,
        promised=promised,
        is_hourly=pay.is_hourly,
        median=typical,
        is_longer=bool(announced and typical and typical > announced),
        real=each * 60 / typical if typical else None,
        kept=kept,
        kept_total=kept and kept * len(minutes),
    )


@dataclass(frozen=True)
class _Exit:
    """How many people finished with an outcome, and the code or redirect URL that they got."""

    outcome: Outcome
    people: int
    code: str
    url: str


def _exits(study: Study, rows: Sequence[payment.Payment]) -> list[_Exit]:
    people = Counter(row.annotator.outcome for row in rows)
    exits = []
    for outcome in Outcome:
        chosen = exit_of(study, outcome)
        exits.append(_Exit(outcome, people[outcome], chosen.code, chosen.url))

    return exits


@owners_only
@safe_page
def study_pay_file(request: UserRequest, study: Study, file: str) -> HttpResponse:
    """Send the whole list, or one that a crowdsourcing platform takes; log that it was sent."""
    if file not in payment.FILES:
        raise Http404

    rows, _snapshot = _payments(study)
    text = payment.pay_file(rows, file)
    if file == "approve.csv":
        payment.note_listed(rows)
    log(study, request.user, "exported pay list", file=file)

    return csv_response(request, f"{study.name}-{file}", text)
