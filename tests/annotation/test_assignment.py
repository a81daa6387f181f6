"""Leases and votes: on SQLite and on PostgreSQL."""

from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import assignment
from annotation.assignment import NoSuchLease, claim, undo, vote
from annotation.models import Annotator, Lease, Study, Triplet, Vote
from annotation.models.vote import Side, Status
from annotation.people import new_annotator

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]


def claimed(annotator: Annotator) -> Lease:
    lease = claim(annotator)
    assert lease is not None
    return lease


def expire(lease: Lease) -> None:
    Lease.objects.filter(pk=lease.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def answer_all(annotator: Annotator, side: str = Side.LEFT) -> int:
    votes = 0
    while lease := claim(annotator):
        vote(lease.key, side)
        votes += 1
    return votes


def only_triplet(study: Study) -> Triplet:
    """Reduce the study to one triplet."""
    kept = study.triplets.order_by("position").first()
    assert kept is not None
    study.triplets.exclude(pk=kept.pk).delete()
    return kept


def counted(triplet: Triplet) -> tuple[int, int]:
    """The triplet's counters, which must equal a recount."""
    triplet.refresh_from_db()
    votes = Vote.objects.valid().filter(triplet=triplet).count()
    leases = Lease.objects.filter(triplet=triplet, live=True).count()
    assert (triplet.votes, triplet.leases) == (votes, leases)
    return votes, leases


def test_a_reload_shows_the_same_question_with_b_on_the_same_side(annotator: Annotator) -> None:
    first, second = claimed(annotator), claimed(annotator)
    assert (first.key, first.triplet_id, first.b_side) == (
        second.key,
        second.triplet_id,
        second.b_side,
    )


def test_a_vote_takes_the_place_of_its_lease(annotator: Annotator) -> None:
    lease = claimed(annotator)
    assert counted(lease.triplet) == (0, 1)
    cast = vote(lease.key, lease.b_side)
    assert cast.choice == "B"
    assert cast.b_side == lease.b_side
    assert counted(lease.triplet) == (1, 0)


def test_the_other_side_is_a_vote_for_c(annotator: Annotator) -> None:
    lease = claimed(annotator)
    other = Side.RIGHT if lease.b_side == Side.LEFT else Side.LEFT
    assert vote(lease.key, other).choice == "C"


def test_a_vote_sent_again_is_the_same_vote(annotator: Annotator) -> None:
    lease = claimed(annotator)
    first, again = vote(lease.key, Side.LEFT), vote(lease.key, Side.RIGHT)
    assert first.pk == again.pk
    assert again.choice == first.choice
    assert Vote.objects.count() == 1


def test_an_unknown_key_is_no_vote(study: Study) -> None:
    with pytest.raises(NoSuchLease):
        vote(uuid4(), Side.LEFT)


def test_nobody_is_asked_a_question_twice(study: Study, annotator: Annotator) -> None:
    assert answer_all(annotator) == study.triplets.count()
    assert claim(annotator) is None
    assert max(Counter(annotator.votes.values_list("triplet", flat=True)).values()) == 1


def test_a_triplet_gets_as_many_votes_as_it_needs_and_no_more(study: Study) -> None:
    votes = [answer_all(new_annotator(study)) for _ in range(5)]
    assert votes == [12, 12, 12, 0, 0]
    assert study.triplets.progress() == {"triplets": 12, "finished": 12, "votes": 36, "needed": 36}


def test_a_lease_keeps_others_from_its_place(study: Study) -> None:
    triplet = only_triplet(study)
    people = [new_annotator(study) for _ in range(4)]
    leases = [claim(person) for person in people]
    assert [lease is not None for lease in leases] == [True, True, True, False]
    assert counted(triplet) == (0, 3)


def test_an_abandoned_lease_returns_by_itself(study: Study) -> None:
    triplet = only_triplet(study)
    abandoned, *_ = (claimed(new_annotator(study)) for _ in range(3))
    expire(abandoned)
    assert claim(new_annotator(study)) is not None
    assert counted(triplet) == (0, 3)


def test_a_late_vote_counts_while_its_place_is_free(study: Study) -> None:
    triplet = only_triplet(study)
    late = claimed(new_annotator(study))
    expire(late)
    claimed(new_annotator(study))
    assert counted(triplet) == (0, 1)
    assert vote(late.key, Side.LEFT).status == Status.VALID
    assert counted(triplet) == (1, 1)


def test_a_late_vote_whose_place_is_taken_is_kept_as_surplus(study: Study) -> None:
    triplet = only_triplet(study)
    late = claimed(new_annotator(study))
    expire(late)
    for _ in range(3):
        vote(claimed(new_annotator(study)).key, Side.LEFT)
    cast = vote(late.key, Side.LEFT)
    assert cast.status == Status.SURPLUS
    assert counted(triplet) == (3, 0)
    assert claim(cast.annotator) is None if cast.annotator else False


def test_undo_shows_the_same_question_again_and_keeps_the_old_vote(annotator: Annotator) -> None:
    lease = claimed(annotator)
    first = vote(lease.key, Side.LEFT)
    following = claimed(annotator)
    assert undo(annotator, lease.key) is not None
    again = claimed(annotator)
    assert (again.triplet_id, again.b_side) == (lease.triplet_id, lease.b_side)
    vote(again.key, Side.RIGHT)
    first.refresh_from_db()
    assert (first.status, first.status_reason) == (Status.SUPERSEDED, "undone by the annotator")
    assert counted(lease.triplet) == (1, 0)
    assert claimed(annotator).triplet_id == following.triplet_id


def test_undo_sent_twice_takes_one_vote_back(annotator: Annotator) -> None:
    first, second = (vote(claimed(annotator).key, Side.LEFT) for _ in range(2))
    assert second.key is not None
    assert undo(annotator, second.key) is not None
    assert undo(annotator, second.key) is None
    first.refresh_from_db()
    assert first.status == Status.VALID


def test_undo_without_a_vote_does_nothing(annotator: Annotator) -> None:
    assert undo(annotator, uuid4()) is None


def test_a_question_given_back_to_the_same_person_keeps_its_key(study: Study) -> None:
    only_triplet(study)
    person = new_annotator(study)
    shown = claimed(person)
    expire(shown)
    again = claimed(person)
    assert (again.key, again.b_side) == (shown.key, shown.b_side)
    expire(again)
    claimed(new_annotator(study))
    Lease.objects.get(pk=again.pk)
    revived = claimed(person)
    assert (revived.key, revived.live) == (shown.key, True)
    assert vote(shown.key, Side.LEFT).status == Status.VALID


def test_a_lease_that_lapses_before_its_vote_is_stored_gives_its_place_once(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    triplet = only_triplet(study)
    late = claimed(new_annotator(study))
    expire(late)
    real = assignment.lock_triplet

    def lapse_first(pk: int) -> Triplet:
        monkeypatch.setattr(assignment, "lock_triplet", real)
        assignment.lapse(late)
        return real(pk)

    monkeypatch.setattr(assignment, "lock_triplet", lapse_first)
    vote(late.key, Side.LEFT)
    assert counted(triplet) == (1, 0)


def test_b_stands_as_often_left_as_right(study: Study) -> None:
    study.triplets.update(needed=4)
    for _ in range(4):
        answer_all(new_annotator(study))
    for triplet in study.triplets.all():
        sides = Counter(triplet.cast.values_list("b_side", flat=True))
        assert sides == {Side.LEFT: 2, Side.RIGHT: 2}


def test_seconds_are_measured_by_the_server(annotator: Annotator) -> None:
    lease = claimed(annotator)
    Lease.objects.update(created_at=timezone.now() - timedelta(seconds=7))
    seconds = vote(lease.key, Side.LEFT).seconds
    assert seconds is not None
    assert 7 <= seconds < 9


def test_a_clock_set_back_gives_no_negative_time(annotator: Annotator) -> None:
    lease = claimed(annotator)
    Lease.objects.update(created_at=timezone.now() + timedelta(hours=1))
    assert vote(lease.key, Side.LEFT).seconds == 0


def test_the_database_refuses_more_votes_than_needed(study: Study) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        study.triplets.update(votes=3, leases=1)


def test_the_database_refuses_two_votes_of_one_annotator(annotator: Annotator) -> None:
    cast = vote(claimed(annotator).key, Side.LEFT)
    with pytest.raises(IntegrityError), transaction.atomic():
        Vote.objects.create(triplet=cast.triplet, annotator=annotator, choice="B")
