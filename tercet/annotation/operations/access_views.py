"""Show administrators who has logged in and what was downloaded; middleware records it."""

from django import forms
from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from tercet.annotation.models import Access
from tercet.annotation.models.accounts import AccessKind
from tercet.annotation.operations.access import record_download
from tercet.annotation.permissions import administrators_only
from tercet.annotation.requests import Respond, UserRequest
from tercet.annotation.responses import page_in, safe_page

_ROWS_PER_PAGE = 50


class _AccessForm(forms.Form):
    """Which logins and downloads to show; what is not understood is ignored."""

    who = forms.CharField(label="Account or study", max_length=150, required=False)
    kind = forms.ChoiceField(
        label="What", choices=[("", "everything"), *AccessKind.choices], required=False
    )
    path = forms.CharField(label="Address contains", max_length=100, required=False)

    def condition(self) -> Q:
        """Return what the rows to show fulfil."""
        self.full_clean()
        given = self.cleaned_data
        text = given.get("path", "")
        condition = Q(path__icontains=text)
        if kind := given.get("kind"):
            condition &= Q(kind=kind)
        if who := given.get("who"):
            condition &= Q(user__username__icontains=who) | Q(study__name=who)
        return condition


def record_downloads(get_response: Respond) -> Respond:
    """Record each file that is sent to an account."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        record_download(request, response)
        return response

    return respond


@administrators_only
@safe_page
def access(request: UserRequest) -> HttpResponse:
    """List logins and downloads, the latest first."""
    form = _AccessForm(request.GET)
    rows = Access.objects.select_related("user", "study").filter(form.condition())
    context = {
        "form": form,
        "page": page_in(request, rows, _ROWS_PER_PAGE),
        "days": settings.KEEP_ACCESS.days,
    }
    return render(request, "operations/access.html", context)
