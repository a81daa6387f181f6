"""Load the demo study and its logins, where they are missing."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from analysis.dataset.folder import load
from annotation.exchange.importing import import_dataset
from annotation.models import Dataset
from annotation.passwords import DEMO_LOGINS
from annotation.tasks import request_evaluation

NAME = "demo"


class Command(BaseCommand):
    help = "Load the demo dataset, its simulated votes and two logins, where they are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.HTTPS:
            raise CommandError(
                "This site is public (HTTPS=1), and everybody knows the password of the demo. "
                "Load the demo on a machine of your own; or import its data only: "
                "python manage.py import_dataset examples/demo"
            )

        for name, is_staff in DEMO_LOGINS.items():
            if not User.objects.filter(username=name).exists():
                User.objects.create_user(
                    name,
                    password=settings.DEMO_PASSWORD,
                    is_staff=is_staff,
                    is_superuser=is_staff,
                )

        if not Dataset.objects.filter(name=NAME).exists():
            folder: Path = settings.BASE_DIR / "examples" / "demo"
            dataset = import_dataset(load(folder), NAME, folder)
            request_evaluation(dataset.studies.get())

        logins = " and ".join(DEMO_LOGINS)
        self.stdout.write(
            f"Demo logins: {logins}, both with the password {settings.DEMO_PASSWORD}"
        )
