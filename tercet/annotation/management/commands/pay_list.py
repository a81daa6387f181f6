"""Write whom to pay, and the lists that a crowdsourcing platform takes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tercet.annotation.management.command import SiteCommand, get_study
from tercet.annotation.quality import payment
from tercet.annotation.quality.checks import quality_content
from tercet.annotation.studies.audit import log


class Command(SiteCommand):
    help = "Write whom to pay: pay.csv with everybody, approve.csv with an id per line."
    refusals = (OSError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        study = get_study(options)
        out.mkdir(parents=True, exist_ok=True)
        flags = payment.flags_of(study, quality_content(study))
        rows = payment.payments(payment.people_to_pay(study), flags)
        for name in payment.FILES:
            with (out / name).open("x", encoding="utf-8", newline="") as file:
                file.write(payment.pay_file(rows, name))

        payment.note_listed(rows)
        files = ", ".join(payment.FILES)
        log(study, None, "exported pay list", file=files)
        self.stdout.write(f"Wrote {files} to {out}.")
