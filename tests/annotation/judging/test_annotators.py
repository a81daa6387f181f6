import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from tercet.annotation.judging.annotators import (
    PersonTaken,
    annotator_of,
    is_resume_code,
    new_annotator,
    new_crowd_annotator,
    personal_links,
)
from tercet.annotation.judging.annotators import test_annotator as new_test_annotator
from tercet.annotation.models import Annotator, Study
from tercet.annotation.studies.creation import create_study

pytestmark = pytest.mark.django_db


def test_an_account_is_the_same_annotator_every_time(
    study: Study, person: User
) -> None:
    assert annotator_of(study, person) == annotator_of(study, person)
    assert Annotator.objects.count() == 1


def test_an_account_is_another_annotator_in_another_study(
    study: Study, person: User
) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other"))
    assert annotator_of(study, person) != annotator_of(other, person)


def test_two_accounts_are_two_annotators(
    study: Study, person: User, administrator: User
) -> None:
    assert annotator_of(study, person) != annotator_of(study, administrator)


def test_an_annotators_name_does_not_tell_the_account(study: Study) -> None:
    user = User.objects.create_user("recognisable", email="recognisable@example.org")
    assert "recognisable" not in annotator_of(study, user).name


def test_everybody_who_joins_is_somebody_new(study: Study) -> None:
    people = [new_annotator(study) for _ in range(20)]
    assert len({person.name for person in people}) == 20
    assert {person.user for person in people} == {None}


def test_an_annotator_outlives_the_account(study: Study, person: User) -> None:
    annotator = annotator_of(study, person)
    person.delete()
    annotator.refresh_from_db()

    assert annotator.user is None


def test_the_database_refuses_an_account_twice(study: Study, person: User) -> None:
    annotator_of(study, person)
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotator.objects.create(study=study, user=person, name="another")


def test_whom_a_platform_names_is_created_once(study: Study) -> None:
    first = new_crowd_annotator(study, "5f3a", {"SESSION_ID": "one"})
    with pytest.raises(PersonTaken):
        new_crowd_annotator(study, "5f3a", {"SESSION_ID": "two"})
    assert Annotator.objects.get().external == {"SESSION_ID": "one"}

    assert new_crowd_annotator(study, "5f3b", {}) != first
    assert "5f3a" not in first.name
    assert is_resume_code(first, first.resume_code)


def test_whom_a_crowd_names_is_another_annotator_in_another_study(study: Study) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other"))
    assert new_crowd_annotator(study, "5f3a", {}) != new_crowd_annotator(
        other, "5f3a", {}
    )


def test_a_personal_link_is_made_once_for_each_label(study: Study) -> None:
    ann, bob = personal_links(study, ["Ann", "Bob"])
    assert personal_links(study, ["Bob", "Ann"]) == [bob, ann]
    assert len({ann.token, bob.token}) == 2

    assert min(len(ann.token), len(bob.token)) >= 24
    assert "Ann" not in ann.name


def test_many_annotators_may_have_no_label_token_or_crowds_name(study: Study) -> None:
    people = [new_annotator(study) for _ in range(3)]
    assert {(one.label, one.token, one.external_id) for one in people} == {("", "", "")}


@pytest.mark.parametrize("field", ["label", "token", "external_id"])
def test_the_database_refuses_an_identity_twice(study: Study, field: str) -> None:
    Annotator.objects.create(study=study, name="one", **{field: "same"})
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotator.objects.create(study=study, name="two", **{field: "same"})


def test_who_tries_a_study_out_is_somebody_new_and_not_one_whose_votes_count(
    study: Study,
) -> None:
    tester = new_test_annotator(study)
    assert tester.is_test
    assert tester != new_test_annotator(study)
    assert not Annotator.objects.real().exists()
