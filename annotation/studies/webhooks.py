"""Add and remove the webhooks of a study."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Study, Webhook
from annotation.studies.audit import log
from annotation.studies.lifecycle import NotPossible, lock_study

MAX_WEBHOOKS = 5


@transaction.atomic
def add_webhook(study: Study, url: str, by: User) -> Webhook:
    """Add a webhook to a study; raises NotPossible."""
    lock_study(study)
    if study.webhooks.filter(url=url).exists():
        raise NotPossible(_("The study has a webhook with this address."))
    if study.webhooks.count() >= MAX_WEBHOOKS:
        message = _("A study has at most %(most)s webhooks.")
        raise NotPossible(message % {"most": MAX_WEBHOOKS})

    webhook = Webhook.objects.create(study=study, url=url, created_by=by)
    log(study, by, "added webhook", url=url)
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook, by: User) -> None:
    """Remove a webhook with its deliveries."""
    log(lock_study(webhook.study), by, "removed webhook", url=webhook.url)
    webhook.delete()
