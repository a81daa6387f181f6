"""Erasing who a person was: nothing in the database, its files or an export names them."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.exchange.downloads import study_zip
from annotation.judging.annotators import new_annotator, personal_links
from annotation.judging.flow import record_answers
from annotation.judging.leases import top_up_leases
from annotation.judging.remarks import comment
from annotation.judging.votes import NoSuchLease, vote
from annotation.models import Annotator, Evaluation, Study
from annotation.models.computation import State
from annotation.models.questionnaire import Time
from annotation.models.study import Rank
from annotation.permissions import cookie_name
from annotation.studies.audit import log
from annotation.studies.erasure import erase_annotator
from annotation.studies.exclusion import exclude_annotator, exclude_vote
from annotation.studies.lifecycle import NotPossible
from tests.annotation.questions import answer_all, claimed, counters, recounted

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

LABEL, PLATFORM_ID, SESSION = "Kim Unmistakable", "5f3a77c0ffee", "session-of-kim"
HOME = "Kims-village"


@pytest.fixture
def person(study: Study) -> Annotator:
    """Somebody who is named wherever a person can be, and has voted."""
    (kim,) = personal_links(study, [LABEL])
    kim.external_id, kim.resume_code, kim.code = PLATFORM_ID, "KIMS-CODE", "KIMS-DONE"
    kim.external = {"STUDY_ID": "s1", "SESSION_ID": SESSION}
    kim.save()
    log(study, None, "made links", links=[LABEL])
    first = vote(claimed(kim).key, "left")
    second = vote(claimed(kim).key, "right")
    exclude_vote(first, None, f"asked {LABEL} why")
    assert second.status == "valid"
    top_up_leases(kim, 3)
    record_answers(kim, Time.BEFORE, {"home": HOME})
    comment(kim, f"{HOME} is nice.")
    report = Evaluation.objects.create(
        study=study, state=State.DONE, progress=1, finished_at=timezone.now()
    )
    report.folder.mkdir(parents=True)
    (report.folder / "annotators.csv").write_text(f"annotator\n{kim.name}\n")
    return kim


def traces(person: Annotator, study: Study) -> set[str]:
    """What of a person can still be found in the rows, the files, or a new export."""
    secrets = {LABEL, PLATFORM_ID, SESSION, HOME, person.name, person.token}
    secrets |= {"KIMS-CODE", "KIMS-DONE"}
    found = "\n".join(
        str(row) for model in apps.get_models() for row in model._default_manager.values_list()
    ).encode()
    export = b"".join(study_zip(study, timezone.now(), names=True))
    with ZipFile(BytesIO(export)) as archive:
        found += b"".join(archive.read(name) for name in archive.namelist())
    files = [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]
    if connection.vendor == "sqlite":
        database = Path(connection.settings_dict["NAME"])
        files += database.parent.glob(f"{database.name}*")
    found += b"".join(path.read_bytes() for path in files)
    return {secret for secret in secrets if secret.encode() in found}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("withdraw", [False, True])
def test_nothing_of_an_erased_person_is_left_anywhere(
    study: Study, person: Annotator, withdraw: bool
) -> None:
    assert {LABEL, HOME} <= traces(person, study)
    erase_annotator(person, None, withdraw=withdraw)
    assert traces(person, study) == set()


def test_votes_are_kept_under_a_new_pseudonym(study: Study, person: Annotator) -> None:
    cast = list(person.votes.order_by("pk").values_list("pk", "choice", "status"))
    successor = erase_annotator(person, None, withdraw=False)
    assert list(successor.votes.order_by("pk").values_list("pk", "choice", "status")) == cast
    assert counters(study) == recounted(study)
    assert not study.triplets.filter(leases__gt=0).exists()
    assert study.events.filter(what="made links").get().details == {"links": [successor.name]}
    reason = successor.votes.earliest("pk").status_reason
    assert reason == f"asked {successor.name} why"


def test_withdrawn_votes_no_longer_count(study: Study, person: Annotator) -> None:
    successor = erase_annotator(person, None, withdraw=True)
    assert not successor.votes.valid().exists()
    assert counters(study) == recounted(study)
    assert not study.triplets.filter(votes__gt=0).exists()
    assert answer_all(new_annotator(study)) == study.triplets.count()


def test_an_excluded_person_stays_excluded(study: Study, person: Annotator) -> None:
    exclude_annotator(person, None, f"{PLATFORM_ID} answers at random")
    successor = erase_annotator(person, None, withdraw=False)
    assert successor.excluded_at
    assert successor.excluded_reason == f"{successor.name} answers at random"


def test_devices_and_late_votes_of_an_erased_person_are_nobodys(study: Study) -> None:
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    browser.get(reverse("judge", args=[study.name]))
    person = study.annotators.get()
    lease = claimed(person)
    cast = vote(lease.key, "left")
    held = claimed(person)
    erase_annotator(person, None, withdraw=False)
    assert cookie_name(study.name) in browser.cookies
    assert browser.get(reverse("judge", args=[study.name])).status_code == 302
    for key in (cast.key, held.key):
        assert key
        with pytest.raises(NoSuchLease):
            vote(key, "left")


def test_an_account_that_only_judged_loses_its_role(study: Study, person: Annotator) -> None:
    account = User.objects.create_user("kim")
    person.user = account
    person.save()
    study.roles.create(user=account, rank=Rank.ANNOTATOR)
    log(study, None, "gave role", user="kim", now=Rank.ANNOTATOR)
    successor = erase_annotator(person, None, withdraw=False)
    assert not study.roles.exists()
    assert study.events.get(what="gave role").details["user"] == successor.name


def test_nobody_is_erased_while_an_evaluation_reads_their_name(
    study: Study, person: Annotator
) -> None:
    study.evaluations.create()
    with pytest.raises(NotPossible, match="results are being computed"):
        erase_annotator(person, None, withdraw=False)
    assert study.annotators.get() == person


@pytest.fixture
def owner(study: Study) -> Client:
    user = User.objects.create_user("olive")
    study.roles.create(user=user, rank=Rank.OWNER)
    browser = Client()
    browser.force_login(user)
    return browser


def test_an_owner_erases_a_person_on_their_page(
    owner: Client, study: Study, person: Annotator
) -> None:
    shown = owner.get(reverse("study_annotator", args=[study.name, person.pk]))
    assert "Erase this person" in shown.getvalue().decode()
    address = reverse("annotator_erase", args=[study.name, person.pk])
    owner.post(address, {"votes": "withdraw"})
    assert study.annotators.get() == person
    done = owner.post(address, {"votes": "withdraw", "confirmed": "on"}, follow=True)
    successor = study.annotators.get()
    assert f"their votes belong to {successor.name}" in done.getvalue().decode()
    assert successor.excluded_at


@pytest.mark.parametrize("called", [LABEL, PLATFORM_ID])
def test_the_command_finds_a_person_by_each_name(
    study: Study, person: Annotator, called: str
) -> None:
    call_command("erase_annotator", study.name, called)
    successor = study.annotators.get()
    assert successor != person
    assert successor.votes.count() == 2


def test_the_command_erases_exactly_one_person(study: Study, person: Annotator) -> None:
    with pytest.raises(CommandError, match="0 annotators of small-triplet are called nobody"):
        call_command("erase_annotator", study.name, "nobody")
