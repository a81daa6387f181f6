"""A study: one protocol run over one dataset, its triplets and its annotators."""

import secrets

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q, Sum
from django.urls import reverse

from annotation.models.dataset import Dataset, Pair, Reference


class Protocol(models.TextChoices):
    TRIPLET = "triplet", "Triplet: which is more similar to A?"
    PAIRWISE = "pairwise", "Pairwise: which describes the image better?"


LARGEST = 2**31 - 1
"""What every database and study.json can hold."""
COUNT = [MinValueValidator(1), MaxValueValidator(LARGEST)]


def join_code() -> str:
    return secrets.token_urlsafe(12)


class Study(models.Model):
    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="studies")
    name = models.SlugField(max_length=120, unique=True)
    title = models.CharField(
        max_length=2000, blank=True, help_text="Empty: named after the dataset and the protocol."
    )
    protocol = models.CharField(max_length=10, choices=Protocol, default=Protocol.TRIPLET)
    votes = models.PositiveIntegerField("votes a triplet", default=3, validators=COUNT)
    references = models.PositiveIntegerField(
        "references a pair",
        null=True,
        blank=True,
        validators=COUNT,
        help_text="So many are drawn for each pair. Empty: all that its image has.",
    )
    seed = models.PositiveIntegerField(default=0, validators=[MaxValueValidator(LARGEST)])
    join_code = models.CharField(max_length=20, unique=True, default=join_code, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=Q(votes__gte=1), name="study_votes_from_1"),
            models.CheckConstraint(
                condition=Q(protocol__in=Protocol.values), name="study_protocol"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.name])

    @property
    def shows_image(self) -> bool:
        return self.protocol == Protocol.PAIRWISE


class TripletQuerySet(models.QuerySet["Triplet"]):
    def open(self) -> "TripletQuerySet":
        """Triplets with a free place: fewer votes and leases than needed."""
        return self.filter(votes__lt=F("needed") - F("leases"))

    def progress(self) -> dict[str, int]:
        """How many triplets, finished triplets, votes and needed votes there are."""
        totals = self.aggregate(
            triplets=models.Count("id"),
            finished=models.Count("id", filter=Q(votes=F("needed"))),
            votes=Sum("votes", default=0),
            needed=Sum("needed", default=0),
        )
        return {name: int(value) for name, value in totals.items()}


class Triplet(models.Model):
    """One question. `votes` and `leases` count the valid votes and the leases it has now."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="triplets", db_index=False)
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="triplets")
    reference = models.ForeignKey(
        Reference, models.PROTECT, null=True, related_name="+", db_index=False
    )
    position = models.PositiveIntegerField(help_text="Its place in the order of asking.")
    needed = models.PositiveIntegerField()
    votes = models.PositiveIntegerField(default=0)
    leases = models.PositiveIntegerField(default=0)

    objects = TripletQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "pair", "reference"], name="triplet_once"),
            models.UniqueConstraint(
                fields=["study", "pair"],
                name="pairwise_triplet_once",
                condition=Q(reference=None),
            ),
            models.UniqueConstraint(fields=["study", "position"], name="triplet_position_once"),
            models.CheckConstraint(
                condition=Q(needed__gte=F("votes") + F("leases")), name="votes_as_needed"
            ),
        ]
        indexes = [
            models.Index(
                fields=["study", "position"],
                name="open_triplets",
                condition=Q(votes__lt=F("needed") - F("leases")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pair} {self.reference_id or ''}"


class Annotator(models.Model):
    """A person in one study, by an account or by the cookie of a join link."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="annotators")
    name = models.CharField(max_length=200)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="annotators"
    )
    place = models.PositiveIntegerField(
        default=0, help_text="The position in the study's order that this person has come to."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="annotator_name_once"),
            models.UniqueConstraint(fields=["study", "user"], name="annotator_user_once"),
        ]

    def __str__(self) -> str:
        return self.name
