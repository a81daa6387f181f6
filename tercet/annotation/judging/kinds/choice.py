"""Choices between two captions: of a triplet, or of an image and a pair."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from random import choice as chosen_at_random
from typing import Any

import numpy as np
import pandas as pd
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count
from numpy.typing import NDArray

from tercet.analysis.dataset.simulation import shared_words
from tercet.analysis.dataset.triplet_generation import draw_triplets, references_drawn
from tercet.analysis.stats.people.annotator_quality import FlagRules, annotators
from tercet.analysis.tables.schema import VOTES
from tercet.annotation.judging.kinds import choice_texts
from tercet.annotation.judging.kinds.kind import (
    LONG,
    Character,
    Given,
    Keys,
    Kind,
    NotAnAnswer,
    ShownQuestion,
)
from tercet.annotation.judging.kinds.tables import cells, fields_of, rows_of
from tercet.annotation.models import (
    Annotator,
    Answer,
    Dataset,
    Lease,
    Pair,
    Question,
    Reference,
    Study,
)
from tercet.annotation.models.answer import AnswerQuerySet, Choice, Side
from tercet.annotation.models.question import Subject
from tercet.annotation.sql import fetch

TIE = "tie"
"""The answer “can't tell”."""
_TWO_POINTS: dict[str, tuple[str, int | None]] = {
    Side.LEFT.value: (Side.LEFT, None),
    Side.RIGHT.value: (Side.RIGHT, None),
    TIE: ("", None),
}
_FIVE_POINTS: dict[str, tuple[str, int | None]] = {
    "left-2": (Side.LEFT, 2),
    "left-1": (Side.LEFT, 1),
    TIE: ("", 0),
    "right-1": (Side.RIGHT, 1),
    "right-2": (Side.RIGHT, 2),
}
"""What a page sends, by the points of the scale, and what it means: a side, and a strength."""
_OTHER_SIDE = {Side.LEFT: Side.RIGHT, Side.RIGHT: Side.LEFT}
_OTHER = {"B": "C", "C": "B"}
_Captions = tuple[str, str, str | None]
"""The captions of B, C and A; no A where the image is shown."""
_SELECT_CAPTIONS = """
SELECT question.id, b.caption, c.caption, reference.caption
FROM annotation_question AS question
JOIN annotation_pair AS pair ON pair.id = question.pair_id
JOIN annotation_candidate AS b ON b.id = pair.b_id
JOIN annotation_candidate AS c ON c.id = pair.c_id
LEFT JOIN annotation_reference AS reference ON reference.id = question.reference_id
WHERE question.id IN (%s)
"""


