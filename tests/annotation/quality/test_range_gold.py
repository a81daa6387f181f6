"""The page of gold ranges: entered by lines, drawn from captions of other images, removed."""

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Answer, Candidate, Reference, Study
from tests.annotation.judging.kinds.test_rating import rated
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return rated(tmp_path / "captions", steps=["practice"])


def post(office: Client, study: Study, do: str, **sent: object) -> str:
    address = reverse("study_gold", args=[study.name])
    return squeeze(office.post(address, {"do": do, **sent}, follow=True).text)


def ranges_of(study: Study) -> dict[str, list[list[object]]]:
    gold = study.questions.gold().select_related("candidate")
    return {str(each.candidate): json.loads(each.gold) for each in gold}


def test_lines_give_a_range_for_each_aspect(office: Client, study: Study) -> None:
    text = (
        "image,caption,aspect,low,high\r\n"
        "dog,a red bus,correctness,1,2\r\n\r\n"
        '"dog", a red bus , overall , 0 , 30.5 \r\n'
        "cat,a cat sleeps,correctness,5,5"
    )
    page = post(office, study, "add", lines=text)

    assert "2 gold questions added." in page
    assert "correctness 1..2" in page
    assert ranges_of(study) == {
        "a red bus": [["correctness", 1, 2], ["overall", 0, 30.5]],
        "a cat sleeps": [["correctness", 5, 5]],
    }
    assert study.events.filter(what="chose gold").exists()


@pytest.mark.parametrize(
    "line",
    [
        "dog,a blue bus,correctness,1,2",
        "owl,a red bus,correctness,1,2",
        "dog,a red bus,fluency,1,2",
        "dog,a red bus,correctness,2,1",
        "dog,a red bus,correctness,0,2",
        "dog,a red bus,correctness,1,2.5",
        "dog,a red bus,correctness,one,2",
        "dog,a red bus,overall,nan,50",
        "dog,a red bus,overall,0,inf",
        "dog,a red bus,correctness,1",
    ],
)
def test_a_faulty_line_is_named_and_nothing_is_kept(
    office: Client, study: Study, line: str
) -> None:
    page = post(office, study, "add", lines=f"cat,a cat sleeps,correctness,5,5\n{line}")

    assert (
        "Line 2: write the image, the caption, an aspect (correctness, overall)" in page
    )
    assert "Line 1:" not in page
    assert ranges_of(study) == {}


def test_an_aspect_of_a_caption_has_one_range(office: Client, study: Study) -> None:
    line = "dog,a red bus,correctness"
    page = post(office, study, "add", lines=f"{line},1,2\n{line},4,5")

    assert "Line 2: gives another range of correctness for this caption." in page
    assert ranges_of(study) == {}


def test_checks_are_captions_of_other_images_in_the_lowest_third(
    office: Client, study: Study
) -> None:
    assert "2 gold questions added." in post(office, study, "draw", count=5)

    for question in study.questions.gold():
        own = question.image.references.values_list("caption", flat=True)
        others = Reference.objects.exclude(image=question.image)
        caption = str(question.candidate)
        assert caption not in own
        assert others.filter(caption=caption).exists()
        assert json.loads(question.gold) == [["correctness", 1, 2]]
        assert question.needed == 0

    assert "0 gold questions added." in post(office, study, "draw", count=5)


def test_a_candidate_of_the_image_is_no_caption_of_another_one(
    office: Client, study: Study
) -> None:
    dog = study.dataset.images.get(name="dog")
    cat = Reference.objects.filter(image__name="cat")
    for caption in cat.values_list("caption", flat=True)[1:]:
        Candidate.objects.create(image=dog, caption=caption, source="net")
    post(office, study, "draw", count=2)

    (check,) = study.questions.gold().filter(image=dog)
    assert str(check.candidate) == cat[0].caption


def test_one_image_has_no_captions_of_others(office: Client, study: Study) -> None:
    Reference.objects.filter(image__name="cat").delete()
    page = post(office, study, "draw", count=1)

    assert "Gold questions need references of at least two images." in page
    assert ranges_of(study) == {}


@pytest.mark.parametrize("count", ["0", "", "x", "10001"])
def test_a_count_that_is_none_is_no_crash(
    office: Client, study: Study, count: str
) -> None:
    address = reverse("study_gold", args=[study.name])
    assert office.post(address, {"do": "draw", "count": count}).status_code == 422


def test_checks_are_asked_and_are_no_candidates_of_the_export(
    office: Client, study: Study
) -> None:
    before = study_frames(study).candidates
    post(office, study, "draw", count=2)
    Study.objects.update(gold_rate=0.5)
    person = new_annotator(study)
    while lease := claim(person):
        record(
            AnswerMessage(lease.key, {"aspect-correctness": "5", "aspect-overall": "1"})
        )

    frames = study_frames(study)
    checks = Answer.objects.filter(purpose="gold").count()
    assert checks
    assert (frames.ratings["purpose"] == "gold").sum() == 2 * checks
    assert len(frames.valid_ratings) == 2 * 5
    assert frames.candidates.equals(before)

    quality = office.get(reverse("study_quality", args=[study.name])).text
    assert person.name in quality


def test_a_range_is_removed_and_a_check_without_answers_is_deleted(
    office: Client, study: Study
) -> None:
    questions = study.questions.count()
    post(office, study, "add", lines="cat,a cat sleeps,correctness,5,5")
    post(office, study, "draw", count=1)
    for question in study.questions.gold():
        post(office, study, "remove", triplet=question.pk)

    assert ranges_of(study) == {}
    assert study.questions.count() == questions


def test_a_check_with_answers_stays(office: Client, study: Study) -> None:
    post(office, study, "draw", count=1)
    check = study.questions.gold().get()
    Answer.objects.create(
        question=check,
        annotator=new_annotator(study),
        purpose="gold",
        content=[["correctness", 1], ["overall", 2]],
    )
    page = post(office, study, "remove", triplet=check.pk)

    assert "This check has answers." in page
    assert study.questions.gold().get() == check
