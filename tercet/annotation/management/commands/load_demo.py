"""Load the demo study and its logins, where they are missing."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db.models import F, Max
from django.utils import timezone

from tercet.analysis.dataset.folder import load
from tercet.analysis.scoring.options import Options
from tercet.annotation.accounts.passwords import DEMO_LOGINS
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.management.command import SiteCommand
from tercet.annotation.management.demo_challenge import load_demo_challenge
from tercet.annotation.management.demo_studies import (
    load_demo_ratings,
    load_demo_sentences,
)
from tercet.annotation.models import Answer, Dataset, Study
from tercet.annotation.results.tasks import request_evaluation, run

NAME = "demo"
LATEST = timedelta(minutes=30)
"""How long ago the last simulated vote was given."""
FIRST_RESULT = Options(
    metrics=("CIDEr", "CIDEr-D", "METEOR", "ROUGE-L", "BLEU-4"),
    resamples=1_000,
    flips=999,
)
FIRST_FINDINGS = ("answer", "accuracy", "table")
"""The result that the start page shows at once; the worker computes the usual one after it."""


class Command(SiteCommand):
    help = "Load the demo dataset with votes, a challenge and two logins, where they are missing."

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
            self.stdout.write("Loading the demo study and its first result …")
            folder: Path = settings.BASE_DIR / "examples" / "demo"
            source = load(folder)
            dataset = import_dataset(source, NAME, folder)
            study = dataset.studies.get()
            _complete(study)

            owner = User.objects.get(username=next(iter(DEMO_LOGINS)))
            load_demo_challenge(source, folder, owner)
            load_demo_ratings(dataset, owner)
            load_demo_sentences(dataset, owner)
            request_evaluation(study)  # takes minutes, so after that of the ratings

        logins = " and ".join(DEMO_LOGINS)
        self.stdout.write(
            f"Demo logins: {logins}, both with the password {settings.DEMO_PASSWORD}"
        )


def _complete(study: Study) -> None:
    """Show a study on the start page, with votes of the last days and a first result."""
    Study.objects.filter(pk=study.pk).update(is_example=True)

    votes = Answer.objects.filter(annotator__study=study)
    last = votes.aggregate(last=Max("created_at"))["last"]
    votes.update(created_at=F("created_at") + (timezone.now() - LATEST - last))

    evaluation = study.evaluations.create()
    run(evaluation.pk, FIRST_RESULT, FIRST_FINDINGS)