@dataclass(frozen=True)
class _Choice(Kind):
    """Which of B and C is better, or more similar to a reference A."""

    # Questions

    def obstacle(self, dataset: Dataset) -> str:
        if not dataset.pairs.askable().exists():
            message = "%(dataset)s has no pairs yet. Generate pairs from its candidates first."
            return message % {"dataset": dataset.name}

        without_picture = dataset.images.filter(file="", url="", pairs__isnull=False)
        if not self.has_image or not without_picture.exists():
            return ""

        message = (
            "A pairwise study shows the image of each pair, but %(images)s images of %(dataset)s "
            "have no file. Give a file or url for each in images.csv, or choose the triplet "
            "protocol."
        )
        count = intcomma(without_picture.distinct().count())
        return message % {"images": count, "dataset": dataset.name}

    def draw(self, study: Study) -> tuple[list[Subject], Sequence[int]]:
        generator = np.random.default_rng(study.seed)
        rows = study.dataset.pairs.askable().order_by("pk")
        pairs = list(rows.values_list("pk", "image_id"))

        if not self.has_reference:
            positions = generator.permutation(len(pairs)).tolist()
            return [Subject(image, pair) for pair, image in pairs], positions

        references = _references_by_image(study.dataset)
        lengths = [len(references[image]) for _pair, image in pairs]
        counts = np.array(lengths, dtype=np.int64)
        drawn = draw_triplets(counts, study.references, generator)

        subjects = []
        indices = drawn.pair.tolist()
        numbers = drawn.reference.tolist()
        for index, number in zip(indices, numbers, strict=True):
            pair, image = pairs[index]
            subjects.append(Subject(image, pair, references[image][number - 1]))

        return subjects, drawn.position.tolist()

    def questions_each(self, study: Study) -> NDArray[np.int64]:
        """Return how many references each pair is shown with; the image is shown once."""
        pairs = study.dataset.pairs.askable().order_by()
        if not self.has_reference:
            return np.ones(pairs.count(), dtype=np.int64)

        counted = pairs.annotate(count=Count("image__references"))
        numbers = counted.values_list("count", flat=True)
        counts = np.fromiter(numbers, dtype=np.int64)
        return references_drawn(counts, study.references)

    def show(self, leases: Sequence[Lease]) -> list[ShownQuestion]:
        """Return captions by side, and nothing that tells B from C.

        The parts are `left` and `right`, either `a` or the image's `src` and `alt`, and `long` if
        a caption is.
        """
        keys = [lease.question_id for lease in leases]
        placeholders = ", ".join(["%s"] * len(keys))
        rows = fetch(_SELECT_CAPTIONS % placeholders, keys)
        captions: dict[int, _Captions] = {key: (b, c, a) for key, b, c, a in rows}
        images = _images_of(keys) if self.has_image else {}

        questions = []
        for lease in leases:
            shown = _shown(lease, captions[lease.question_id])
            questions.append(shown | images.get(lease.question_id, {}))

        return questions

    def side(self, question: Question, annotator: Annotator) -> str:
        """Choose the side where B was shown less often: in this question, or to the annotator."""
        left_balance = question.lean or annotator.left_balance
        if left_balance == 0:
            return chosen_at_random(Side.values)

        return Side.RIGHT if left_balance > 0 else Side.LEFT

    # Answers

    def read(self, study: Study, lease: Lease, sent: Mapping[str, Any]) -> Given:
        point = str(sent.get("side"))
        allowed = _FIVE_POINTS if study.scale == len(_FIVE_POINTS) else _TWO_POINTS
        if point not in allowed or (point == TIE and not study.offers_tie):
            raise NotAnAnswer(point)

        side, strength = allowed[point]
        if not side:
            return Given(Choice.TIE, strength=strength)
        choice = Choice.B if side == lease.b_side else Choice.C
        return Given(choice, strength=strength)

    def checks(self, answers: pd.DataFrame, rules: FlagRules) -> pd.DataFrame:
        return annotators(answers, rules)

    def repeatable(self, answers: AnswerQuerySet) -> AnswerQuerySet:
        return answers.exclude(b_side="")

    def repeated_side(self, answer: Answer) -> str:
        return _OTHER_SIDE[Side(answer.b_side)]

    def simulate(self, lease: Lease, character: Character) -> Mapping[str, Any]:
        """Prefer what the character believes, or else the candidate more similar to A."""
        choice = _belief(lease, character)
        if character.random.random() >= character.reliability:
            choice = _OTHER[choice]

        side = side_of(choice, lease)
        if lease.annotator.study.scale == len(_FIVE_POINTS):
            strength = character.random.choice((0, 1, 1, 2, 2))
            side = f"{side}-{strength}" if strength else TIE
        return {"side": side}

    # Files

    def subjects(self, table: pd.DataFrame, keys: Keys) -> Iterator[Subject]:
        for pair, number in rows_of(table, *self.about):
            image = keys.pair_images[pair]
            reference = keys.references[image, int(number)] if number else None
            yield Subject(keys.images[image], keys.pairs[pair], reference)

    def given(self, answers: pd.DataFrame) -> tuple[Iterable[str], Iterable[None]]:
        return cells(answers, "choice"), repeat(None)


