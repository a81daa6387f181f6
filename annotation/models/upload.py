"""An uploaded dataset that waits for its dry run to be looked at."""

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models


class Upload(models.Model):
    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    file = models.FileField(upload_to="uploads")
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return self.name

    @property
    def problems_file(self) -> Path:
        """Where the dry run leaves the list of all problems."""
        return settings.MEDIA_ROOT / "uploads" / f"{self.key}-problems.csv"
