"""Generate pairs from a dataset's candidates."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.tables.schema import CATEGORIES
from tercet.annotation.datasets.pair_generation import add_pairs
from tercet.annotation.management.command import SiteCommand, get_named
from tercet.annotation.models import Dataset


class Command(SiteCommand):
    help = "Generate pairs, or more of them, from the candidates of a dataset."
    refusals = (ValueError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset")
        for name in CATEGORIES:
            parser.add_argument(
                f"--{name.lower()}", type=int, default=0, help=f"{name} pairs"
            )
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, dataset: str, seed: int, **options: Any) -> None:
        counts = {name: options[name.lower()] for name in CATEGORIES}
        for name, count in (counts | {"seed": seed}).items():
            if count < 0:
                raise CommandError(f"--{name.lower()} is {count}: use at least 0.")

        chosen = get_named(Dataset, dataset)
        count = add_pairs(chosen, counts, seed)
        self.stdout.write(f"Created {count:,} pairs in {dataset}.")
