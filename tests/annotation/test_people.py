import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.models import Annotator, Study
from annotation.people import annotator_of, new_annotator
from annotation.triplets import create_study

pytestmark = pytest.mark.django_db


def test_an_account_is_the_same_annotator_every_time(study: Study, person: User) -> None:
    assert annotator_of(study, person) == annotator_of(study, person)
    assert Annotator.objects.count() == 1


def test_an_account_is_another_annotator_in_another_study(study: Study, person: User) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other"))
    assert annotator_of(study, person) != annotator_of(other, person)


def test_two_accounts_are_two_annotators(study: Study, person: User, administrator: User) -> None:
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
