"""Write whom to pay, and the lists that a crowdsourcing platform takes."""

import re
from argparse import ArgumentParser
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import SiteCommand
from annotation.management.named import get_study
from annotation.models import Study
from annotation.studies.audit import log
from annotation.studies.payment import FILES, BonusRule, pay_file

AMOUNT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?")


class Command(SiteCommand):
    help = (
        "Write whom to pay: pay.csv with everybody, approve.csv with an id per line, "
        "bonus.csv with id,amount."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--out", type=Path, required=True, metavar="FOLDER"
        )
        parser.add_argument(
            "--bonus", default="0", help="amount per person, such as 0.50 (0)"
        )
        parser.add_argument(
            "--gold",
            type=float,
            default=BonusRule.gold,
            help=f"least share of gold triplets right ({BonusRule.gold})",
        )

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        study = get_study(options["study"])
        rule = _rule(options)

        try:
            _write(study, rule, out)
        except OSError as error:
            raise CommandError(str(error)) from None

        log(study, None, "exported pay list", file=", ".join(FILES))
        self.stdout.write(f"Wrote {', '.join(FILES)} to {out}.")


def _rule(options: dict[str, Any]) -> BonusRule:
    """Read the rule of the bonus; raises CommandError."""
    if not AMOUNT.fullmatch(options["bonus"]):
        raise CommandError(
            f"--bonus is {options['bonus']}: use an amount such as 0.50."
        )
    if not 0 <= options["gold"] <= 1:
        raise CommandError(f"--gold is {options['gold']}: use 0 to 1.")

    return BonusRule(Decimal(options["bonus"]), options["gold"])


def _write(study: Study, rule: BonusRule, out: Path) -> None:
    """Write all lists into a folder that has none of them."""
    out.mkdir(parents=True, exist_ok=True)

    for name in FILES:
        with (out / name).open("x", encoding="utf-8", newline="") as file:
            file.write(pay_file(study, name, rule))
