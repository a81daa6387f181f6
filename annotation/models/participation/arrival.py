"""How many people have joined a study from one network address, and who waits to join."""

import uuid

from django.db import models

from tercet.annotation.models.study import Study


class Arrivals(models.Model):
    """The pace at which new people join a study from one address, which is stored as a keyed hash.

    `full_until` is when all places of the past hour are free again, `queued` how many people had
    to wait.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="arrivals")
    address = models.CharField(max_length=64)
    full_until = models.DateTimeField()
    queued = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "address"], name="arrivals_once")
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.address[:8]}"


class Ticket(models.Model):
    """A place in the queue of an address: the right of one browser to join once, from a time on."""

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    study = models.ForeignKey(Study, models.CASCADE, related_name="tickets")
    enters_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.study}, {self.enters_at:%Y-%m-%d %H:%M}"
