"""Whom to pay: who is approved, who gets the bonus, and what the lists hold."""

import csv
from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator, new_crowd_annotator
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.participation.flow import record_consent
from tercet.annotation.quality.payment import (
    BonusRule,
    Payment,
    bonus_rule,
    pay_file,
    payments,
    people_to_pay,
)
from tercet.annotation.studies.progress import AnnotatorStats
from tests.annotation.judging.ballots import put

pytestmark = pytest.mark.django_db

RULE = BonusRule(Decimal("0.50"), 0.75)


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


def only(study: Study, rule: BonusRule = RULE) -> Payment:
    (payment,) = payments(people_to_pay(study), rule)
    return payment


@pytest.mark.parametrize(
    ("right", "gold", "bonus"),
    [(4, 4, "0.50"), (3, 4, "0.50"), (2, 4, "0"), (0, 0, "0")],
)
def test_the_bonus_is_for_enough_gold_right(
    study: Study, right: int, gold: int, bonus: str
) -> None:
    person(study, "p1", right, gold)
    assert only(study).bonus == Decimal(bonus)


def test_exactly_the_share_is_enough(study: Study) -> None:
    """55 % of 20 is 11, which 0.55 * 20 exceeds in floating point."""
    one = person(study, "p1")
    rule = BonusRule(Decimal("0.50"), 0.55)
    stats = AnnotatorStats(one, gold=20, gold_right=11)

    assert Payment(stats, rule).bonus == Decimal("0.50")


def test_the_rule_is_kept_with_the_study_to_the_cent() -> None:
    study = Study(bonus=0.5, bonus_gold=0.75)
    assert bonus_rule(study) == RULE
    assert str(bonus_rule(study).amount) == "0.50"


def test_a_share_of_nothing_holds_for_everybody(study: Study) -> None:
    person(study, "p1")
    assert only(study, BonusRule(Decimal("0.50"), 0)).bonus == Decimal("0.50")


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
    payment = only(study)

    assert (payment.is_approved, payment.bonus) == (False, Decimal(0))
    assert (
        pay_file(study, "approve.csv", RULE) == pay_file(study, "bonus.csv", RULE) == ""
    )


def test_who_declined_is_listed_without_a_code_and_gets_nothing(study: Study) -> None:
    declined = new_crowd_annotator(study, "p1", {})
    study.steps = ["consent"]
    record_consent(declined, agrees=False)
    (row,) = csv.DictReader(StringIO(pay_file(study, "pay.csv", RULE)))

    listed = (
        row["platform_id"],
        row["outcome"],
        row["code"],
        row["approve"],
        row["bonus"],
    )

    assert listed == ("p1", "screened_out", "", "no", "0.00")


def test_who_is_excluded_is_not_approved(study: Study) -> None:
    person(study, "p1", 4, 4)
    Annotator.objects.update(excluded_at=timezone.now())
    assert (only(study).is_approved, only(study).bonus) == (False, Decimal(0))


def test_the_lists_have_one_id_per_line(study: Study) -> None:
    person(study, "5f3a77c0ffee", 4, 4)
    person(study, "a-second_one", 1, 4)
    person(study, "", 4, 4)

    assert pay_file(study, "approve.csv", RULE) == "5f3a77c0ffee\na-second_one\n"
    assert pay_file(study, "bonus.csv", RULE) == "5f3a77c0ffee,0.50\n"
    assert pay_file(study, "bonus.csv", BonusRule(Decimal(0), 0.75)) == ""


@pytest.mark.parametrize("wrong", ["p1\np2,100", "p1,100", "p1\r", "=1+1", "p 1", "pé"])
def test_an_id_cannot_add_a_line_or_an_amount(study: Study, wrong: str) -> None:
    person(study, wrong, 4, 4)
    assert (
        pay_file(study, "approve.csv", RULE) == pay_file(study, "bonus.csv", RULE) == ""
    )
    assert not only(study).is_listed

    rows = list(csv.DictReader(StringIO(pay_file(study, "pay.csv", RULE), newline="")))
    assert len(rows) == 1
    assert rows[0]["platform_id"].removeprefix("'") == wrong


def test_the_whole_list_says_how_each_person_finished(study: Study) -> None:
    one = person(study, "p1", 3, 4)
    person(study, "p2", outcome=Outcome.FAILED)
    new_annotator(study)

    first, second = csv.DictReader(StringIO(pay_file(study, "pay.csv", RULE)))
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
        "approve": "yes",
        "bonus": "0.50",
    }

    assert (second["outcome"], second["approve"], second["bonus"]) == (
        "failed",
        "no",
        "0.00",
    )


def test_test_annotators_are_not_paid(study: Study) -> None:
    person(study, "p1", 4, 4)
    Annotator.objects.update(is_test=True)
    assert not people_to_pay(study)