def _references_by_image(dataset: Dataset) -> dict[int, list[int]]:
    images = dataset.images.values_list("pk", flat=True)
    by_image: dict[int, list[int]] = {image: [] for image in images}

    rows = Reference.objects.filter(image__dataset=dataset)
    in_order = rows.order_by("image_id", "number")
    for image, reference in in_order.values_list("image_id", "pk"):
        by_image[image].append(reference)

    return by_image


def _shown(lease: Lease, captions: _Captions) -> ShownQuestion:
    b, c, a = captions
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)

    shown = {"key": str(lease.key), "left": left, "right": right}
    if a is not None:
        shown["a"] = a
    if max(len(text) for text in (b, c, a or "")) >= LONG:
        shown["long"] = "yes"

    return shown


def _images_of(questions: list[int]) -> dict[int, dict[str, str]]:
    rows = Question.objects.select_related("image__dataset").filter(pk__in=questions)
    return {row.pk: {"src": row.image.source, "alt": row.image.alt} for row in rows}


def _belief(lease: Lease, character: Character) -> str:
    questions = Question.objects.select_related("pair__b", "pair__c", "reference")
    question = questions.get(pk=lease.question_id)
    assert question.pair

    given = character.beliefs.get(question.pair.name)
    similar = more_similar(question.pair, str(question.reference or ""))
    return given or similar or character.random.choice("BC")


def more_similar(pair: Pair, a: str) -> str | None:
    """Return the candidate that shares more words with A, None where they share equally many."""
    b = shared_words(pair.b.caption, a)
    c = shared_words(pair.c.caption, a)
    if b == c:
        return None

    return "B" if b > c else "C"


def side_of(choice: str, lease: Lease) -> str:
    """Return the side on which a candidate, B or C, is shown."""
    side = Side(lease.b_side)
    return side if choice == "B" else _OTHER_SIDE[side]


_FIELDS = fields_of(
    VOTES.columns,
    pair="question__pair__name",
    reference="question__reference__number",
    annotator="annotator__name",
    reason="status_reason",
)
_FLAG_WORDS = {
    "gold": "gold: %(gold_right)s of %(gold)s right",
    "repeats": "repeats: %(repeats_same)s of %(repeats)s the same",
    "fast": "fast: median %(median)s s, %(fast)s of votes under %(fastest)s s",
    "one-sided": "one-sided: left in %(left)s of %(sided)s votes",
    "disagrees": "disagrees: %(agreement)s, expected %(agreement_expected)s",
}
_FOLDER = "judging/kinds/choice"
_SETTINGS = (
    "ties scale label_a label_left label_right label_tie gold_rate repeat_rate stop_early "
    "winners"
)
TRIPLET = _Choice(
    "triplet",
    template=f"{_FOLDER}/triplet.html",
    script=f"{_FOLDER}.js",
    folder=_FOLDER,
    question=choice_texts.SIMILAR,
    texts=choice_texts.OF_TRIPLETS,
    invitation=choice_texts.INVITATION_TO_TRIPLETS,
    account=(
        "People saw a caption A, which is a reference of an image, and two others, B and C. "
        "No image was shown."
    ),
    captions=("a", "left", "right"),
    settings=frozenset(_SETTINGS.split()),
    flag_words=_FLAG_WORDS,
    table=VOTES,
    fields=_FIELDS,
    about=("pair", "reference"),
    unit="triplets",
    answer="vote",
    chooses=True,
    has_reference=True,
)
PAIRWISE = replace(
    TRIPLET,
    name="pairwise",
    template=f"{_FOLDER}/pairwise.html",
    question=choice_texts.BETTER,
    texts=choice_texts.OF_IMAGES,
    invitation=choice_texts.INVITATION_TO_IMAGES,
    account="People saw an image and two captions of it, B and C.",
    captions=("left", "right"),
    unit="questions",
    has_reference=False,
    has_image=True,
)
