"""The counters of questions, and early stopping: on SQLite and on PostgreSQL."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import undo
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.quotas import recount, update_stopped_pairs
from tercet.annotation.models import Answer, Question, Study
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.studies.lifecycle import raise_votes
from tests.annotation.questions import (
    B_MARGIN,
    choose,
    claimed,
    counters,
    pair_of,
    recounted,
)
from tests.support.examples import examples

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

CHOICES = st.sampled_from(["B", "C", "tie"])
BALLOTS = st.integers(1, 5).flatmap(
    lambda needed: st.tuples(
        st.lists(CHOICES, min_size=needed, max_size=needed), st.integers(0, needed)
    )
)
"""All votes that a question will get, and how many it has."""


@pytest.fixture
def stopping(study: Study) -> Study:
    study.stop_early = True
    study.save()
    return study


@contextmanager
def rolled_back() -> Iterator[None]:
    """Nothing of an example is left for the next."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def lead_of(votes: list[str]) -> int:
    return sum(B_MARGIN[choice] for choice in votes)


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def vote_all(study: Study, people: int, choice: str = "B") -> None:
    for _ in range(people):
        person = new_annotator(study)
        while lease := claim(person):
            choose(lease, choice)


@settings(examples(60), suppress_health_check=list(HealthCheck))
@given(ballots=st.lists(BALLOTS, min_size=12, max_size=12))
def test_early_stopping_never_changes_a_winner(
    stopping: Study, ballots: list[tuple[list[str], int]]
) -> None:
    rows = list(stopping.questions.select_related("pair").order_by("pk"))
    so_far, in_the_end, left = (defaultdict[int, list[int]](list) for _ in range(3))

    for row, (votes, cast) in zip(rows, ballots, strict=True):
        row.needed, row.answers, row.lead = len(votes), cast, lead_of(votes[:cast])
        pair = pair_of(row).pk
        so_far[pair].append(sign(row.lead))
        in_the_end[pair].append(sign(lead_of(votes)))
        left[pair].append(row.needed - row.answers)

    with rolled_back():
        Question.objects.bulk_update(rows, ["needed", "answers", "lead"])
        update_stopped_pairs(stopping)
        stopped = set(
            stopping.questions.filter(stopped=True).values_list("pair", flat=True)
        )

        assert stopping.questions.filter(pair__in=stopped, stopped=False).count() == 0

    for pair, winners in in_the_end.items():
        if pair in stopped:
            assert sign(sum(so_far[pair])) == sign(sum(winners)) != 0
        elif not any(left[pair]):
            assert sum(winners) == 0


def test_early_stopping_spares_votes_and_finishes_the_study(stopping: Study) -> None:
    beliefs = dict.fromkeys(("p1", "p2", "p3", "p4"), "B")
    spent = sum(1 for _ in simulate(stopping, range(1, 6), 1, beliefs, 0))
    progress = stopping.questions.progress()

    assert (progress["finished"], progress["votes"]) == (12, spent)
    assert stopping.questions.saved() == 36 - spent > 0
    assert set(Answer.objects.values_list("choice", flat=True)) == {"B"}
    assert counters(stopping) == recounted(stopping)


def test_without_early_stopping_nothing_stops(study: Study) -> None:
    vote_all(study, 3)
    assert not study.questions.filter(stopped=True).exists()
    assert study.questions.saved() == 0


def test_a_stopped_pair_is_not_asked_about(stopping: Study) -> None:
    pair = stopping.questions.order_by("position")[0].pair
    stopping.questions.filter(pair=pair).update(answers=2, lead=2)
    update_stopped_pairs(stopping)

    vote_all(stopping, 1)
    assert not Answer.objects.filter(question__pair=pair).exists()
    assert Answer.objects.count() == 9


def test_undoing_the_vote_that_stopped_a_pair_lets_it_go_on(stopping: Study) -> None:
    question = stopping.questions.order_by("position")[0]
    stopping.questions.exclude(pk=question.pk).delete()
    casts = [choose(claimed(new_annotator(stopping)), "B") for _ in range(2)]

    assert stopping.questions.get().stopped

    assert casts[1].key is not None
    undo(casts[1].key)

    assert not stopping.questions.get().stopped
    assert counters(stopping) == recounted(stopping)


def test_raising_the_votes_lets_stopped_pairs_go_on(stopping: Study) -> None:
    vote_all(stopping, 2)
    assert stopping.questions.filter(stopped=True).count() == 12

    raise_votes(stopping, 5, None)
    assert not stopping.questions.filter(stopped=True).exists()
    assert counters(stopping) == recounted(stopping)


def test_settling_some_questions_leaves_other_pairs_alone(stopping: Study) -> None:
    stopping.questions.update(answers=3, lead=3)
    question = stopping.questions.order_by("position")[0]
    update_stopped_pairs(stopping, stopping.questions.filter(pk=question.pk))

    stopped = stopping.questions.filter(stopped=True)
    assert set(stopped.values_list("pair", flat=True)) == {question.pair_id}


def test_who_was_about_to_vote_on_a_pair_that_stops_still_can(stopping: Study) -> None:
    late = claimed(new_annotator(stopping))
    vote_all(stopping, 2)

    assert stopping.questions.get(pk=late.question_id).stopped
    assert choose(late, "C").counts
    assert counters(stopping) == recounted(stopping)


def test_a_recount_mends_any_counter(study: Study) -> None:
    vote_all(study, 1, "C")
    claimed(new_annotator(study))
    true = counters(study)
    study.questions.update(answers=1, leases=2, lead=3, lean=-4)

    recount(study.questions.all())
    assert counters(study) == true == recounted(study)


def test_a_recount_touches_only_its_questions(study: Study) -> None:
    study.questions.update(lean=7)
    recount(study.questions.filter(position=0))
    assert sorted(study.questions.values_list("lean", flat=True)) == [0] + [7] * 11
