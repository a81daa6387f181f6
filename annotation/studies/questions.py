"""The questions of a study: drawn from its references and pairs, and written to the database."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from tercet.analysis.dataset.triplet_generation import draw_triplets, references_drawn
from tercet.analysis.progress import Progress, silent
from tercet.annotation.models import Answer, Dataset, Question, Reference, Study
from tercet.annotation.models.bulk import copy_rows

QuestionKey = tuple[int, int | None]
"""The keys of a pair and of a reference, None under `pairwise`."""
NEW = {"leases": 0, "stopped": False, "gold": ""}
"""What each new question has, by column."""
COLUMNS = (
    "study",
    "pair",
    "reference",
    "position",
    "needed",
    "answers",
    "lead",
    "lean",
    *NEW,
)


class Counters(NamedTuple):
    """What the votes of a question add up to, as in `Question`."""

    votes: int = 0
    lead: int = 0
    lean: int = 0

    def plus(self, margin: int, balance: int) -> "Counters":
        """Return the counters with one vote more."""
        return Counters(self.votes + 1, self.lead + margin, self.lean + balance)


NO_VOTES = Counters()


def write_questions(
    study: Study,
    votes: Mapping[QuestionKey, Counters] | None = None,
    progress: Progress = silent,
) -> dict[QuestionKey, int]:
    """Write the questions of a study; return their keys by question.

    `votes` are the votes that questions have already. Each of them gets a question even if the seed
    did not draw it, and never needs fewer votes than it has. A study that was collected elsewhere
    has no other questions and needs no other votes.
    """
    votes = votes or {}
    default_need = 0 if study.collected_elsewhere else study.votes
    drawn, positions = ([], []) if study.collected_elsewhere else _draw(study)
    questions = list(dict.fromkeys(chain(drawn, votes)))
    positions += range(len(drawn), len(questions))

    def row(question: QuestionKey, position: int) -> tuple[Any, ...]:
        given = votes.get(question, NO_VOTES)
        needed = max(default_need, given.votes)
        return (study.pk, *question, position, needed, *given, *NEW.values())

    rows = map(row, questions, positions)
    copy_rows(Question, COLUMNS, rows, len(questions), _("Questions"), progress)

    in_order = study.questions.order_by("pk")
    keys = in_order.values_list("pk", flat=True)
    return dict(zip(questions, keys.iterator(), strict=True))


def redraw_questions(study: Study) -> None:
    """Draw the questions of a draft again, as its dataset has changed; gold answers are kept.

    Test annotators are deleted with their votes.
    """
    gold = gold_of(study)
    testers = study.annotators.filter(is_test=True)
    Answer.objects.filter(annotator__in=testers).delete()
    testers.delete()

    study.questions.all().delete()
    write_questions(study)
    set_answers(study, gold)


def gold_of(study: Study) -> dict[QuestionKey, str]:
    """Return the correct answers of a study's gold questions."""
    questions = study.questions.gold()
    rows = questions.values_list("pair", "reference", "gold")
    return {(pair, reference): answer for pair, reference, answer in rows}


def set_answers(study: Study, gold: Mapping[QuestionKey, str]) -> None:
    """Make the questions of a study gold that it has."""
    for (pair, reference), answer in gold.items():
        rows = study.questions.filter(pair=pair, reference=reference)
        rows.update(gold=answer)


def references_per_pair(study: Study) -> NDArray[np.int64]:
    """Return how many references a study will show each of its pairs with (P,), as `_draw` draws.

    Under `pairwise` it is the image alone, once.
    """
    pairs = study.dataset.pairs.askable().order_by()
    if study.shows_image:
        return np.ones(pairs.count(), dtype=np.int64)

    counted = pairs.annotate(count=Count("image__references"))
    numbers = counted.values_list("count", flat=True)
    counts = np.fromiter(numbers, dtype=np.int64)
    return references_drawn(counts, study.references)


def _draw(study: Study) -> tuple[list[QuestionKey], list[int]]:
    """Return the study's questions and their positions; they depend on its settings and seed."""
    generator = np.random.default_rng(study.seed)
    rows = study.dataset.pairs.askable().order_by("pk")
    pairs = list(rows.values_list("pk", "image_id"))

    if study.shows_image:
        positions = generator.permutation(len(pairs)).tolist()
        return [(pair, None) for pair, _image in pairs], positions

    references = _references_by_image(study.dataset)
    lengths = [len(references[image]) for _pair, image in pairs]
    counts = np.array(lengths, dtype=np.int64)
    drawn = draw_triplets(counts, study.references, generator)

    questions: list[QuestionKey] = []
    indices = drawn.pair.tolist()
    numbers = drawn.reference.tolist()
    for index, number in zip(indices, numbers, strict=True):
        pair, image = pairs[index]
        questions.append((pair, references[image][number - 1]))

    return questions, drawn.position.tolist()


def _references_by_image(dataset: Dataset) -> dict[int, list[int]]:
    images = dataset.images.values_list("pk", flat=True)
    by_image: dict[int, list[int]] = {image: [] for image in images}

    rows = Reference.objects.filter(image__dataset=dataset)
    in_order = rows.order_by("image_id", "number")
    for image, reference in in_order.values_list("image_id", "pk"):
        by_image[image].append(reference)

    return by_image
