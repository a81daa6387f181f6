"""How often something was done lately, by a keyed hash of who did it."""

from django.db import models


class RateLimit(models.Model):
    """A leaky bucket: `empty_at` is when everything that was counted has leaked out."""

    key = models.CharField(primary_key=True, max_length=64)
    empty_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.key[:8]}, until {self.empty_at:%Y-%m-%d %H:%M}"
