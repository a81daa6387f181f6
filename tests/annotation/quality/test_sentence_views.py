"""The results of a sentence study, the review of its sentences, and the dataset made of them."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.analysis.dataset.folder import load, write
from tercet.annotation.datasets.exporting import dataset_frames, study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.datasets.pair_generation import add_pairs
from tercet.annotation.datasets.sentence_references import use_as_references
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Answer, Candidate, Dataset, Reference, Study
from tercet.annotation.models.answer import Status
from tercet.annotation.models.study import LinkUsers, Rank
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import NotPossible
from tests.support.browsers import logged_in
from tests.support.folders import contents, write_csv

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

TEXTS = {
    "dog": [
        "A brown dog is running over the green grass.",
        "A dog with a ball runs on the grass.",
        "The brown dog runs after a red ball on the grass.",
        "My house",
    ],
    "cat": [
        "A grey cat is asleep on the roof of a house.",
        "On the roof of the house a cat is sleeping.",
        "A cat sleeps on a roof.",
        "There was a grey cat on the roof.",
    ],
}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Two images with four sentences each, by four people."""
    folder = tmp_path / "images"
    folder.mkdir()
    rows = [(name, f"https://example.org/{name}.png", "alt") for name in TEXTS]
    write_csv(folder / "images.csv", ("image", "url", "alt"), rows)
    dataset = import_dataset(load(folder), "images", folder)
    study = create_study(
        Study(
            dataset=dataset,
            protocol="sentence",
            votes=4,
            steps=[],
            state="open",
            link_users=LinkUsers.PLACE,
            enforced_seconds=0,
        )
    )
    for number in range(4):
        person = new_annotator(study)
        while lease := claim(person):
            text = TEXTS[lease.question.image.name][number]
            record(AnswerMessage(lease.key, {"text": text}))
    return study


@pytest.fixture
def owner(study: Study, client: Client) -> User:
    user = User.objects.create_user("owner", is_staff=True)
    study.roles.create(user=user, rank=Rank.OWNER)
    client.force_login(user)
    return user


def address(view: str, study: Study) -> str:
    return reverse(view, args=[study.name])


def test_results_say_what_is_collected_and_what_one_more_changes(
    client: Client, study: Study, owner: User
) -> None:
    page = client.get(study.get_absolute_url())
    assert page.status_code == 200
    assert "8 of 8 sentences" in page.text
    assert "2 of 2 images complete" in page.text
    assert "8 sentences to review" in page.text
    assert "What one more sentence changes" in page.text
    assert "past or future" in page.text
    assert [row["sentences"] for row in page.context["gain"]] == [2, 3, 4]


def test_results_without_a_sentence(client: Client, study: Study, owner: User) -> None:
    Answer.objects.all().delete()
    study.questions.update(answers=0)
    page = client.get(study.get_absolute_url())
    assert "0 of 8 sentences" in page.text
    assert "Use as references" not in page.text
    assert (
        "There are no sentences"
        in client.get(address("study_sentences", study) + "?show=all").text
    )


def test_the_review_begins_with_what_agrees_least(
    client: Client, study: Study, owner: User
) -> None:
    page = client.get(address("study_sentences", study))
    listed = [answer.content["text"] for answer, _score, _rules in page.context["rows"]]
    scores = [score for _answer, score, _rules in page.context["rows"]]

    assert listed[0] == "My house"
    assert scores == sorted(scores)
    assert len(listed) == 8
    assert "quotation marks, “I”, “we” or “you”" in page.text


def test_accepting_records_who_and_when(
    client: Client, study: Study, owner: User
) -> None:
    chosen = Answer.objects.order_by("pk")[:3]
    for _again in range(2):
        client.post(
            address("sentences_accept", study), {"chosen": [row.pk for row in chosen]}
        )

    accepted = Answer.objects.exclude(status_at=None)
    assert {row.status_by for row in accepted} == {owner}
    assert {row.status for row in accepted} == {Status.VALID}
    assert accepted.count() == 3
    page = client.get(address("study_sentences", study))
    assert page.context["page"].paginator.count == 5
    assert [event.details["sentences"] for event in study.events.all()[:2]] == [0, 3]


