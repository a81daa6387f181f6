"""A large study that is mostly done, and people to judge in it, for `benchmarks.voting`."""

from django.core.signing import get_cookie_signer
from django.db import connection
from django.db.models import F
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import (
    Annotator,
    Answer,
    Candidate,
    Dataset,
    Image,
    Pair,
    Question,
    Reference,
    Study,
)
from tercet.annotation.models.study import Step
from tercet.annotation.permissions import cookie_name
from tercet.annotation.studies.creation import create_study

FILLED = (Annotator, Candidate, Image, Pair, Reference, Question, Answer)
PAST = """
INSERT INTO annotation_answer
    (question_id, annotator_id, purpose, choice, b_side, seconds, created_at, status, status_reason)
SELECT t.id, {first} + (t.id * {votes} + {number}) %% {people}, 'study',
    CASE WHEN (t.id * 7 + {number}) %% 3 = 0 THEN 'C' ELSE 'B' END,
    CASE WHEN (t.id + {number}) %% 2 = 0 THEN 'left' ELSE 'right' END, 5.0, %s, 'valid', ''
FROM annotation_question t WHERE t.study_id = {study} AND t.position < {done}
"""


def filled_study(
    questions: int,
    references: int,
    done: float,
    people: int,
    votes: int,
    protocol: str = "triplet",
) -> Study:
    """A study of so many triplets, the first share `done` of which have all their votes.

    Another protocol asks about their pairs, captions or images.
    """
    pairs = questions // references
    dataset = Dataset.objects.create(name="large", title="A large dataset")
    images = Image.objects.bulk_create(
        Image(dataset=dataset, name=f"image-{number}", url="https://example.org/a.png")
        for number in range(pairs)
    )
    Reference.objects.bulk_create(
        (
            Reference(
                image=image,
                number=number,
                caption=f"a caption of {image.name}, {number}",
            )
            for image in images
            for number in range(1, references + 1)
        ),
        batch_size=5_000,
    )
    b, c = (
        Candidate.objects.bulk_create(
            Candidate(
                image=image, caption=f"candidate {side} of {image.name}", listed=True
            )
            for image in images
        )
        for side in "BC"
    )
    Pair.objects.bulk_create(
        Pair(
            dataset=dataset, name=image.name, image=image, b=one, c=other, category="HM"
        )
        for image, one, other in zip(images, b, c, strict=True)
    )
    plan = Study(dataset=dataset, protocol=protocol, votes=votes, steps=[])
    plan.break_every = 0
    study = create_study(plan)
    add_votes(study, int(questions * done), people)
    return study


def add_votes(study: Study, done: int, people: int) -> None:
    past = Annotator.objects.bulk_create(
        Annotator(study=study, name=f"past-{number}", step=Step.JUDGING)
        for number in range(people)
    )
    with connection.cursor() as cursor:
        for number in range(study.votes):
            statement = PAST.format(
                first=past[0].pk,
                votes=study.votes,
                number=number,
                people=people,
                study=study.pk,
                done=done,
            )
            cursor.execute(statement, [timezone.now()])
    study.questions.filter(position__lt=done).update(answers=F("needed"))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            filled = ", ".join(model._meta.db_table for model in FILLED)
            cursor.execute(f"VACUUM ANALYZE {filled}")
            cursor.execute(
                "CHECKPOINT"
            )  # the filling is not to be paid for while people judge
        else:
            cursor.execute("ANALYZE")


def people_of(study: Study, count: int) -> list[str]:
    """So many new annotators, by the cookie that each browser would send."""
    name = cookie_name(study.name)
    signer = get_cookie_signer(salt=name)
    return [f"{name}={signer.sign(str(new_annotator(study).pk))}" for _ in range(count)]


def check(study: Study, confirmed: list[str]) -> None:
    """Every vote that was confirmed is there, once, and the counters are right."""
    stored = Answer.objects.filter(question__study=study, key__in=confirmed).count()
    assert stored == len(set(confirmed)) == len(confirmed), (stored, len(confirmed))
    wrong = study.questions.filter(needed__lt=F("answers") + F("leases")).count()
    totals = study.questions.progress()["votes"]
    counted = Answer.objects.counted().filter(question__study=study).count()
    assert wrong == 0, f"{wrong} triplets hold more than they need"
    assert totals == counted, (totals, counted)
    print(
        f"every confirmed vote is stored; {counted:,} votes counted, as the counters say"
    )
