"""Who people are at an OpenID Connect provider."""

from django.contrib.auth.models import User
from django.db import models

from tercet.analysis.tables.schema import LONGEST_URL

LONGEST_SUBJECT = 255
"""As the standard says."""


class Identity(models.Model):
    """The subject at an OpenID Connect provider that an account belongs to."""

    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=LONGEST_URL)
    subject = models.CharField(max_length=LONGEST_SUBJECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once"),
            models.UniqueConstraint(
                fields=["user", "issuer"], name="one_identity_at_an_issuer"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
