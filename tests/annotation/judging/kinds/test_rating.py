"""Ratings: drawn, shown, read strictly, checked, exported and imported byte for byte."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from hypothesis import settings

from tercet.analysis.dataset.folder import load, write
from tercet.analysis.scoring.options import Options
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record
from tercet.annotation.judging.kinds.kind import NotAnAnswer
from tercet.annotation.judging.kinds.rating_texts import PRESETS
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.questionnaires import read_aspects
from tercet.annotation.judging.quotas import miscounted
from tercet.annotation.models import Annotator, Answer, Question, Study
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.participation.sync import synchronize
from tercet.annotation.results.tasks import run
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.setting_groups import GROUPS
from tests.analysis.test_flickr8k import PUBLISHED, RATINGS, published_rows
from tests.annotation.questions import claimed
from tests.support.folders import contents, dataset_folder

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

CANDIDATES = [
    ("dog", "a dog runs", "human"),
    ("dog", "a dog runs", "net"),
    ("dog", "a red bus", "net"),
    ("cat", "a cat sleeps", "human"),
    ("cat", "cat cat", "net"),
]
FILES = ("ratings.csv", "dataset.zip", "export.zip", "jsonl.zip", "huggingface.zip")
FEW = Options(metrics=("CIDEr-D", "BLEU-4"), resamples=50, flips=19)
TWO = """Is it right?
[correctness: grades, 1 to 5]
- no
- yes

