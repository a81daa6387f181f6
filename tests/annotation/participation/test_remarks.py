"""What annotators report, skip and comment on."""

from uuid import uuid4

import pytest

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import NoSuchLease, vote
from tercet.annotation.judging.leases import REPEAT_AFTER, top_up_leases
from tercet.annotation.models import Annotator, Lease, Remark, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.participation import Reason
from tercet.annotation.participation.remarks import comment, report
from tercet.annotation.quality.erasure import erase_annotator
from tests.annotation.questions import answer_all, claimed, counted, counters, recounted

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


@pytest.fixture
def skipping(study: Study) -> Annotator:
    """Somebody in a study in which questions may be skipped."""
    Study.objects.update(skips=True)
    study.refresh_from_db()
    return new_annotator(study)


def skip(lease: Lease) -> bool:
    return report(lease.key, Reason.BROKEN, "", skips=True)


def test_a_report_is_kept_and_its_question_stays(annotator: Annotator) -> None:
    lease = claimed(annotator)
    assert report(lease.key, Reason.OFFENSIVE, "A slur.", skips=False)
    assert report(lease.key, Reason.OTHER, "Two slurs.", skips=False)

    remark = Remark.objects.get()
    assert (remark.annotator, remark.question_id) == (annotator, lease.question_id)
    assert (remark.reason, remark.text, remark.skipped) == (
        Reason.OTHER,
        "Two slurs.",
        False,
    )
    assert claimed(annotator).key == lease.key


def test_only_who_holds_a_question_reports_it(annotator: Annotator) -> None:
    lease = claimed(annotator)
    assert not report(uuid4(), Reason.BROKEN, "", skips=False)

    vote(lease.key, Side.LEFT)
    assert not report(lease.key, Reason.BROKEN, "", skips=False)
    assert not Remark.objects.exists()


def test_a_skipped_question_goes_to_somebody_else(skipping: Annotator) -> None:
    lease = claimed(skipping)
    assert skip(lease)
    assert not skip(lease), "a page sent again changes nothing"

    assert Remark.objects.get().skipped
    assert counted(lease.question) == (0, 0)
    assert answer_all(skipping) == 11
    assert lease.question_id not in skipping.answers.values_list("question", flat=True)

    others = [answer_all(new_annotator(skipping.study)) for _ in range(3)]
    assert others == [12, 12, 1]
    assert counters(skipping.study) == recounted(skipping.study)


def test_where_skipping_is_not_allowed_a_report_is_only_a_report(
    annotator: Annotator,
) -> None:
    lease = claimed(annotator)
    assert skip(lease)
    assert not Remark.objects.get().skipped
    assert claimed(annotator).key == lease.key


def test_a_skipped_question_cannot_be_answered_afterwards(skipping: Annotator) -> None:
    lease = claimed(skipping)
    skip(lease)

    with pytest.raises(NoSuchLease):
        vote(lease.key, Side.LEFT)
    assert not skipping.answers.exists()


def test_a_skipped_repeat_is_not_repeated_again(skipping: Annotator) -> None:
    for _ in range(REPEAT_AFTER + 1):
        vote(claimed(skipping).key, Side.LEFT)

    Study.objects.update(repeat_rate=1)
    repeat = top_up_leases(skipping, 2)[0]

    assert repeat.purpose == "repeat"
    assert skip(repeat)
    assert repeat.question_id not in [
        each.question_id for each in top_up_leases(skipping, 2)
    ]


def test_a_later_comment_replaces_the_earlier(annotator: Annotator) -> None:
    for text in ("Nice.", "Nice, but long."):
        comment(annotator, text)

    remark = Remark.objects.get()
    assert (remark.text, remark.reason, remark.question) == (
        "Nice, but long.",
        Reason.COMMENT,
        None,
    )


@pytest.mark.django_db(transaction=True)
def test_who_is_erased_leaves_no_remarks(annotator: Annotator) -> None:
    comment(annotator, "My name is Kim.")
    erase_annotator(annotator, None)
    assert not Remark.objects.exists()
