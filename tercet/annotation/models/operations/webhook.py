"""Webhooks: addresses that are notified when a study is finished and when a result is ready."""

import secrets
import uuid

from django.contrib.auth.models import User
from django.db import models
from django.utils.translation import gettext_lazy as _

from tercet.analysis.tables.schema import LONGEST_URL
from tercet.annotation.models.base import once
from tercet.annotation.models.study import Study

LONGEST_ERROR = 300


class What(models.TextChoices):
    """What a delivery tells."""

    FINISHED = "study.finished", _("study finished")
    READY = "result.ready", _("result ready")
    TEST = "test", _("test")


def new_secret() -> str:
    return secrets.token_urlsafe(32)


class Webhook(models.Model):
    """An address, and the secret that signs what is sent there.

    `knows_end` says that it was notified of the end of the study, which may be opened again.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=LONGEST_URL)
    secret = models.CharField(max_length=60, default=new_secret)
    knows_end = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [once("webhook_url_once", "study", "url")]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """A message to a webhook: waiting until it is delivered or has failed.

    `status` is that of the last answer; None if there was none, which `error` explains.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", _("failed")

    key = models.UUIDField(unique=True, default=uuid.uuid4)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    what = models.CharField(max_length=20, choices=What)
    content = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=LONGEST_ERROR, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    tried_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "deliveries"

    def __str__(self) -> str:
        return f"{self.what} to {self.webhook}"
