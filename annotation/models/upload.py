"""An uploaded dataset that is not yet imported."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from django.conf import settings
from django.db import models

from analysis.dataset.csv_tables import CsvDialect


class Upload(models.Model):
    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    file = models.FileField(upload_to="uploads")
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+"
    )
    reading = models.JSONField(
        default=dict, help_text="how its files are read, by their names"
    )

    def __str__(self) -> str:
        return self.name

    @property
    def formats(self) -> dict[str, CsvDialect]:
        return {
            name: CsvDialect(**form) for name, form in self.reading.items()
        }

    def keep_formats(self, formats: Mapping[str, CsvDialect]) -> None:
        """Store how to read the files, in the dry run and in the import."""
        self.reading = {name: asdict(form) for name, form in formats.items()}
        self.save(update_fields=["reading"])

    @property
    def problems_file(self) -> Path:
        """The file of all problems that the dry run found."""
        return settings.MEDIA_ROOT / "uploads" / f"{self.key}-problems.csv"
