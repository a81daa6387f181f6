"""Load the demo study and its logins, where they are missing."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from analysis.dataset.folder import load
from annotation.exchange.importing import import_dataset
from annotation.models import Dataset
from annotation.tasks import request_evaluation

NAME = "demo"
PASSWORD = "tercet-demo"
LOGINS = {"researcher": True, "annotator": False}


class Command(BaseCommand):
    help = "Load the demo dataset, its simulated votes and two logins, where they are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        for name, is_staff in LOGINS.items():
            if not User.objects.filter(username=name).exists():
                User.objects.create_user(
                    name,
                    password=PASSWORD,
                    is_staff=is_staff,
                    is_superuser=is_staff,
                )

        if not Dataset.objects.filter(name=NAME).exists():
            folder: Path = settings.BASE_DIR / "examples" / "demo"
            dataset = import_dataset(load(folder), NAME, folder)
            request_evaluation(dataset.studies.get())

        logins = " and ".join(LOGINS)
        self.stdout.write(
            f"Demo logins: {logins}, both with the password {PASSWORD}"
        )
