"""Create a study and its questions."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from tercet.analysis.progress import ProgressBar
from tercet.analysis.tables.protocol_settings import RATING
from tercet.annotation.judging.kinds import KINDS, kind_of
from tercet.annotation.judging.kinds.rating_texts import PRESETS
from tercet.annotation.management.command import SiteCommand, get_named
from tercet.annotation.models import Dataset, Study
from tercet.annotation.models.base import store
from tercet.annotation.models.study import LinkUsers, State
from tercet.annotation.studies.creation import (
    Unsuitable,
    caption_language,
    create_draft,
)
from tercet.annotation.studies.lifecycle import set_state

USUAL = Study()
HINT = "It is a draft: open it on its Settings page (or create it with --open)."


class Command(SiteCommand):
    help = "Create a draft of a study of a dataset, with its questions."
    refusals = (Unsuitable,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset")
        parser.add_argument("--protocol", choices=list(KINDS), default=USUAL.protocol)
        parser.add_argument(
            "--preset",
            choices=list(PRESETS),
            help="a published scale, for ratings (flickr8k-expert)",
        )
        parser.add_argument(
            "--votes",
            type=int,
            default=USUAL.votes,
            help=f"votes per question ({USUAL.votes})",
        )
        parser.add_argument("--references", type=int, help="references per pair (all)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--title", default="")
        parser.add_argument(
            "--language",
            default="",
            help="language of the captions, such as en, de or pt-BR (guessed)",
        )
        parser.add_argument(
            "--open",
            choices=[LinkUsers.PLACE, LinkUsers.ANYWHERE],
            nargs="?",
            const=LinkUsers.PLACE,
            help="open the study and its shared link to annotators, at one place (place) or "
            "anywhere",
        )

    def handle(self, *args: Any, dataset: str, **options: Any) -> None:
        fields = ("protocol", "votes", "references", "seed", "title")
        chosen = get_named(Dataset, dataset)
        if options["preset"] and options["protocol"] != RATING:
            raise CommandError(
                "--preset is a scale of ratings: use it with --protocol rating."
            )

        study = Study(
            dataset=chosen,
            aspects=PRESETS.get(options["preset"], ""),
            language=options["language"] or caption_language(chosen),
            **{name: options[name] for name in fields},
        )
        try:
            study.full_clean(exclude=["name", "created_by"])
        except ValidationError as error:
            errors = error.message_dict.items()
            texts = [f"--{name}: {' '.join(texts)}" for name, texts in errors]
            raise CommandError("; ".join(texts)) from None

        with ProgressBar() as progress:
            create_draft(study, None, progress)
        if options["open"]:
            store(study, link_is_open=True, link_users=options["open"])
            set_state(study, State.OPEN, None)

        count = study.questions.count()
        self.stdout.write(
            f"Created {study.name}: {count:,} {kind_of(study).unit}, {study.votes} votes each."
        )
        if not study.is_open:
            self.stdout.write(HINT)
