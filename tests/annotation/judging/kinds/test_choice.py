"""Choices: what they are read from, and what the database keeps of any kind of answer."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.kinds import kind_for, kind_of
from tercet.annotation.judging.kinds.choice import TIE, more_similar
from tercet.annotation.judging.kinds.kind import Given, NotAnAnswer
from tercet.annotation.models import Answer, Candidate, Lease, Question, Study
from tercet.annotation.models.answer import Side
from tests.annotation.questions import claimed, pair_of

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


@pytest.fixture
def lease(study: Study) -> Lease:
    """The lease of a question with B on the left."""
    held = claimed(new_annotator(study))
    held.b_side = Side.LEFT
    return held


@pytest.mark.parametrize(("side", "choice"), [("left", "B"), ("right", "C")])
def test_a_side_is_read_as_the_candidate_that_stands_there(
    study: Study, lease: Lease, side: str, choice: str
) -> None:
    assert kind_of(study).read(study, lease, {"side": side}) == Given(choice)


@pytest.mark.parametrize("side", ["up", "", None, 1, ["left"], {"left": 1}, TIE])
def test_anything_else_is_no_answer(study: Study, lease: Lease, side: object) -> None:
    with pytest.raises(NotAnAnswer):
        kind_of(study).read(study, lease, {"side": side})


def test_a_tie_is_read_where_it_is_offered(study: Study, lease: Lease) -> None:
    study.ties = True
    assert kind_of(study).read(study, lease, {"side": TIE}) == Given(TIE)


def test_images_are_shown_where_all_have_pictures(study: Study) -> None:
    images = study.dataset.images
    images.update(url="https://example.org/picture.png")
    assert kind_for(study.dataset).has_image

    images.filter(pk=images.earliest("pk").pk).update(url="")
    assert kind_for(study.dataset).has_reference


def test_neither_candidate_is_closer_where_they_share_as_many_words(
    study: Study,
) -> None:
    pair = study.dataset.pairs.get(name="p4")
    assert more_similar(pair, "nothing in common") is None
    assert more_similar(pair, "a sleeping animal") == "C"


# The database


@pytest.mark.parametrize(
    "given",
    [
        {"choice": ""},
        {"choice": "D"},
        {"choice": "B", "content": {"right": 1}},
        {"choice": "D", "content": {"right": 1}},
    ],
)
def test_an_answer_is_either_a_choice_or_a_content(
    study: Study, given: dict[str, Any]
) -> None:
    question = study.questions.earliest("pk")
    with pytest.raises(IntegrityError), transaction.atomic():
        Answer.objects.create(question=question, **given)


def test_a_question_has_one_subject(study: Study) -> None:
    question = study.questions.earliest("pk")
    captions = Candidate.objects.filter(image=question.image_id)
    for about in ({"pair": pair_of(question)}, {"reference": question.reference}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Question.objects.create(
                study=study,
                image=question.image,
                candidate=captions.earliest("pk"),
                position=99,
                needed=1,
                **about,
            )


def test_a_candidate_and_an_image_are_asked_about_once(study: Study) -> None:
    image = study.questions.earliest("pk").image
    candidate = image.candidates.earliest("pk")
    for number, about in enumerate(({"candidate": candidate}, {})):
        values = {"study": study, "image": image, "needed": 1, **about}
        Question.objects.create(position=90 + number, **values)
        with pytest.raises(IntegrityError), transaction.atomic():
            Question.objects.create(position=95 + number, **values)
