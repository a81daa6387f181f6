"""Whom to pay: who is approved, and what the lists hold."""

import csv
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator, new_crowd_annotator
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.participation.flow import record_consent
from tercet.annotation.quality import payment
from tercet.annotation.quality.checks import quality_content
from tercet.annotation.quality.payment import Payment, people_to_pay
from tests.annotation.judging.ballots import put

pytestmark = pytest.mark.django_db


def person(
    study: Study,
    external_id: str,
    right: int = 0,
    gold: int = 0,
    outcome: str = Outcome.DONE,
) -> Annotator:
    """Somebody who finished after 12 minutes, with `right` of `gold` checks right."""
    one = new_annotator(study)
    begin = timezone.now()
    Annotator.objects.filter(pk=one.pk).update(
        external_id=external_id,
        outcome=outcome,
        code="CODE",
        created_at=begin,
        finished_at=begin + timedelta(minutes=12),
        judged=gold,
    )
    questions = study.questions.order_by("pk")
    questions.update(gold="B")
    for number, question in enumerate(questions[:gold]):
        put(one, question, "B" if number < right else "C", purpose="gold")

    one.refresh_from_db()
    return one


def rows_of(study: Study) -> list[Payment]:
    flags = payment.flags_of(study, quality_content(study))
    return payment.payments(people_to_pay(study), flags)


def pay_file(study: Study, file: str) -> str:
    return payment.pay_file(rows_of(study), file)


def only(study: Study) -> Payment:
    (row,) = rows_of(study)
    return row


def test_the_minutes_of_who_just_left_end_with_the_last_vote(study: Study) -> None:
    left = new_annotator(study)
    put(left, study.questions.earliest("pk"), "B")
    end = timezone.now()
    left.answers.update(created_at=end)
    begin = end - timedelta(minutes=3)

    Annotator.objects.filter(pk=left.pk).update(created_at=begin, judged=1)
    assert only(study).minutes == pytest.approx(3)


@pytest.mark.parametrize("outcome", [*sorted(set(Outcome) - {Outcome.DONE}), ""])
def test_only_who_is_done_is_approved(study: Study, outcome: str) -> None:
    person(study, "p1", 4, 4, outcome)
    assert not only(study).is_approved
    assert pay_file(study, "approve.csv") == ""


def test_who_declined_is_listed_without_a_code_and_gets_nothing(study: Study) -> None:
    declined = new_crowd_annotator(study, "p1", {})
    study.steps = ["consent"]
    record_consent(declined, agrees=False)
    (row,) = csv.DictReader(StringIO(pay_file(study, "pay.csv")))

    listed = (
        row["platform_id"],
        row["outcome"],
        row["code"],
        row["approve"],
        row["bonus"],
    )

    assert listed == ("p1", "screened_out", "", "no", "0.00")


def clicker(study: Study) -> Annotator:
    """Somebody who clicked through the study in 1.4 minutes, about one second a question."""
    one = person(study, "clicker")
    begin = timezone.now()
    end = begin + timedelta(minutes=1.4)
    Annotator.objects.filter(pk=one.pk).update(
        created_at=begin, finished_at=end, judged=40
    )
    for number, question in enumerate(study.questions.order_by("pk")):
        put(one, question, "BC"[number % 2], seconds=0.9 if number % 4 == 0 else 1.0)

    return one


def test_a_random_clicker_is_to_be_looked_at_in_the_first_session(study: Study) -> None:
    study.duration = "About 8 minutes"
    study.save()
    clicker(study)
    row = only(study)

    assert row.flags == [
        "1.4 of 8 minutes",
        "fast: median 1.0 s, 25\N{NO-BREAK SPACE}% of votes under 1 s",
    ]
    assert row.needs_look
    assert pay_file(study, "approve.csv") == ""


def test_a_decision_approves_who_was_flagged(study: Study, administrator: User) -> None:
    one = clicker(study)
    assert only(study).needs_look
    assert payment.decide(study, {one.pk: "approve"}, administrator) == 1

    assert pay_file(study, "approve.csv") == "clicker\n"
    assert not only(study).needs_look
    event = study.events.get()
    assert event.details == {"annotator": one.name, "decision": "approve"}

    payment.decide(study, {one.pk: "none"}, administrator)
    assert pay_file(study, "approve.csv") == ""


def test_who_stopped_early_is_looked_at_and_not_approved_by_itself(
    study: Study, administrator: User
) -> None:
    one = person(study, "p1", 2, 2, Outcome.STOPPED)
    assert only(study).needs_look

    payment.decide(study, {one.pk: "part"}, administrator)
    assert pay_file(study, "approve.csv") == ""


def test_people_who_are_not_checked_yet_are_not_approved(study: Study) -> None:
    person(study, "p1", 4, 4)
    (row,) = payment.payments(people_to_pay(study), {}, are_complete=False)
    assert row.flags == ["not checked yet"]
    assert row.needs_look


def test_who_is_excluded_is_not_approved(study: Study) -> None:
    person(study, "p1", 4, 4)
    Annotator.objects.update(excluded_at=timezone.now())
    assert not only(study).is_approved


def test_the_lists_have_one_id_per_line(study: Study) -> None:
    person(study, "5f3a77c0ffee", 4, 4)
    person(study, "a-second_one", 1, 4)
    person(study, "", 4, 4)

    assert pay_file(study, "approve.csv") == "5f3a77c0ffee\na-second_one\n"


@pytest.mark.parametrize("wrong", ["p1\np2,100", "p1,100", "p1\r", "=1+1", "p 1", "pé"])
def test_an_id_cannot_add_a_line(study: Study, wrong: str) -> None:
    person(study, wrong, 4, 4)
    assert pay_file(study, "approve.csv") == ""
    assert not only(study).is_listed

    rows = list(csv.DictReader(StringIO(pay_file(study, "pay.csv"), newline="")))
    assert len(rows) == 1
    assert rows[0]["platform_id"].removeprefix("'") == wrong


def test_the_whole_list_says_how_each_person_finished(study: Study) -> None:
    one = person(study, "p1", 3, 4)
    person(study, "p2", outcome=Outcome.FAILED)
    new_annotator(study)

    first, second = csv.DictReader(StringIO(pay_file(study, "pay.csv")))
    assert first == {
        "annotator": one.name,
        "platform_id": "p1",
        "label": "",
        "outcome": "done",
        "code": "CODE",
        "minutes": "12.0",
        "judged": "4",
        "gold": "4",
        "gold_right": "3",
        "repeats": "0",
        "repeats_same": "0",
        "excluded": "no",
        "flags": "",
        "decision": "",
        "approve": "yes",
        "bonus": "0.00",
    }

    assert (second["outcome"], second["approve"], second["bonus"]) == (
        "failed",
        "no",
        "0.00",
    )


def test_a_bonus_earned_in_an_earlier_version_stays_in_the_list(study: Study) -> None:
    person(study, "p1")
    excluded = person(study, "p2")
    Annotator.objects.update(bonus=0.5)
    Annotator.objects.filter(pk=excluded.pk).update(excluded_at=timezone.now())

    rows = csv.DictReader(StringIO(pay_file(study, "pay.csv")))
    assert [row["bonus"] for row in rows] == ["0.50", "0.00"]


def test_test_annotators_are_not_paid(study: Study) -> None:
    person(study, "p1", 4, 4)
    Annotator.objects.update(is_test=True)
    assert not people_to_pay(study)
