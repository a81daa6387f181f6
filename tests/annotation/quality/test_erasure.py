"""Erasing who a person was: nothing in the database, its files or an export names them."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.judging.answers import NoSuchLease, vote
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import Annotator, Evaluation, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.study import Rank, Time
from tercet.annotation.participation.flow import record_answers
from tercet.annotation.participation.remarks import comment
from tercet.annotation.permissions import cookie_name
from tercet.annotation.quality.adjudication import adjudicate
from tercet.annotation.quality.erasure import erase_annotator
from tercet.annotation.quality.exclusion import exclude_annotator, exclude_vote
from tercet.annotation.quality.scrubbing import scrub_study
from tercet.annotation.results.downloads import (
    answers_csv,
    dataset_zip,
    study_folder_zip,
    study_zip,
)
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible
from tests.annotation.questions import answer_all, claimed, counters, recounted

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

LABEL, PLATFORM_ID, SESSION = "Kim Unmistakable", "5f3a77c0ffee", "session-of-kim"
HOME = "Kims-village"
CODES = ("KIMS-CODE", "KIMS-DONE")


@pytest.fixture
def person(study: Study) -> Annotator:
    """Somebody who is named wherever a person can be, and has voted."""
    (kim,) = personal_links(study, [LABEL])
    kim.external_id, (kim.resume_code, kim.code) = PLATFORM_ID, CODES
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
        study=study, state=JobState.DONE, progress=1, finished_at=timezone.now()
    )
    report.folder.mkdir(parents=True)
    (report.folder / "annotators.csv").write_text(f"annotator\n{kim.name}\n")

    return kim


@pytest.fixture
def named_by_others(study: Study, person: Annotator, administrator: User) -> Annotator:
    """Somebody else, in all of whose texts, and in those of researchers, the person is named."""
    called = f"{LABEL.upper()}, {PLATFORM_ID}, SESSION_{SESSION}, {person.name}: {person.token}"
    called += ", ".join(CODES)
    friend = new_annotator(study)
    cast = vote(claimed(friend).key, "left")
    exclude_vote(cast, administrator, f"copied from {called}")
    record_answers(friend, Time.AFTER, {"friends": called})
    comment(friend, f"I know {called}")
    exclude_annotator(friend, administrator, f"sits beside {called}")
    pair = study.dataset.pairs.earliest("pk")
    adjudicate(study, pair, Choice.B, f"as {called} saw", administrator)
    study.instructions = f"Do not disturb {called}."
    study.save()
    log(study, administrator, "changed settings", instructions=["", study.instructions])
    study.dataset.description = f"With thanks to {called}."
    study.dataset.save()
    study.dataset.folder.mkdir(parents=True)
    study.dataset.left_out_file.write_text(f"votes.csv,3,annotator,{PLATFORM_ID}\n")

    return friend


def everything_stored() -> bytes:
    """All that the database and the files of the site hold, after it was compacted."""
    files = [
        path for path in Path(settings.MEDIA_ROOT).parent.rglob("*") if path.is_file()
    ]

    if connection.vendor == "sqlite":
        database = Path(connection.settings_dict["NAME"])
        files += database.parent.glob(f"{database.name}*")
        return b"".join(path.read_bytes() for path in files)

    rows = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT stored::text FROM "{table}" AS stored')
            rows += [text for (text,) in cursor.fetchall()]

    return "\n".join(rows).encode() + b"".join(path.read_bytes() for path in files)


def everything_exported(study: Study) -> bytes:
    """All that can be downloaded of a study and its dataset, with names and without."""
    now = timezone.now()
    zips = [
        *(study_zip(study, now, names=names) for names in (True, False)),
        study_folder_zip(study),
        dataset_zip(study.dataset),
    ]
    found = "".join(answers_csv(study)).encode()

    for chunks in zips:
        with ZipFile(BytesIO(b"".join(chunks))) as archive:
            found += b"".join(archive.read(name) for name in archive.namelist())

    return found


def traces(person: Annotator, study: Study) -> set[str]:
    """What of a person can still be found in the database, the files, or a new export."""
    secrets = {LABEL, PLATFORM_ID, SESSION, HOME, person.name, person.token, *CODES}
    found = (everything_stored() + everything_exported(study)).lower()
    return {secret for secret in secrets if secret.lower().encode() in found}


@pytest.mark.django_db(transaction=True)
def test_nothing_of_an_erased_person_is_left_anywhere(
    study: Study, person: Annotator, named_by_others: Annotator
) -> None:
    assert {LABEL, HOME} <= traces(person, study)

    erase_annotator(person, None)
    study.refresh_from_db()

    assert traces(person, study) == set()


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("Kim", "ask Kim, Kimberly and kim", "ask X, Kimberly and kim"),
        ("Kim", "kim_Kim-Kim", "kim_X-X"),
        ("5f3a77c0ffee", "id5F3A77C0FFEE9", "idX9"),
        ("金无误", "问金无误为什么", "问X为什么"),
        ("annotator-3", "Annotator-3, not annotator-31", "X, not annotator-31"),
        ("a", "a dog", "a dog"),
    ],
)
def test_names_are_replaced_and_no_other_words(
    study: Study, name: str, text: str, left: str
) -> None:
    study.annotators.create(name="annotator-31")
    person = study.annotators.create(name="person", label=name)
    other = study.annotators.create(name="other", excluded_reason=text)
    scrub_study(person, "X")

    other.refresh_from_db()
    assert other.excluded_reason == left


def test_settings_and_actions_of_a_study_are_not_taken_for_a_short_name(
    study: Study,
) -> None:
    study.label_left, study.steps = "Left", ["consent"]
    study.save()
    log(study, None, "gave role", user="kim", now="owner")
    scrub_study(study.annotators.create(name="person", label="Left"), "X")
    scrub_study(study.annotators.create(name="another", label="owner"), "X")

    study.refresh_from_db()
    assert (study.label_left, study.steps) == ("Left", ["consent"])
    assert study.events.get(what="gave role").details["now"] == "owner"


def test_who_cannot_be_remembered_is_not_erased(
    study: Study, person: Annotator, tmp_path: Path
) -> None:
    settings.ERASURES.mkdir(parents=True)
    with pytest.raises(
        NotPossible, match=r"list of erasures cannot be written .*directory"
    ):
        erase_annotator(person, None)
    assert study.annotators.get() == person


def test_votes_are_kept_under_a_new_pseudonym(study: Study, person: Annotator) -> None:
    cast = list(person.answers.order_by("pk").values_list("pk", "choice", "status"))
    successor = erase_annotator(person, None)

    assert (
        list(successor.answers.order_by("pk").values_list("pk", "choice", "status"))
        == cast
    )
    assert counters(study) == recounted(study)
    assert not study.questions.filter(leases__gt=0).exists()
    assert study.events.filter(what="made links").get().details == {
        "links": [successor.name]
    }

    reason = successor.answers.earliest("pk").status_reason
    assert reason == f"asked {successor.name} why"


def test_votes_of_an_excluded_person_do_not_count(
    study: Study, person: Annotator
) -> None:
    exclude_annotator(person, None, "asked to be left out")
    successor = erase_annotator(person, None)
    assert not successor.answers.valid().exists()
    assert counters(study) == recounted(study)

    assert not study.questions.filter(answers__gt=0).exists()
    assert answer_all(new_annotator(study)) == study.questions.count()


def test_an_excluded_person_stays_excluded(study: Study, person: Annotator) -> None:
    exclude_annotator(person, None, f"{PLATFORM_ID} answers at random")
    successor = erase_annotator(person, None)

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

    erase_annotator(person, None)
    assert cookie_name(study.name) in browser.cookies
    assert browser.get(reverse("judge", args=[study.name])).status_code == 302

    for key in (cast.key, held.key):
        assert key
        with pytest.raises(NoSuchLease):
            vote(key, "left")


def test_an_account_that_only_judged_loses_its_role(
    study: Study, person: Annotator
) -> None:
    account = User.objects.create_user("kim")
    person.user = account
    person.save()
    study.roles.create(user=account, rank=Rank.ANNOTATOR)
    log(study, None, "gave role", user="kim", now=Rank.ANNOTATOR)

    successor = erase_annotator(person, None)
    assert not study.roles.exists()
    assert study.events.get(what="gave role").details["user"] == successor.name


def test_nobody_is_erased_while_an_evaluation_reads_their_name(
    study: Study, person: Annotator
) -> None:
    study.evaluations.create()
    with pytest.raises(NotPossible, match="results are being computed"):
        erase_annotator(person, None)
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
    owner.post(address)

    assert study.annotators.get() == person

    done = owner.post(address, {"confirmed": "on"}, follow=True)
    successor = study.annotators.get()

    assert f"their votes belong to {successor.name}" in done.getvalue().decode()
    assert successor.answers.valid().exists()


@pytest.mark.parametrize("called", [LABEL, PLATFORM_ID])
def test_the_command_finds_a_person_by_each_name(
    study: Study, person: Annotator, called: str
) -> None:
    call_command("erase_annotator", study.name, called)
    successor = study.annotators.get()

    assert successor != person
    assert successor.answers.count() == 2


def test_the_command_erases_exactly_one_person(study: Study, person: Annotator) -> None:
    with pytest.raises(
        CommandError, match="0 annotators of small-triplet are called nobody"
    ):
        call_command("erase_annotator", study.name, "nobody")