How good is it?
[overall: slider, 0 to 100]
"""
GOOD = {"aspect-correctness": "5", "aspect-overall": "50"}


def rated(folder: Path, aspects: str = TWO, **settings: object) -> Study:
    """Four questions about the distinct captions of two images."""
    dataset = import_dataset(
        load(dataset_folder(folder, candidates=CANDIDATES)), folder.name, folder
    )
    values: dict[str, object] = {
        "protocol": "rating",
        "votes": 2,
        "steps": [],
        "state": "open",
        "link_is_open": True,
        "link_users": LinkUsers.PLACE,
        "enforced_seconds": 0,
    }
    return create_study(Study(dataset=dataset, aspects=aspects, **values | settings))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return rated(tmp_path / "captions")


@pytest.fixture
def annotator(study: Study) -> Annotator:
    return new_annotator(study)


def test_two_sources_of_one_caption_share_a_question(study: Study) -> None:
    asked = study.questions.values_list("image__name", "candidate__caption")
    assert sorted(asked) == sorted({caption[:2] for caption in CANDIDATES})


def test_a_rating_has_a_value_for_each_aspect(annotator: Annotator) -> None:
    sent = {"aspect-overall": "99.5", "aspect-correctness": "5"}
    answer = record(AnswerMessage(claimed(annotator).key, sent))

    assert answer.choice == answer.b_side == ""
    assert answer.content == [["correctness", 5], ["overall", 99.5]]
    assert Question.objects.get(pk=answer.question_id).answers == 1


@pytest.mark.parametrize(
    "sent",
    [
        {"side": "left"},
        {"aspect-correctness": "5"},
        {"aspect-correctness": "5", "aspect-overall": ""},
        {"aspect-correctness": "6", "aspect-overall": "50"},
        {"aspect-correctness": "2.5", "aspect-overall": "50"},
        {"aspect-correctness": "nan", "aspect-overall": "50"},
        {"aspect-correctness": "5", "aspect-overall": "inf"},
        {"aspect-correctness": "5", "aspect-overall": "-1"},
        {"aspect-correctness": 5, "aspect-overall": 50},
        {"aspect-correctness": "\u0665", "aspect-overall": "50"},
        {"aspect-correctness": "tie", "aspect-overall": "50"},
        {"aspect-correctness": "5", "aspect-overall": "50", "aspect-fluency": "1"},
        {"aspect-correctness": ["5"], "aspect-overall": {"a": 1}},
        {"aspect-correctness": "5" * 100_000, "aspect-overall": "50"},
    ],
)
def test_what_is_not_on_the_scales_is_no_answer(
    annotator: Annotator, sent: dict[str, object]
) -> None:
    with pytest.raises(NotAnAnswer):
        record(AnswerMessage(claimed(annotator).key, sent))

    assert not Answer.objects.exists()


def test_cannot_tell_is_an_answer_where_it_is_offered(
    study: Study, annotator: Annotator
) -> None:
    Study.objects.update(ties=True)
    sent = {"aspect-overall": "tie", "aspect-correctness": "1"}
    answer = record(AnswerMessage(claimed(annotator).key, sent))
    assert answer.content == [["correctness", 1], ["overall", None]]

    rows = study_frames(study).ratings
    assert rows["rating"].tolist().count("") == len(rows) / 2


def test_no_image_comes_twice_in_a_row_where_there_is_another(tmp_path: Path) -> None:
    study = rated(tmp_path / "captions", PRESETS["flickr8k-cf"], votes=9)
    for _person in range(5):
        person = new_annotator(study)
        images = []
        while lease := claim(person):
            images.append(lease.question.image_id)
            record(AnswerMessage(lease.key, {"aspect-match": "1"}))

        assert len(images) == 4
        assert images[0] != images[1] != images[2]


def test_nobody_rates_more_than_is_needed(study: Study) -> None:
    people = list(simulate(study, range(4), 1, {}, 0))

    assert len(people) == Answer.objects.count() == 8
    assert set(study.questions.values_list("answers", "leases")) == {(2, 0)}
    assert miscounted(Question.objects.all()) == 0
    assert claim(new_annotator(study)) is None


def test_each_source_of_a_caption_has_its_lines(study: Study) -> None:
    list(simulate(study, range(2), 1, {}, 0))
    rows = study_frames(study).ratings
    shared = rows[rows["caption"] == "a dog runs"]

    assert len(rows) == 2 * 2 * 5
    assert shared["source"].value_counts().to_dict() == {"human": 4, "net": 4}
    assert set(rows["aspect"]) == {"correctness", "overall"}


def test_an_export_is_imported_as_the_same_answers(
    study: Study, tmp_path: Path
) -> None:
    question = study.questions.order_by("pk")[0]
    gold = json.dumps([["correctness", 1, 2]])
    study.questions.filter(pk=question.pk).update(gold=gold, needed=3)
    Study.objects.update(ties=True)
    list(simulate(study, range(2), 1, {}, 0))
    first = tmp_path / "first"
    write(study_frames(study), first, study.dataset.folder)
    assert {"gold.csv", "needed.csv", "ratings.csv"} <= contents(first).keys()

    again = import_dataset(load(first), "again", first).studies.get()
    second = tmp_path / "second"
    write(study_frames(again), second, again.dataset.folder)

    assert again.protocol == "rating"
    assert again.questions.count() == 4
    assert again.questions.get(needed=3).gold == gold
    assert contents(first) == contents(second)
    assert miscounted(Question.objects.all()) == 0


@pytest.mark.parametrize(
    "text",
    [
        "image,caption,rating,annotator\ndog,a dog,3.0,x\ndog,a dog,2,y\ncat,a cat,1,x\n",
        "image,caption,rating\ndog,a dog,3\ndog,a dog,4.5\n",
        "image,caption,rating,annotator,source,aspect\n"
        "dog,a dog,3,x,net,b\ndog,a dog,1,x,net,a\ndog,a dog,4,x,rnn,b\n",
    ],
    ids=["annotators", "unknown", "aspects"],
)
def test_ratings_without_a_study_are_stored_byte_for_byte(
    tmp_path: Path, text: str
) -> None:
    folder = dataset_folder(tmp_path / "rated", pairs=None)
    (folder / "ratings.csv").write_text(text)
    study = import_dataset(load(folder), "rated", folder).studies.get()

    assert (study.protocol, study.collected_elsewhere) == ("rating", True)
    out = tmp_path / "out"
    write(study_frames(study), out, study.dataset.folder)
    assert (out / "ratings.csv").read_text() == text
    assert not (out / "candidates.csv").exists()


def test_people_rate_without_javascript(client: Client, study: Study) -> None:
    client.post(reverse("join", args=[study.join_code]), {"agree": "yes"})
    page = client.get(reverse("judge", args=[study.name])).text
    assert 'name="aspect-correctness" value="5"' in " ".join(page.split())
    assert 'type="number"' in page
    assert "Is it right?" in page

    lease = study.annotators.get().leases.earliest("turn")
    sent = {"key": lease.key, "aspect-correctness": "7", "aspect-overall": "1"}
    address = reverse("cast_vote", args=[study.name])
    refused = client.post(address, sent, follow=True)
    assert "That was not a valid answer." in refused.text

    client.post(address, sent | {"aspect-correctness": "4"})
    assert Answer.objects.get().content == [["correctness", 4], ["overall", 1]]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_read(name: str) -> None:
    aspects = read_aspects(PRESETS[name])
    assert all(each.limits and each.options for each in aspects)


STAFF_PAGES = (
    *("study", "study_progress", "study_quality", "study_people", "study_settings"),
    *("study_log", "study_gold", "study_api", "study_pay"),
)


def test_every_page_of_a_rating_study_opens(
    client: Client, study: Study, django_user_model: type[User]
) -> None:
    list(simulate(study, range(3), 1, {}, 0))
    client.force_login(django_user_model.objects.create_superuser("ada"))
    person = study.annotators.first()
    assert person
    pages = [reverse(name, args=[study.name]) for name in STAFF_PAGES]
    pages += [
        group.address_in(study) for group in GROUPS.values() if group.means_in(study)
    ]
    pages += [reverse("study_annotator", args=[study.name, person.pk])]
    pages += [reverse("study_file", args=[study.name, file]) for file in FILES]
    for _time in ("before results", "after them"):
        replies = {page: client.get(page) for page in pages}
        assert {
            page: reply.status_code for page, reply in replies.items()
        } == dict.fromkeys(pages, 200)
        for reply in replies.values():
            if reply.streaming:
                list(reply)
        run(study.evaluations.create().pk, FEW)
    assert study.evaluations.latest("pk").state == "done"


def test_flickr8k_is_stored_and_exported_byte_for_byte(
    flickr8k: Path, tmp_path: Path
) -> None:
    study = import_dataset(load(flickr8k), "flickr", flickr8k).studies.get()
    write(study_frames(study), tmp_path / "out", study.dataset.folder)

    assert study.questions.count() == 5_822
    for file in ("ratings.csv", "references.csv"):
        assert (tmp_path / "out" / file).read_bytes() == (flickr8k / file).read_bytes()


@pytest.mark.hypothesis  # the long form, with all images, is a part of `make explore`
@pytest.mark.skipif(connection.vendor != "sqlite", reason="the code is the same")
def test_ratings_of_flickr8k_given_on_the_site_have_the_figures_of_its_files(
    flickr8k: Path, tmp_path: Path
) -> None:
    whole = load(flickr8k)
    images = whole.ratings["image"].unique()[: settings().max_examples]
    ratings, references = (
        table[table["image"].isin(images)]
        for table in (whole.ratings, whole.references)
    )
    captions = ratings[["image", "caption"]].drop_duplicates().assign(source="x")
    folder = dataset_folder(
        tmp_path / "rated",
        references=references[["image", "caption"]].to_numpy().tolist(),
        pairs=None,
        candidates=captions.to_numpy().tolist(),
    )
    plan = Study(dataset=import_dataset(load(folder), "rated", folder))
    plan.protocol, plan.steps, plan.break_every = "rating", [], 0
    plan.enforced_seconds = 0
    study = create_study(plan)
    for name, own in ratings.groupby("annotator"):
        person = new_annotator(study)
        Annotator.objects.filter(pk=person.pk).update(name=name)
        rate_as(person, own.set_index(["image", "caption"])["rating"].to_dict())

    write(study_frames(study), tmp_path / "given", study.dataset.folder)
    given = load(tmp_path / "given")
    columns = ["image", "caption", "annotator", "rating"]
    assert sorted(given.ratings[columns].to_numpy().tolist()) == sorted(
        ratings[columns].to_numpy().tolist()
    )
    source = replace(whole, ratings=ratings, references=references)
    assert published_rows(given) == published_rows(source)
    if len(ratings) == len(whole.ratings):
        assert published_rows(given) == (RATINGS, PUBLISHED)


def rate_as(person: Annotator, grades: Mapping[Any, str]) -> None:
    """Give somebody's grades, each in a message of a judging page."""
    asked = person.study.questions.values_list(
        "pk", "image__name", "candidate__caption"
    )
    questions = {key: (image, caption) for key, image, caption in asked}
    leases = synchronize(person.pk, []).leases
    while leases:
        grade = grades[questions[leases[0].question_id]]
        message = AnswerMessage(leases[0].key, {"aspect-quality": grade})
        leases = synchronize(person.pk, [message]).leases