def test_excluding_reopens_the_place(client: Client, study: Study, owner: User) -> None:
    bad = Answer.objects.get(content__text="My house")
    values = {"chosen": bad.pk, "reason": "not about the picture"}
    client.post(address("vote_exclude", study), values)

    bad.refresh_from_db()
    assert (bad.status, bad.status_by) == (Status.EXCLUDED, owner)
    assert bad.status_reason == "not about the picture"
    lease = claim(new_annotator(study))
    assert lease
    assert lease.question == bad.question


def test_others_cannot_review(client: Client, study: Study) -> None:
    client.force_login(User.objects.create_user("other"))
    for view in ("study_sentences", "sentences_accept", "sentences_use"):
        answer = client.post(address(view, study))
        assert answer.status_code in (403, 404, 405), view

    assert not Answer.objects.exclude(status_at=None).exists()


def test_only_staff_makes_a_dataset(client: Client, study: Study, owner: User) -> None:
    owner.is_staff = False
    owner.save()
    values = {"unreviewed": "on", "candidates": 2, "seed": 0}
    assert client.post(address("sentences_use", study), values).status_code == 403
    assert "Use as references" not in client.get(study.get_absolute_url()).text


def test_accepted_sentences_become_the_references_of_a_new_dataset(
    client: Client, study: Study, owner: User
) -> None:
    Answer.objects.exclude(content__text="My house").update(status_at=timezone.now())
    values = {"candidates": 2, "seed": 0}
    answer = client.post(address("sentences_use", study), values)
    dataset = Dataset.objects.latest("pk")
    assert answer["Location"] == dataset.get_absolute_url()

    references = Reference.objects.filter(image__dataset=dataset)
    candidates = Candidate.objects.filter(image__dataset=dataset, listed=True)
    texts = {*references.values_list("caption", flat=True)}
    texts |= {*candidates.values_list("caption", flat=True)}
    assert texts == {*TEXTS["dog"], *TEXTS["cat"]} - {"My house"}
    assert (references.count(), candidates.count()) == (3, 4)
    assert {*candidates.values_list("source", flat=True)} == {"human"}
    names = {*study.annotators.values_list("name", flat=True)}
    assert {*references.values_list("author", flat=True)} <= names

    add_pairs(dataset, {"HC": 2}, seed=0)
    triplets = create_study(Study(dataset=dataset))
    assert triplets.questions.count() == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"candidates": 2, "seed": 0}, "There are no accepted sentences yet."),
        ({"candidates": -1, "seed": 0}, "greater than or equal to 0"),
        ({"candidates": "x", "seed": 0}, "whole number"),
    ],
)
def test_what_cannot_become_references_is_said(
    client: Client, study: Study, owner: User, wrong: dict[str, object], message: str
) -> None:
    answer = client.post(address("sentences_use", study), wrong, follow=True)
    assert message in answer.text
    assert Dataset.objects.count() == 1


def test_each_image_keeps_a_reference(study: Study) -> None:
    dataset = use_as_references(study, None, unreviewed=True, candidates=10)
    kept = Reference.objects.filter(image__dataset=dataset).values_list("image__name")
    assert sorted(kept) == [("cat",), ("dog",)]


def test_equal_sentences_are_one_candidate(study: Study) -> None:
    for answer in Answer.objects.filter(question__image__name="dog"):
        Answer.objects.filter(pk=answer.pk).update(
            content={"text": "a dog", "rules": ""}
        )
    dataset = use_as_references(study, None, unreviewed=True, candidates=2)
    dog = dataset.images.get(name="dog")
    assert dog.candidates.count() == 1
    assert dog.references.count() == 3


def test_the_seed_draws_the_candidates(study: Study) -> None:
    drawn = set()
    for seed in range(6):
        dataset = use_as_references(
            study, None, unreviewed=True, candidates=1, seed=seed
        )
        rows = Candidate.objects.filter(image__dataset=dataset)
        drawn.add(tuple(rows.order_by("caption").values_list("caption", flat=True)))
    assert len(drawn) > 1


