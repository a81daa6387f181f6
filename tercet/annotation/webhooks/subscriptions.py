"""Add and remove the webhooks of a study."""

from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from tercet.annotation.models import Study, Webhook
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible

_MAX_WEBHOOKS = 5


@transaction.atomic
def add_webhook(study: Study, url: str, by: User) -> Webhook:
    """Add a webhook to a study; raises NotPossible."""
    study.lock()
    if study.webhooks.filter(url=url).exists():
        raise NotPossible(_("The study has a webhook with this address."))
    if study.webhooks.count() >= _MAX_WEBHOOKS:
        message = _("A study has at most %(most)s webhooks.")
        raise NotPossible(message, most=_MAX_WEBHOOKS)

    webhook = Webhook.objects.create(study=study, url=url, created_by=by)
    log(study, by, "added webhook", url=_site_of(url))
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook, by: User) -> None:
    """Remove a webhook with its deliveries."""
    url = _site_of(webhook.url)
    log(webhook.study.lock(), by, "removed webhook", url=url)
    webhook.delete()


def _site_of(url: str) -> str:
    """Return the beginning of an address: the rest may be a secret of the receiver."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
