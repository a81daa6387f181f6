"""A dataset as it was imported: images, references, candidates and pairs."""

import csv
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from tercet.analysis.dataset.pictures import NotAPicture, read_picture
from tercet.analysis.tables.schema import LONGEST_CATEGORY
from tercet.annotation.models.base import Owned, among, once


class Dataset(Owned):
    """A dataset. A deleted one leaves its name, and the folder of that name, to others."""

    name = models.SlugField(max_length=100, db_index=False)
    title = models.CharField(max_length=2000)
    description = models.TextField(blank=True)
    licence = models.CharField(max_length=2000, blank=True)
    citation = models.TextField(blank=True)
    url = models.CharField(max_length=2000, blank=True)
    origin = models.CharField(max_length=2000, blank=True, db_default="")

    class Meta(Owned.Meta):
        constraints = [once("dataset_name_once", "name", where=Q(purge_at=None))]

    def __str__(self) -> str:
        if self.title == self.name:
            return self.name
        return f"{self.title} ({self.name})"

    @property
    def folder(self) -> Path:
        """The folder of the image files."""
        datasets = settings.MEDIA_ROOT / "datasets"
        if self.purge_at:
            return datasets / f".deleted-{self.pk}"

        return datasets / self.name

    @property
    def remote_images(self) -> "models.QuerySet[Image]":
        """The images whose pictures lie on other sites."""
        return self.images.filter(file="", url__startswith="https://")

    @property
    def left_out_file(self) -> Path:
        """The list of the lines that its import left out, if it did."""
        return self.folder / "left-out-lines.csv"

    @property
    def left_out(self) -> int:
        """How many lines its import left out."""
        if not self.left_out_file.is_file():
            return 0

        with self.left_out_file.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            return len({(row["file"], row["line"]) for row in rows})


_NEW_TEXT: dict[str, Any] = {"blank": True, "default": "", "db_default": ""}


class Image(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="images")
    name = models.CharField(max_length=200)
    file = models.CharField(max_length=300, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    alt = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, **_NEW_TEXT)
    licence = models.CharField(max_length=2000, **_NEW_TEXT)
    provenance = models.CharField(
        max_length=2000, help_text="Its column `source` in images.csv.", **_NEW_TEXT
    )
    content_type = models.CharField(
        max_length=20, help_text="What the header of its file says.", **_NEW_TEXT
    )
    digest = models.CharField(
        max_length=64, help_text="The SHA-256 of its file.", **_NEW_TEXT
    )
    listed = models.BooleanField(default=False, help_text="It stands in images.csv.")

    class Meta:
        constraints = [once("image_name_once", "dataset", "name")]

    def __str__(self) -> str:
        return self.name

    @property
    def source(self) -> str:
        """The URL of the picture; empty if there is none."""
        if self.file:
            return reverse("image", args=[self.dataset.name, self.pk])
        return self.url


def content_of(path: Path) -> tuple[str, str]:
    """Return the content type and the digest of a picture; two empty texts if it is none."""
    try:
        picture = read_picture(path)
    except (NotAPicture, OSError):
        return "", ""
    return picture.content_type, picture.digest


class Reference(models.Model):
    image = models.ForeignKey(Image, models.CASCADE, related_name="references")
    number = models.PositiveIntegerField()
    caption = models.TextField()
    author = models.CharField(max_length=200, blank=True)
    origin = models.CharField(max_length=200, blank=True, db_default="")

    class Meta:
        constraints = [
            once("reference_number_once", "image", "number"),
            models.CheckConstraint(
                condition=Q(number__gte=1), name="reference_number_from_1"
            ),
        ]

    def __str__(self) -> str:
        return self.caption


class Candidate(models.Model):
    image = models.ForeignKey(Image, models.CASCADE, related_name="candidates")
    caption = models.TextField()
    source = models.CharField(max_length=200, blank=True)
    listed = models.BooleanField(
        default=False,
        help_text="It stands in candidates.csv: pairs may be made from it.",
    )

    def __str__(self) -> str:
        return self.caption


CATEGORY_LABELS = {
    "HC": "two correct human captions",
    "HI": "a human caption and one of another image",
    "HM": "human and machine",
    "MM": "two machines",
}
"""What the known categories mean; any other short text is a category, too."""


class _PairQuerySet(models.QuerySet["Pair"]):
    def askable(self) -> "_PairQuerySet":
        """Pairs that people can be asked about: their captions differ."""
        return self.exclude(b__caption=F("c__caption"))


class Pair(models.Model):
    """Two candidates of one image; published ones may be the same caption."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="pairs")
    name = models.CharField(max_length=200)
    image = models.ForeignKey(Image, models.CASCADE, related_name="pairs")
    b = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    c = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    category = models.CharField(max_length=LONGEST_CATEGORY, blank=True)
    winner = models.CharField(
        max_length=3,
        blank=True,
        help_text="The published decision, B, C or tie, if there is one.",
    )
    batch = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="The number of the batch in which it was generated; 0 of imported pairs.",
    )

    objects = _PairQuerySet.as_manager()

    class Meta:
        constraints = [
            once("pair_name_once", "dataset", "name"),
            among("pair_winner", "winner", ["", "B", "C", "tie"]),
        ]

    def __str__(self) -> str:
        return self.name
