"""Create and copy studies."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.db.models import Count, Max
from django.forms.models import model_to_dict
from django.utils.text import slugify

from tercet.analysis.dataset.caption_language import SAMPLE, guess_language
from tercet.analysis.number_texts import plural
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables.schema import LONGEST_TITLE
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Kind
from tercet.annotation.models import Dataset, Exit, Reference, Study
from tercet.annotation.models.study import Accounts, Order, Rank, State
from tercet.annotation.names import first_free, numbered
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.questions import (
    gold_of,
    set_gold_answers,
    write_questions,
)

_NOT_COPIED = [
    "id",
    "name",
    "title",
    "state",
    "created_by",
    "dataset",
    "collected_elsewhere",
]


DRAFT_VALUES: dict[str, object] = {
    "question_order": Order.SHUFFLED,
    "accounts": Accounts.INVITED,
    "link_is_open": False,
}
"""Settings of a new draft that differ from what a study.json without them means."""


class Unsuitable(NotPossible):
    """A study or challenge that its dataset does not allow."""

    def __init__(self, message: str, field: str = "dataset", **values: object) -> None:
        super().__init__(message, **values)
        self.field = field


@transaction.atomic
def create_study(study: Study, progress: Progress = silent) -> Study:
    """Save a new study under a free name, with its questions; raises Unsuitable."""
    datasets = Dataset.objects.select_for_update()
    datasets.get(pk=study.dataset_id)
    check_dataset(study)
    kind_of(study).prepare(study)

    study.name = free_name(study)
    title = study.title or default_title(study.dataset, study.protocol)
    titles = numbered(title, " ({})", LONGEST_TITLE)
    study.title = first_free(titles, Study.objects, "title")
    study.save()

    write_questions(study, progress=progress)
    return study


def check_dataset(study: Study) -> None:
    """Raise Unsuitable if the study cannot ask about its dataset."""
    dataset = study.dataset
    if dataset.challenges.exists():
        raise _hidden_references(dataset)
    if obstacle := kind_of(study).obstacle(dataset):
        raise Unsuitable(obstacle)


def _hidden_references(dataset: Dataset) -> Unsuitable:
    """Say that the references are those of a challenge, which studies would show."""
    message = (
        "%(dataset)s has the hidden references of a challenge. Make a study of its "
        "submissions on the pages of the challenge, or import the dataset again."
    )
    return Unsuitable(message, dataset=dataset.name)


def caption_language(dataset: Dataset) -> str:
    """Guess the language of a dataset's captions; the default one where that is not clear."""
    references = Reference.objects.filter(image__dataset=dataset)
    in_order = references.order_by("pk")
    captions = in_order.values_list("caption", flat=True)

    return guess_language(captions[:SAMPLE]) or Study().language


def default_title(dataset: Dataset, protocol: str) -> str:
    """Return the title of a study that is given none."""
    return f"{dataset.title}, {protocol}"[:LONGEST_TITLE]


def free_name(study: Study) -> str:
    """Return a name for urls and commands that no study has; deleted ones may be taken back."""
    stem = slugify(f"{study.dataset.name}-{study.protocol}")
    names = numbered(stem)
    return first_free(names, Study.everything)


@transaction.atomic
def create_draft(study: Study, by: User | None, progress: Progress = silent) -> Study:
    """Save a new study in which nobody can judge yet, owned by its creator.

    Its questions are shuffled for each person, so that no question always follows the same one.
    Nobody can join until its owner opens a link or invites people. `by` is None for a command.
    Raises Unsuitable.
    """
    _check_draft(study)
    study.state = State.DRAFT
    study.created_by = by
    for name, value in DRAFT_VALUES.items():
        setattr(study, name, value)
    create_study(study, progress)

    log(study, by, "made")
    if by:
        study.roles.create(user=by, rank=Rank.OWNER)

    return study


@dataclass(frozen=True)
class StudySize:
    """How much a study would ask: its pairs, and the fewest and most references of one."""

    kind: Kind
    pairs: int
    fewest: int
    most: int
    questions: int
    votes: int


def plan_of(study: Study) -> StudySize:
    """Count what `create_draft` would create; raises Unsuitable as it does."""
    _check_draft(study)
    check_dataset(study)

    kind = kind_of(study)
    drawn = kind.questions_each(study)
    fewest, most, questions = map(int, (drawn.min(), drawn.max(), drawn.sum()))
    return StudySize(kind, len(drawn), fewest, most, questions, questions * study.votes)


def _check_draft(study: Study) -> None:
    """Raise Unsuitable for a dataset that people compare, or with too few references."""
    dataset = study.dataset
    if dataset.studies.filter(comparison__isnull=False).exists():
        raise _hidden_references(dataset)
    if study.references is None or not kind_of(study).has_reference:
        return

    images = dataset.images.filter(pairs__isnull=False)
    references = Reference.objects.filter(image__in=images)
    most = references.aggregate(most=Max("number", default=0))["most"]
    if most and study.references > most:
        message = plural(
            most,
            "No image of %(dataset)s has more than one reference. Ask for one, or leave this out "
            "to use all.",
            "No image of %(dataset)s has more than %(most)s references. Ask for at most %(most)s, "
            "or leave this out to use all.",
        )
        raise Unsuitable(
            message, "references", most=intcomma(most), dataset=dataset.name
        )


def images_with_fewer(study: Study) -> int:
    """Return how many images with pairs have fewer references than the study asks for."""
    if study.references is None or not kind_of(study).has_reference:
        return 0

    dataset = study.dataset
    in_pairs = dataset.pairs.values("image")
    images = dataset.images.filter(pk__in=in_pairs)
    counted = images.annotate(count=Count("references"))
    return counted.filter(count__lt=study.references).count()


@transaction.atomic
def copy_study(study: Study, by: User) -> Study:
    """Create a draft with the same settings, questions and gold, without people and votes."""
    title = f"{study.title} (copy)"
    copy = Study(
        **model_to_dict(study, exclude=_NOT_COPIED),
        dataset=study.dataset,
        created_by=by,
        state=State.DRAFT,
        title=title[:LONGEST_TITLE],
    )
    create_study(copy)

    exits = study.exits.values("outcome", "code", "url")
    Exit.objects.bulk_create(Exit(study=copy, **values) for values in exits)
    set_gold_answers(copy, gold_of(study))

    log(copy, by, "copied", source=study.name)
    copy.roles.create(user=by, rank=Rank.OWNER)
    return copy
