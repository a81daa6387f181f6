"""Erase who a person was from a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.models import Q

from tercet.annotation.management.command import SiteCommand, get_study
from tercet.annotation.quality.erasure import erase_annotator
from tercet.annotation.studies.lifecycle import NotPossible


class Command(SiteCommand):
    help = "Erase who a person was from a study, its log and its reports."
    refusals = (NotPossible,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "annotator",
            help="their pseudonym, the label of their personal link, or the platform's id",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = get_study(options)
        text = options["annotator"]
        is_named = Q(name=text) | Q(label=text) | Q(external_id=text)
        matches = study.annotators.filter(is_named)
        if len(matches) != 1:
            raise CommandError(
                f"{len(matches)} annotators of {study.name} are called {text}: name exactly one."
            )

        successor = erase_annotator(matches[0], None)
        self.stdout.write(f"Erased. The votes belong to {successor.name}.")
