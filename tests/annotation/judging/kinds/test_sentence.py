"""Sentences about images: by how many people, what is accepted, and what people are told."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load, write
from tercet.analysis.dataset.sentence_rules import SentenceRule
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record, undo
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import NotAnAnswer, ToChange
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.quotas import miscounted
from tercet.annotation.models import Annotator, Answer, Question, Study
from tercet.annotation.models.study import LinkUsers, RuleAction
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.quality.exclusion import exclude_vote
from tercet.annotation.studies.creation import Unsuitable, create_study
from tests.annotation.questions import claimed
from tests.support.folders import contents, dataset_folder, write_csv

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

ALT = "the alternative text"
DOG = "A brown dog is running over the green grass."
CAT = "A grey cat is asleep on the roof of a house."


def picture(name: str) -> str:
    return f"https://example.org/{name}.png"


def images_folder(folder: Path) -> Path:
    dataset_folder(folder, pairs=None)
    rows = [(name, picture(name), ALT) for name in ("dog", "cat")]
    write_csv(folder / "images.csv", ("image", "url", "alt"), rows)
    return folder


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Two images that need three sentences each."""
    folder = images_folder(tmp_path / "images")
    dataset = import_dataset(load(folder), "images", folder)
    return create_study(
        Study(
            dataset=dataset,
            protocol="sentence",
            votes=3,
            steps=[],
            state="open",
            link_is_open=True,
            link_users=LinkUsers.PLACE,
            enforced_seconds=0,
        )
    )


@pytest.fixture
def annotator(study: Study) -> Annotator:
    return new_annotator(study)


def write_sentence(annotator: Annotator, text: object = DOG) -> Answer:
    return record(AnswerMessage(claimed(annotator).key, {"text": text}))


def block(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(rule_action=RuleAction.BLOCK)


def joined(client: Client, study: Study) -> str:
    """Join, and return the page of the first question."""
    client.post(reverse("join", args=[study.join_code]), {"agree": "yes"})
    return client.get(reverse("judge", args=[study.name])).text


# Questions


def test_each_image_is_asked_about_once(study: Study) -> None:
    about_images = study.questions.filter(pair=None, candidate=None)
    asked = about_images.values_list("image__name", "needed")
    assert sorted(asked) == [("cat", 3), ("dog", 3)]
    assert kind_of(study).questions_each(study).tolist() == [1, 1]


def test_the_seed_decides_the_order(study: Study) -> None:
    orders = set()
    for seed in range(8):
        study.seed = seed
        _subjects, positions = kind_of(study).draw(study)
        orders.add(tuple(positions))

    assert orders == {(0, 1), (1, 0)}


def test_images_without_pictures_cannot_be_described(study: Study) -> None:
    study.dataset.images.filter(name="dog").update(url="")
    copy = Study(dataset=study.dataset, protocol="sentence")
    with pytest.raises(Unsuitable, match="1 image of images has no picture"):
        create_study(copy)


def test_each_sentence_of_an_image_is_by_another_person(study: Study) -> None:
    people = [new_annotator(study) for _ in range(5)]
    for person in people:
        while claim(person):
            write_sentence(person)

    writers = Answer.objects.counted().values_list("question", "annotator")
    assert len(writers) == len(set(writers)) == 6
    assert set(study.questions.values_list("answers", "leases")) == {(3, 0)}
    assert miscounted(Question.objects.all()) == 0


# Answers


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (DOG, DOG),
        ("  a\r\n\tdog   runs ", "a dog runs"),
        ("犬が走る", "犬が走る"),
        ("x" * 2000, "x" * 2000),
        ("x" + "\r\n" * 1999 + "y", "x y"),
        ("dogs < cats & 1 > 0 <3", "dogs < cats & 1 > 0 <3"),
    ],
)
def test_a_sentence_is_stored_with_single_spaces(
    annotator: Annotator, text: str, stored: str
) -> None:
    assert write_sentence(annotator, text).content["text"] == stored


