"""The webhooks of a study, and the latest messages to them."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from tercet.analysis.tables.schema import LONGEST_URL
from tercet.annotation.models import Delivery, Study
from tercet.annotation.models.operations.webhook import What
from tercet.annotation.permissions import owners_only
from tercet.annotation.posting import NotAllowed, check_url
from tercet.annotation.requests import UserRequest
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.web.responses import (
    form_page,
    form_response,
    posted,
    show_success,
)
from tercet.annotation.webhooks.delivery import send
from tercet.annotation.webhooks.subscriptions import add_webhook, remove_webhook

_DELIVERIES = 30


class _WebhookForm(forms.Form):
    """The address of a webhook."""

    url = forms.CharField(
        label=gettext_lazy("address"),
        max_length=LONGEST_URL,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )


@owners_only
@form_page
def study_webhooks(request: UserRequest, study: Study) -> HttpResponse:
    """Show the webhooks of a study, or add one and show its secret this once."""
    form = _WebhookForm(posted(request))
    added = None
    if form.is_valid():
        url = form.cleaned_data["url"]
        try:
            check_url(url)
            added = add_webhook(study, url, request.user)
        except (NotAllowed, NotPossible) as error:
            form.add_error("url", str(error))
        else:
            form = _WebhookForm()

    deliveries = Delivery.objects.filter(webhook__study=study)
    return form_response(
        request,
        "webhooks/webhooks.html",
        form,
        study=study,
        added=added,
        webhooks=study.webhooks.all(),
        deliveries=deliveries.select_related("webhook")[:_DELIVERIES],
    )


@owners_only
@require_POST
def study_webhook_test(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Send a test message to a webhook, unless one is on its way."""
    webhook = get_object_or_404(study.webhooks, pk=pk)
    waiting = webhook.deliveries.filter(what=What.TEST, state=Delivery.State.WAITING)
    if not waiting.exists():
        send(webhook, What.TEST)

    show_success(request, _("A test message is on its way."))
    return redirect("study_webhooks", study.name)


@owners_only
@require_POST
def study_webhook_remove(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Remove a webhook. Idempotent."""
    webhook = study.webhooks.filter(pk=pk).first()
    if webhook:
        remove_webhook(webhook, request.user)
    show_success(request, _("The webhook is removed."))
    return redirect("study_webhooks", study.name)
