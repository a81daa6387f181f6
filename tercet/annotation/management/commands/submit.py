"""Submit captions to a challenge."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.files import File
from django.core.files.uploadedfile import UploadedFile
from django.core.management.base import CommandError
from django.utils.datastructures import MultiValueDict

from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.annotation.challenges.forms import SubmissionForm
from tercet.annotation.challenges.submissions import Details, check_file
from tercet.annotation.challenges.tasks import accept_submission
from tercet.annotation.management.command import SiteCommand, get_named, get_user
from tercet.annotation.models import Challenge
from tercet.annotation.studies.lifecycle import NotPossible


class Command(SiteCommand):
    help = "Check a result file and submit it; the background worker scores it."
    refusals = (NotPossible,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("challenge")
        parser.add_argument("file", type=Path)
        parser.add_argument("--system", required=True, help="its name")
        parser.add_argument(
            "--user", help="account that submits (the owner of the challenge)"
        )
        parser.add_argument("--description", default="")
        parser.add_argument("--link", default="")
        parser.add_argument("--training", default="", help="what it was trained on")
        parser.add_argument(
            "--dry-run", action="store_true", help="only check the file"
        )

    def handle(self, *args: Any, file: Path, dry_run: bool, **options: Any) -> None:
        challenge = get_named(Challenge, options["challenge"])
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")

        details = _details(file, options)
        result = check_file(file, challenge.splits, challenge.splits_closed)
        for warning in result.warnings:
            self.stderr.write(f"Note: {warning}.")
        if result.problems:
            problems = FaultyDataset(result.problems, result.more)
            raise CommandError(
                f"{file} was not submitted; nothing was written:\n{problems}"
            )

        captions = sum(map(len, result.captions.values()))
        if dry_run:
            self.stdout.write(
                f"{file.name} is valid: {captions:,} captions. Nothing was submitted."
            )
            return

        user = _submitter(challenge, options["user"])
        splits = list(result.captions)
        with file.open("rb") as opened:
            named = File(opened, name=file.name)
            submission = accept_submission(challenge, user, details, named, splits)

        self.stdout.write(f"Submitted {submission}: {submission.get_absolute_url()}")


def _details(file: Path, options: dict[str, Any]) -> Details:
    """Check names, links, and the size of the file as the form does; raises CommandError."""
    with file.open("rb") as opened:
        size = file.stat().st_size
        sent = UploadedFile(opened, name=file.name, size=size)
        form = SubmissionForm(options, MultiValueDict({"file": [sent]}))
        if form.is_valid():
            return form.details()

    faults = [
        f"--{name}: {fault}" if name in options else f"{file}: {fault}"
        for name, faults in form.errors.items()
        for fault in faults
    ]
    lines = map(str, faults)
    raise CommandError("\n".join(lines))


def _submitter(challenge: Challenge, name: str | None) -> User:
    """Return the account that submits; raises CommandError."""
    if name:
        return get_user(name)

    owner = challenge.roles.filter(rank="owner").order_by("pk").first()
    if owner is None:
        raise CommandError("The challenge has no owner. Name an account with --user.")
    return owner.user
