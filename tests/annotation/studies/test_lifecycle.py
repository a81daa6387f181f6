"""Changing a study while people judge: on SQLite and on PostgreSQL."""

import pytest
from django.contrib.auth.models import User

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Annotator, Event, Exit, Study
from tercet.annotation.models.study import Outcome, State
from tercet.annotation.studies.creation import copy_study
from tercet.annotation.studies.lifecycle import NotPossible, raise_votes, set_state
from tercet.annotation.studies.settings import change_settings
from tests.annotation.questions import answer_all, choose, claimed, counters, recounted

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

WAYS = {
    (State.DRAFT, State.OPEN),
    (State.OPEN, State.PAUSED),
    (State.OPEN, State.CLOSED),
    (State.PAUSED, State.OPEN),
    (State.PAUSED, State.CLOSED),
    (State.CLOSED, State.OPEN),
}


@pytest.mark.parametrize(("was", "state"), sorted(WAYS))
def test_a_study_is_opened_paused_closed_and_reopened(
    study: Study, administrator: User, was: State, state: State
) -> None:
    Study.objects.update(state=was)
    set_state(study, state, administrator)

    assert Study.objects.get().state == study.state == state

    event = Event.objects.get()
    assert (event.what, event.by, event.details) == (
        f"made it {state}",
        administrator,
        {"was": was},
    )


@pytest.mark.parametrize(
    ("was", "state"),
    sorted(
        (was, state)
        for was in State
        for state in State
        if was != state and (was, state) not in WAYS
    ),
)
def test_other_changes_of_state_are_refused_in_words(
    study: Study, was: State, state: State
) -> None:
    Study.objects.update(state=was)
    with pytest.raises(NotPossible, match=f"cannot become {state}"):
        set_state(study, state, None)
    assert Study.objects.get().state == was
    assert not Event.objects.exists()


def test_bringing_a_study_to_the_state_it_has_changes_nothing(study: Study) -> None:
    set_state(study, State.OPEN, None)
    assert not Event.objects.exists()


def test_more_votes_reopen_finished_questions(
    study: Study, administrator: User
) -> None:
    for _ in range(3):
        answer_all(new_annotator(study))

    assert raise_votes(study, 5, administrator) == 24
    assert Study.objects.get().votes == study.votes == 5
    assert [answer_all(new_annotator(study)) for _ in range(3)] == [12, 12, 0]

    assert counters(study) == recounted(study)
    assert Event.objects.get().details == {"was": 3, "now": 5}


@pytest.mark.parametrize("votes", [3, 2, 0])
def test_the_number_of_votes_only_rises(study: Study, votes: int) -> None:
    with pytest.raises(NotPossible, match="needs 3 votes"):
        raise_votes(study, votes, None)
    assert set(study.questions.values_list("needed", flat=True)) == {3}


def test_questions_that_have_more_votes_already_stay_as_they_are(study: Study) -> None:
    study.questions.filter(position=0).update(needed=9)
    study.questions.filter(position=1).update(needed=4)

    assert raise_votes(study, 5, None) == 21
    assert sorted(study.questions.values_list("needed", flat=True)) == [5] * 11 + [9]


def test_more_votes_let_a_stopped_pair_go_on(study: Study) -> None:
    Study.objects.update(stop_early=True)
    while answer_all(new_annotator(Study.objects.get())):
        pass

    assert study.questions.filter(stopped=True).exists()

    raise_votes(study, 30, None)
    assert not study.questions.filter(stopped=True).exists()
    assert counters(study) == recounted(study)


def test_leases_keep_their_places_when_votes_are_raised(study: Study) -> None:
    lease = claimed(new_annotator(study))
    raise_votes(study, 4, None)
    assert counters(study)[lease.question_id]["leases"] == 1


def test_changed_settings_are_logged_with_what_they_were(
    study: Study, administrator: User
) -> None:
    change_settings(
        study, {"max_judgments": 10, "title": "New", "ties": False}, administrator
    )
    row = Study.objects.get()

    assert (row.max_judgments, row.title, row.ties) == (10, "New", False)

    event = Event.objects.get()
    assert event.by == administrator
    assert event.details == {
        "max_judgments": [None, 10],
        "title": ["Small study", "New"],
    }


def test_settings_that_stay_the_same_are_no_change(study: Study) -> None:
    change_settings(study, {"title": study.title}, None)
    assert not Event.objects.exists()


def test_early_stopping_can_be_switched_on_and_off_in_the_middle(study: Study) -> None:
    for person in (new_annotator(study) for _ in range(2)):
        while lease := claim(person):
            choose(lease, "B")

    change_settings(study, {"stop_early": True}, None)
    assert counters(study) == recounted(study)
    assert study.questions.filter(stopped=True).count() == 12

    change_settings(study, {"stop_early": False}, None)
    assert not study.questions.filter(stopped=True).exists()


def test_a_copy_is_a_draft_with_the_same_questions_and_nobody_in_it(
    study: Study, annotator: Annotator, administrator: User
) -> None:
    study.questions.filter(position=3).update(gold="B")
    study.questions.filter(position=4).update(gold="C")
    Exit.objects.create(
        study=study, outcome=Outcome.DONE, code="C0DE", url="https://example.org"
    )
    change_settings(
        study, {"max_judgments": 7, "gold_rate": 0.1, "consent": "Mine"}, None
    )
    answer_all(annotator)
    copy = copy_study(Study.objects.get(), administrator)

    copy.refresh_from_db()
    draft = (copy.state, copy.title, copy.created_by)
    assert draft == (State.DRAFT, "Small study (copy)", administrator)

    settings = (copy.max_judgments, copy.gold_rate, copy.consent, copy.steps)
    assert settings == (7, 0.1, "Mine", [])

    columns = ("position", "pair", "reference", "needed", "gold")
    questions = sorted(copy.questions.values_list(*columns))
    assert questions == sorted(study.questions.values_list(*columns))
    assert not copy.annotators.exists()

    counters = copy.questions.values_list("answers", "leases", "lead", "lean")
    assert set(counters) == {(0, 0, 0, 0)}

    [end] = copy.exits.values_list("outcome", "code", "url")
    assert end == (Outcome.DONE, "C0DE", "https://example.org")
    assert copy.join_code != study.join_code
    assert copy.name != study.name


def test_a_copy_of_a_pairwise_study_keeps_its_gold(
    study: Study, administrator: User
) -> None:
    Study.objects.update(protocol="pairwise")
    study.dataset.images.update(url="https://example.org/dog.png")
    study.questions.exclude(position__in=[0, 1]).delete()
    kept = study.questions.order_by("position")[0]
    study.questions.filter(pk=kept.pk).update(reference=None, gold="C")

    copy = copy_study(Study.objects.get(), administrator)
    assert list(copy.questions.exclude(gold="").values_list("pair", "gold")) == [
        (kept.pair_id, "C")
    ]
