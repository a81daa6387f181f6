"""Deleting studies, datasets and challenges, and taking them back: on both databases."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tercet.analysis.dataset.folder import load
from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.challenges.permissions import challenges_of
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.models import Answer, Challenge, Dataset, Event, Lease, Study
from tercet.annotation.models.study import State
from tercet.annotation.operations.deletion.deleting import (
    KEPT,
    delete_challenge,
    delete_dataset,
    delete_study,
    hasten_purge,
    take_back,
)
from tercet.annotation.permissions import studies_of
from tercet.annotation.results.downloads import dataset_zip, study_zip
from tercet.annotation.results.tasks import other_study, request_evaluation
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.forecast import pace_under
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.tokens import create_token, find_token
from tests.annotation.full import full_folder
from tests.annotation.operations.deletion.filled import fill, let_a_day_pass, rows
from tests.annotation.questions import answer_all
from tests.support.folders import contents

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def closed(study: Study, administrator: User) -> Study:
    fill(study, administrator)
    return study


@pytest.fixture
def challenge(dataset: Dataset, administrator: User) -> Challenge:
    plan = Challenge(title="Captions", dataset=dataset, metrics=["BLEU-4"], counts=[1])
    return create_challenge(plan, administrator)


def exported(study: Study) -> bytes:
    return b"".join(study_zip(study, AT, names=True))


def test_a_deleted_study_is_gone_at_once_and_keeps_everything(
    closed: Study, administrator: User
) -> None:
    before = rows()
    delete_study(closed, administrator)

    assert rows() == before | {"Event": before["Event"] + 1}
    assert not Study.objects.exists()
    assert not closed.dataset.studies.exists()
    assert not studies_of(administrator).exists()

    event = Event.objects.latest("pk")
    assert (event.study, event.what, event.by) == (None, "deleted study", administrator)
    assert event.details == {
        "name": "small-triplet",
        "title": "Small study",
        "votes": 12,
        "annotators": 2,
    }


def test_a_study_that_is_taken_back_is_as_it_was(
    closed: Study, administrator: User
) -> None:
    before = exported(closed)
    delete_study(closed, administrator)
    take_back(closed, administrator)

    assert exported(Study.objects.get()) == before
    event = Event.objects.latest("pk")
    assert (event.what, event.by) == ("took back", administrator)
    assert event.details == {"study": "small-triplet", "title": "Small study"}


def test_a_dataset_that_is_taken_back_has_its_pictures_and_studies(
    tmp_path: Path, administrator: User
) -> None:
    folder = full_folder(tmp_path / "full")
    dataset = import_dataset(load(folder), "full", folder)
    Study.objects.update(state=State.CLOSED)
    study = dataset.studies.get()
    before = exported(study)
    pictures = contents(dataset.folder)
    assert pictures

    delete_study(study, administrator)
    delete_dataset(dataset, administrator)
    assert not dataset.folder.exists()

    with pytest.raises(NotPossible, match="Its dataset is deleted"):
        take_back(study, administrator)
    take_back(dataset, administrator)
    take_back(study, administrator)

    assert contents(Dataset.objects.get().folder) == pictures
    assert exported(Study.objects.get()) == before


def test_the_name_of_a_deleted_dataset_is_free_at_once(
    tmp_path: Path, administrator: User
) -> None:
    folder = full_folder(tmp_path / "full")
    first = import_dataset(load(folder), "full", folder)
    Study.objects.update(state=State.CLOSED)
    delete_study(first.studies.get(), administrator)
    before = b"".join(dataset_zip(first))
    delete_dataset(first, administrator)

    second = import_dataset(load(folder), "full", folder)
    back = take_back(first, administrator)

    assert (back.name, second.name) == ("full-2", "full")
    assert contents(Dataset.objects.get(name="full-2").folder)
    assert contents(second.folder)

    first.refresh_from_db()
    first.name = "full"
    assert b"".join(dataset_zip(first)) == before


def test_a_study_keeps_its_name_while_it_can_be_taken_back(
    closed: Study, administrator: User
) -> None:
    delete_study(closed, administrator)
    other = create_study(Study(dataset=closed.dataset, title="Another", steps=[]))

    assert other.name == "small-triplet-2"
    assert take_back(closed, administrator).name == "small-triplet"


def test_after_a_day_nothing_is_taken_back(closed: Study, administrator: User) -> None:
    delete_study(closed, administrator)
    left = Study.everything.get().purge_at
    assert left is not None
    assert abs(left - timezone.now() - KEPT) < timedelta(minutes=5)

    let_a_day_pass()
    with pytest.raises(NotPossible, match="can no longer be taken back"):
        take_back(closed, administrator)


def test_what_is_purged_at_once_is_not_taken_back(
    closed: Study, administrator: User
) -> None:
    delete_study(closed, administrator)
    hasten_purge(closed, administrator)

    with pytest.raises(NotPossible, match="can no longer be taken back"):
        take_back(closed, administrator)
    with pytest.raises(NotPossible, match="can no longer be taken back"):
        hasten_purge(closed, administrator)
    assert Event.objects.latest("pk").what == "hastened purge"


def test_what_is_there_is_neither_taken_back_nor_purged(
    closed: Study, administrator: User
) -> None:
    for change in (take_back, hasten_purge):
        with pytest.raises(NotPossible, match="It is not deleted"):
            change(closed, administrator)

    assert Study.objects.get().purge_at is None


def test_a_vote_on_a_question_that_was_given_out_is_stored_and_comes_back(
    closed: Study, administrator: User
) -> None:
    lease = Lease.objects.filter(annotator__label="Kim").earliest("pk")
    delete_study(closed, administrator)

    vote(lease.key, "left")
    take_back(closed, administrator)
    assert Answer.objects.count() == 13
    assert closed.questions.progress()["votes"] == 13


def test_nobody_counts_or_reads_a_deleted_study(
    study: Study, administrator: User
) -> None:
    for _ in range(10):
        answer_all(new_annotator(study))
    other = Study.objects.create(
        dataset=study.dataset, name="other", protocol="pairwise"
    )
    token = create_token(study, administrator)
    Study.objects.update(state=State.PAUSED)
    assert other_study(other) == study
    assert find_token(study.name, token)

    delete_study(study, administrator)

    assert other_study(other) is None
    assert find_token(study.name, token) is None
    assert pace_under("triplet").source == "guess"


def test_an_open_study_is_not_deleted(study: Study) -> None:
    with pytest.raises(NotPossible, match="Pause or close"):
        delete_study(study, None)
    assert Study.objects.exists()


def test_a_study_is_not_deleted_while_its_results_are_computed(closed: Study) -> None:
    request_evaluation(closed)
    with pytest.raises(NotPossible, match="results are being computed"):
        delete_study(closed, None)
    assert Study.objects.exists()


def test_a_deleted_study_frees_its_dataset(closed: Study, administrator: User) -> None:
    with pytest.raises(NotPossible, match="because a study or a challenge uses it"):
        delete_dataset(closed.dataset, administrator)
    assert Dataset.objects.exists()

    delete_study(closed, administrator)
    delete_dataset(closed.dataset, administrator)
    assert not Dataset.objects.exists()

    event = Event.objects.latest("pk")
    assert (event.what, event.details) == (
        "deleted dataset",
        {"name": "small", "title": "small"},
    )


def test_a_dataset_of_a_challenge_is_not_deleted(
    challenge: Challenge, administrator: User
) -> None:
    with pytest.raises(NotPossible, match="because a study or a challenge uses it"):
        delete_dataset(challenge.dataset, administrator)

    delete_challenge(challenge, administrator)
    delete_dataset(challenge.dataset, administrator)
    with pytest.raises(NotPossible, match="Its dataset is deleted"):
        take_back(challenge, administrator)


def test_a_challenge_is_hidden_and_taken_back(
    challenge: Challenge, administrator: User
) -> None:
    delete_challenge(challenge, administrator)
    assert not challenges_of(administrator).exists()
    assert not challenge.dataset.challenges.exists()

    take_back(challenge, administrator)
    assert challenges_of(administrator).get() == challenge


def test_hidden_references_that_a_study_shows_by_now_stay_deleted(
    challenge: Challenge, administrator: User
) -> None:
    delete_challenge(challenge, administrator)
    create_study(Study(dataset=challenge.dataset, title="Shows them", steps=[]))

    with pytest.raises(NotPossible, match="has studies, which show its references"):
        take_back(challenge, administrator)


def test_a_study_of_what_are_hidden_references_by_now_stays_deleted(
    closed: Study, administrator: User
) -> None:
    delete_study(closed, administrator)
    plan = Challenge(
        title="Captions", dataset=closed.dataset, metrics=["BLEU-4"], counts=[1]
    )
    create_challenge(plan, administrator)

    with pytest.raises(NotPossible, match="has the hidden references of a challenge"):
        take_back(closed, administrator)