def test_no_sentences_make_no_dataset(study: Study) -> None:
    with pytest.raises(NotPossible):
        use_as_references(study, None)


def test_the_dataset_is_ranked_at_once(study: Study, tmp_path: Path) -> None:
    from tercet.analysis.__main__ import main

    dataset = use_as_references(study, None, unreviewed=True)
    folder = tmp_path / "made"
    write(dataset_frames(dataset), folder, dataset.folder)
    report = tmp_path / "report"
    assert main([str(folder), "--only", "ranking", "--out", str(report)]) in (0, None)
    assert any("ranking" in name for name in contents(report))


def test_acceptance_is_exported_and_imported(
    client: Client, study: Study, owner: User, tmp_path: Path
) -> None:
    chosen = Answer.objects.order_by("pk")[:3]
    client.post(
        address("sentences_accept", study), {"chosen": [row.pk for row in chosen]}
    )
    first = tmp_path / "first"
    write(study_frames(study), first, study.dataset.folder)
    again = import_dataset(load(first), "again", first).studies.get()
    second = tmp_path / "second"
    write(study_frames(again), second, again.dataset.folder)

    assert contents(first) == contents(second)
    accepted = Answer.objects.filter(question__study=again).exclude(status_at=None)
    assert accepted.count() == 3


@pytest.mark.parametrize(
    "view",
    [
        "study_progress",
        "study_quality",
        "study_people",
        "study_pay",
        "study_settings",
        "study_log",
    ],
)
def test_other_pages_of_the_study_open(
    client: Client, study: Study, owner: User, view: str
) -> None:
    assert client.get(address(view, study)).status_code == 200


@pytest.mark.parametrize("group", ["sentences", "checks", "question", "texts", "pace"])
def test_settings_of_the_study_open(
    client: Client, study: Study, owner: User, group: str
) -> None:
    page = client.get(reverse("study_setting_group", args=[study.name, group]))
    assert page.status_code == 200


def test_rules_are_changed_and_logged(
    client: Client, study: Study, owner: User
) -> None:
    page = reverse("study_setting_group", args=[study.name, "sentences"])
    seen = client.get(page).context["form"].initial["seen"]
    values = {
        "min_words": 5,
        "sentence_rules": ["short", "name"],
        "rule_action": "block",
        "seen": seen,
    }
    assert client.post(page, values).status_code == 302
    study.refresh_from_db()
    assert study.sentence_rules == ["short", "name"]
    assert (study.min_words, study.rule_action) == (5, "block")
    log = client.get(address("study_log", study))
    assert log.status_code == 200
    assert "fewest words of a sentence" in log.text.lower()


def test_people_and_their_sentences_are_shown(
    client: Client, study: Study, owner: User
) -> None:
    person = study.annotators.earliest("pk")
    page = client.get(reverse("study_annotator", args=[study.name, person.pk]))
    assert TEXTS["dog"][0] in page.text


def test_a_researcher_reviews(study: Study) -> None:
    user = User.objects.create_user("researcher")
    study.roles.create(user=user, rank=Rank.RESEARCHER)
    visitor = logged_in(user)
    page = visitor.get(address("study_sentences", study))
    assert page.status_code == 200
    assert "Use as references" not in visitor.get(study.get_absolute_url()).text


def test_no_results_are_computed_of_sentences(
    client: Client, study: Study, owner: User
) -> None:
    client.post(address("study_state", study), {"state": "closed"})
    study.refresh_from_db()
    assert study.state == "closed"
    assert not study.evaluations.exists()


def test_rules_are_a_list_of_switches_and_sentences_have_no_gold(
    study: Study, owner: User, client: Client
) -> None:
    address = reverse("study_setting_group", args=[study.name, "sentences"])
    page = client.get(address).text
    legend = page.index("<legend>Rules for sentences</legend>")
    rules = page[legend : page.index("</fieldset>", legend)]
    assert rules.count('name="sentence_rules"') == rules.count('<label class="check">')

    gold = client.get(reverse("study_gold", args=[study.name]))
    assert gold.status_code == 404
