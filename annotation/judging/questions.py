"""What an annotator sees of a question: captions by side, and nothing that tells B from C."""

from tercet.annotation.judging.sql import fetch
from tercet.annotation.models import Lease, Question, Study
from tercet.annotation.models.answer import Side

ShownQuestion = dict[str, str]
"""`key`, `left` and `right`, and either `a` or the image's `src` and `alt`; `long` if it is."""
LONG = 240
"""Characters of a caption from which on a question is laid out for long texts."""
Captions = tuple[str, str, str | None]
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


def questions_of(study: Study, leases: list[Lease]) -> list[ShownQuestion]:
    """Return the questions of leases, in their order."""
    keys = [lease.question_id for lease in leases]
    placeholders = ", ".join(["%s"] * len(keys))
    query = _SELECT_CAPTIONS % placeholders
    rows = fetch(query, keys)
    captions: dict[int, Captions] = {key: (b, c, a) for key, b, c, a in rows}
    images = _images_of(keys) if study.shows_image else {}

    questions = []
    for lease in leases:
        question = _question(lease, captions[lease.question_id])
        questions.append(question | images.get(lease.question_id, {}))

    return questions


def _question(lease: Lease, captions: Captions) -> ShownQuestion:
    b, c, a = captions
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)

    question = {"key": str(lease.key), "left": left, "right": right}
    if a is not None:
        question["a"] = a
    if max(len(text) for text in (b, c, a or "")) >= LONG:
        question["long"] = "yes"

    return question


def _images_of(questions: list[int]) -> dict[int, dict[str, str]]:
    rows = Question.objects.select_related("pair__image__dataset")
    images = {row.pk: row.pair.image for row in rows.filter(pk__in=questions)}
    pictures = images.items()
    return {key: {"src": each.source, "alt": each.alt} for key, each in pictures}
