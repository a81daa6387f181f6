"""Write whom to pay, and the lists that a crowdsourcing platform takes."""

import re
from argparse import ArgumentParser
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from tercet.annotation.management.command import SiteCommand, get_study
from tercet.annotation.models import Study
from tercet.annotation.quality.payment import FILES, BonusRule, bonus_rule, pay_file
from tercet.annotation.studies.audit import log

AMOUNT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?")


class Command(SiteCommand):
    help = (
        "Write whom to pay: pay.csv with everybody, approve.csv with an id per line, "
        "bonus.csv with id,amount."
    )
    refusals = (OSError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
        parser.add_argument(
            "--bonus", help="amount per person, such as 0.50 (the study's setting)"
        )
        parser.add_argument(
            "--gold",
            type=float,
            help="least share of gold questions right (the study's setting)",
        )

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        study = get_study(options)
        rule = _rule(study, options)

        out.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            with (out / name).open("x", encoding="utf-8", newline="") as file:
                file.write(pay_file(study, name, rule))

        files = ", ".join(FILES)
        log(study, None, "exported pay list", file=files)
        self.stdout.write(f"Wrote {files} to {out}.")


def _rule(study: Study, options: dict[str, Any]) -> BonusRule:
    """Return the bonus rule of the study, changed by the options; raises CommandError."""
    rule = bonus_rule(study)
    bonus = options["bonus"]
    gold = options["gold"]

    if bonus is not None:
        if not AMOUNT.fullmatch(bonus):
            raise CommandError(f"--bonus is {bonus}: use an amount such as 0.50.")
        amount = Decimal(bonus)
        rule = replace(rule, amount=amount)

    if gold is not None:
        if not 0 <= gold <= 1:
            raise CommandError(f"--gold is {gold}: use 0 to 1.")
        rule = replace(rule, gold=gold)

    return rule
