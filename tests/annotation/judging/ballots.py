"""Votes of a made-up study, put straight into the database."""

from collections.abc import Iterable

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Annotator, Answer, Question, Study


def put(
    annotator: Annotator | None,
    question: Question,
    choice: str = "B",
    seconds: float | None = 5,
    b_side: str = "left",
    **columns: object,
) -> Answer:
    """Store a valid vote of the study; `columns` may say otherwise."""
    usual = {"purpose": "study", "status": "valid", "created_at": None}
    return Answer.objects.create(
        annotator=annotator,
        question=question,
        choice=choice,
        seconds=seconds,
        b_side=b_side,
        **(usual | columns),
    )


def crowd(study: Study, habits: Iterable[str]) -> list[Annotator]:
    """An annotator for each habit, who votes on every question of the study.

    "good": for B, on alternate sides; "left": for what stands left; "fast": as the good, in no
    time; "contrary": for C.
    """
    people = []
    for habit in habits:
        person = new_annotator(study)
        people.append(person)

        for number, question in enumerate(study.questions.order_by("position")):
            b_side = ("left", "right")[number % 2]
            choice = {"left": "BC"[number % 2], "contrary": "C"}.get(habit, "B")
            put(person, question, choice, 0.2 if habit == "fast" else 5, b_side)
        person.judged = study.questions.count()
        person.save()

    return people
