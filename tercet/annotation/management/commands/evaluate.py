"""Evaluate a study into a report folder."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.__main__ import add_options, failures, options_from, report
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.management.command import SiteCommand, get_study
from tercet.annotation.results.tasks import other_study, studies


class Command(SiteCommand):
    help = "Evaluate the metrics against a study's votes so far, and write a report folder."
    refusals = (ValueError, OSError)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = get_study(options)
        other = other_study(study)

        text, findings = report(
            lambda _: study_frames(study),
            options["out"],
            options_from(options),
            options["only"],
            study_frames(other) if other else None,
            studies(study, other),
        )
        self.stdout.write(text)
        if problems := failures(findings):
            raise CommandError("\n".join(problems))