@pytest.mark.parametrize(
    "text", ["", " \n ", None, 1, ["dog"], {"a": 1}, "x" * 2001, "dog" * 4_000_000]
)
def test_what_is_no_sentence_is_no_answer(annotator: Annotator, text: object) -> None:
    lease = claimed(annotator)
    with pytest.raises(NotAnAnswer):
        record(AnswerMessage(lease.key, {"text": text}))
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "sent", [{"side": "left"}, {"right": "1"}, {"correctness": 1}, {}]
)
def test_an_answer_of_another_kind_is_no_answer(
    annotator: Annotator, sent: Mapping[str, Any]
) -> None:
    lease = claimed(annotator)
    with pytest.raises(NotAnAnswer):
        record(AnswerMessage(lease.key, sent))


@pytest.mark.parametrize(
    "text",
    ["a \x00 dog", "a\x07dog", "a <b>dog</b>", "<script>x", "a <!-- b", "\ud800"],
)
def test_html_and_control_characters_are_to_be_removed(
    annotator: Annotator, text: str
) -> None:
    with pytest.raises(ToChange) as refused:
        write_sentence(annotator, text)
    assert refused.value.hints == ["Remove HTML tags and special characters."]
    assert not Answer.objects.exists()


def test_a_broken_rule_marks_a_sentence(annotator: Annotator) -> None:
    answer = write_sentence(annotator, "There is my dog")
    assert answer.content["rules"] == "short opening speech"


def test_a_broken_rule_blocks_a_sentence(study: Study, annotator: Annotator) -> None:
    block(study)
    with pytest.raises(ToChange) as refused:
        write_sentence(annotator, "There is my dog")

    assert len(refused.value.hints) == 3
    assert refused.value.hints[0] == "Write at least 8 words."
    assert write_sentence(annotator, DOG).content["rules"] == ""


def test_only_the_rules_of_the_study_are_checked(annotator: Annotator) -> None:
    Study.objects.update(sentence_rules=["short"], min_words=3, language="de")
    assert write_sentence(annotator, "There is my dog").content["rules"] == ""
    assert write_sentence(annotator, "A dog").content["rules"] == "short"


def test_a_sentence_repeats_others_of_the_image_and_of_the_person(study: Study) -> None:
    first, second = new_annotator(study), new_annotator(study)
    assert write_sentence(first).content["rules"] == ""
    assert write_sentence(first).content["rules"] == SentenceRule.REPEATED
    assert write_sentence(second).content["rules"] == SentenceRule.REPEATED
    assert write_sentence(second, CAT).content["rules"] == ""


def test_a_sentence_that_was_taken_back_can_be_written_again(
    study: Study, annotator: Annotator
) -> None:
    answer = write_sentence(annotator)
    assert answer.key
    undo(answer.key)

    lease = claimed(annotator)
    (shown,) = kind_of(study).show([lease])
    assert shown["draft"] == DOG
    again = record(AnswerMessage(lease.key, {"text": DOG}))
    assert again.content == {"text": DOG, "rules": ""}
    assert again.question == answer.question


def test_an_excluded_sentence_is_written_by_somebody_else(study: Study) -> None:
    for _ in range(3):
        person = new_annotator(study)
        while claim(person):
            write_sentence(person)
    assert claim(new_annotator(study)) is None

    bad = Answer.objects.earliest("pk")
    exclude_vote(bad, None, "too short")
    assert claimed(new_annotator(study)).question == bad.question


# Pages


def test_people_write_without_javascript(client: Client, study: Study) -> None:
    block(study)
    page = joined(client, study)
    assert "Describe the picture in one sentence." in page
    assert 'name="text"' in page

    lease = study.annotators.get().leases.earliest("turn")
    address = reverse("cast_vote", args=[study.name])
    refused = client.post(address, {"key": lease.key, "text": "There is <3"})
    assert refused.status_code == 422
    assert "Write at least 8 words." in refused.text
    assert "There is &lt;3</textarea>" in refused.text
    assert picture(lease.question.image.name) in refused.text
    assert f'value="{lease.key}"' in refused.text

    client.post(address, {"key": lease.key, "text": DOG})
    assert Answer.objects.get().content == {"text": DOG, "rules": ""}


