"""Whom to pay: the list for owners, since the ids of a platform are personal data."""

from django.http import Http404, HttpResponse
from django.shortcuts import render

from tercet.annotation.models import Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.permissions import owners_only
from tercet.annotation.quality import payment
from tercet.annotation.requests import UserRequest
from tercet.annotation.studies.audit import log
from tercet.annotation.web.responses import csv_response, page_in, safe_page

_PEOPLE_PER_PAGE = 20


@owners_only
@safe_page
def study_pay(request: UserRequest, study: Study) -> HttpResponse:
    """Show how each person finished."""
    page = page_in(request, payment.people_to_pay(study), _PEOPLE_PER_PAGE)

    context = {
        "outcomes": Outcome.choices,
        "study": study,
        "page": page,
        "rows": payment.payments(page),
    }
    return render(request, "quality/pay.html", context)


@owners_only
@safe_page
def study_pay_file(request: UserRequest, study: Study, file: str) -> HttpResponse:
    """Send the whole list, or one that a crowdsourcing platform takes; log that it was sent."""
    if file not in payment.FILES:
        raise Http404

    text = payment.pay_file(study, file)
    log(study, request.user, "exported pay list", file=file)

    return csv_response(f"{study.name}-{file}", text)
