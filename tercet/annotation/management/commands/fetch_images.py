"""Store copies of a dataset's pictures that lie on other sites."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.dataset.pictures import NotAPicture
from tercet.analysis.number_texts import counted, plural
from tercet.annotation.datasets.fetching import NotFetched, store_copy
from tercet.annotation.management.command import SiteCommand, get_named
from tercet.annotation.models import Dataset


class Command(SiteCommand):
    help = (
        "Store copies of a dataset's pictures that lie on other sites, with their digests: the "
        "other sites then see no annotators and can change no picture."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset")

    def handle(self, *args: Any, dataset: str, **options: Any) -> None:
        row = get_named(Dataset, dataset)
        images = [*row.remote_images.select_related("dataset")]
        missing = 0
        for image in images:
            try:
                store_copy(image)
            except (NotFetched, NotAPicture) as error:
                missing += 1
                self.stderr.write(f"{image.name}: {image.url}: {error}.")

        stored = len(images) - missing
        self.stdout.write(f"Stored {stored:,} of {len(images):,} pictures.")
        if missing:
            was = plural(missing, "was", "were")
            raise CommandError(
                f"{counted(missing, 'picture')} {was} not stored: correct images.csv, or run the "
                "command again."
            )