def test_hints_are_in_the_language_of_the_reader(client: Client, study: Study) -> None:
    block(study)
    joined(client, study)
    lease = study.annotators.get().leases.earliest("turn")
    refused = client.post(
        reverse("cast_vote", args=[study.name]),
        {"key": lease.key, "text": "A dog"},
        headers={"accept-language": "de"},
    )
    assert "Schreiben Sie mindestens 8 Wörter." in refused.text


def test_a_sentence_of_an_unknown_question_is_not_shown_again(
    client: Client, study: Study
) -> None:
    block(study)
    joined(client, study)
    other = claimed(new_annotator(study))
    address = reverse("cast_vote", args=[study.name])
    for key in (other.key, uuid4()):
        answer = client.post(address, {"key": key, "text": "A dog"})
        assert answer.status_code == 302

    stranger = Client()
    assert stranger.post(address, {"key": other.key, "text": "A"}).status_code == 302


def test_sentences_written_offline_count_once(client: Client, study: Study) -> None:
    block(study)
    joined(client, study)
    first, second = study.annotators.get().leases.order_by("turn")
    told = [
        {"do": "vote", "key": str(first.key), "text": DOG},
        {"do": "vote", "key": str(second.key), "text": "A dog"},
        {"do": "vote", "key": str(uuid4()), "text": DOG},
    ]
    address = reverse("sync", args=[study.name])
    for _again in range(2):
        message = json.dumps({"deeds": told})
        reply = client.post(address, message, content_type="application/json").json()
        saved, returned, gone = reply["taken"]
        assert (saved, gone) == ("saved", "gone")
        assert returned == {"hints": ["Write at least 8 words."]}
        assert reply["order"] == [str(second.key)]

    alone = json.dumps({"deeds": told[1:2]})
    reply = client.post(address, alone, content_type="application/json").json()
    assert reply["taken"] == [returned]
    assert Answer.objects.get().content["text"] == DOG


# Simulated annotators, and files


@pytest.mark.parametrize("action", RuleAction)
@pytest.mark.parametrize("reliability", [0, 1])
def test_simulated_people_write_and_finish(
    study: Study, action: RuleAction, reliability: int
) -> None:
    Study.objects.update(rule_action=action)
    study.refresh_from_db()
    list(simulate(study, range(4), reliability, {}, 0))

    assert Answer.objects.count() == 6
    assert claim(new_annotator(study)) is None
    assert not study.annotators.filter(name__startswith="sim", finished_at=None)
    if action == RuleAction.BLOCK:
        assert set(Answer.objects.values_list("content__rules", flat=True)) == {""}


def test_an_export_is_imported_as_the_same_sentences(
    study: Study, tmp_path: Path
) -> None:
    list(simulate(study, range(3), 0.5, {}, 0))
    exclude_vote(Answer.objects.earliest("pk"), None, "dialogue")
    first = tmp_path / "first"
    write(study_frames(study), first, study.dataset.folder)
    header = (first / "sentences.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("image,sentence,annotator,")
    assert "status" in header

    again = import_dataset(load(first), "again", first).studies.get()
    second = tmp_path / "second"
    write(study_frames(again), second, again.dataset.folder)

    assert again.questions.count() == 2
    assert contents(first) == contents(second)
    assert miscounted(Question.objects.all()) == 0


def test_images_without_references_are_imported_for_sentences(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    write_csv(folder / "images.csv", ("image", "url"), [("dog", picture("dog"))])
    dataset = import_dataset(load(folder), "new", folder)
    assert not dataset.studies.exists()

    (folder / "study.json").write_text('{"protocol": "sentence", "votes": 5}')
    study = import_dataset(load(folder), "newer", folder).studies.get()
    assert study.questions.get().needed == 5
