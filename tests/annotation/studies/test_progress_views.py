from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.participation import Reason
from tercet.annotation.models.study import State, Step
from tercet.annotation.participation.flow import advance
from tercet.annotation.participation.remarks import comment, report
from tercet.annotation.studies import progress_views
from tercet.annotation.studies.progress import annotator_counts
from tests.annotation.judging.ballots import crowd, put
from tests.annotation.questions import answer_all, claimed, counted
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def page(office: Client, study: Study, **query: str | int) -> str:
    answer = office.get(reverse("study_progress", args=[study.name]), query)
    assert answer.status_code == 200

    return squeeze(answer.getvalue().decode())


def test_a_study_that_nobody_has_come_to_says_what_to_do(
    office: Client, study: Study
) -> None:
    shown = page(office, study)
    assert "Nobody has joined yet. Send people the shared link." in shown
    assert "Time left: an estimate appears after" in shown
    assert "0\N{NO-BREAK SPACE}% complete" in shown


def test_counts_pace_and_people_are_shown(office: Client, study: Study) -> None:
    person = new_annotator(study)
    answer_all(person)
    shown = page(office, study)

    assert 'Votes</dt><dd>12 <span class="whole">of 36</span></dd>' in shown
    assert "33\N{NO-BREAK SPACE}% complete" in shown
    assert person.name in shown
    assert "100.0&nbsp;%" in shown, "who always answers left"


def test_it_is_said_where_answers_to_questionnaires_are(
    office: Client, study: Study
) -> None:
    assert "Answers to questionnaires" not in page(office, study)

    Study.objects.update(questionnaire_after="Anything else?\n[more: text]")
    assert "Answers to questionnaires" in page(office, study)


def test_reports_and_comments_are_shown(office: Client, study: Study) -> None:
    assert "No problems reported yet" in page(office, study)

    person = new_annotator(study)
    study.skips = True
    study.save()
    lease = claimed(person)
    report(lease.key, Reason.OFFENSIVE, "Has a <slur>.", skips=True)
    comment(person, "Too long.")

    shown = page(office, study)
    for text in (
        "Has a &lt;slur&gt;.",
        "offensive",
        "skipped",
        "Too long.",
        "2 reported problems and",
    ):
        assert text in shown, text
    assert reverse("study_pair", args=[study.name, lease.question.pair_id]) in shown


def test_who_has_not_judged_stands_at_a_step_that_the_study_has(
    office: Client, study: Study
) -> None:
    study.steps = ["consent", "instructions", "comprehension"]
    study.save()
    person = new_annotator(study)

    advance(person, Step.CONSENT)
    assert "Instructions</td>" in page(office, study)

    advance(person, Step.INSTRUCTIONS)
    assert "Comprehension questions</td>" in page(office, study)

    study.steps = ["consent", "instructions"]
    study.save()

    assert "Judging</td>" in page(office, study)


def test_the_time_left_is_told_once_there_is_a_pace(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    two_hours_ago = timezone.now() - timedelta(hours=2)

    for purpose in ("study", "gold"):
        for question in study.questions.all():
            put(person, question, purpose=purpose, created_at=two_hours_ago)

    assert "an estimate appears after" in page(office, study), "checks are no votes"

    for question in study.questions.all():
        put(new_annotator(study), question, created_at=two_hours_ago)

    assert "Time left: <strong>3 hours</strong> for 36 votes" in page(office, study)


def test_a_finished_and_a_paused_study_have_no_time_left(
    office: Client, study: Study
) -> None:
    study.state = State.PAUSED
    study.save()

    assert "The study is paused; 36 votes are missing." in page(office, study)

    study.state = State.OPEN
    study.save()
    for _ in range(3):
        answer_all(new_annotator(study))

    shown = page(office, study)
    assert "All votes are in." in shown
    assert "Close the study</button>" in shown


def test_votes_saved_by_stopping_early_are_told(office: Client, study: Study) -> None:
    assert "saved by stopping early" not in page(office, study)

    study.stop_early = True
    study.save()
    study.questions.update(stopped=True)

    shown = page(office, study)
    assert "Votes saved by stopping early</dt><dd>36</dd>" in shown
    assert "All votes are in." in shown


def test_people_are_found_by_name_and_shown_page_by_page(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_views, "ANNOTATORS_PER_PAGE", 5)
    named = personal_links(study, [f"Anna {number}" for number in range(12)])
    first, last = page(office, study), page(office, study, page=3)

    assert (named[0].name in first, named[11].name in first) == (True, False)
    assert "Page 1 of 3" in first
    assert named[11].name in last

    only = page(office, study, find="anna 11")
    assert named[11].name in only
    assert named[1].name not in only
    assert "No annotator matches “bert”." in page(office, study, find="bert")


def test_the_page_asks_no_more_of_the_database_with_more_votes(
    office: Client, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    crowd(study, ["good", "left", "good"])
    with django_assert_max_num_queries(22):
        page(office, study)


def test_what_is_replaced_live_can_be_told_apart(office: Client, study: Study) -> None:
    answer_all(new_annotator(study))
    shown = page(office, study)
    charts = ("by-votes", "by-votes-table", "by-hour", "by-hour-table")

    for part in ("standing", "holders", "network-shares", *charts, "people", "remarks"):
        assert shown.count(f'id="{part}"') == 1
    assert shown.count("data-live") == 10


def test_held_questions_are_listed_and_those_of_inactive_people_can_be_freed(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    lease = claimed(person)
    free = reverse("study_free", args=[study.name])

    shown = office.post(free, follow=True).getvalue().decode()
    assert "Nobody who holds questions is inactive" in shown
    assert "Nobody holds a question" not in shown
    assert "Free held questions" in shown

    person.leases.update(created_at=timezone.now() - timedelta(minutes=4))
    shown = office.post(free, follow=True).getvalue().decode()

    assert "1 question is free again" in shown
    assert "Nobody holds a question" in shown
    assert "Free held questions" not in shown, "there is none to free"

    assert counted(lease.question) == (0, 0)
    assert vote(lease.key, "left").counts, "a late vote counts where it is needed"


def test_questions_of_who_voted_lately_are_not_freed(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    top_up_leases(person, 2)
    vote(claimed(person).key, "left")
    person.leases.update(created_at=timezone.now() - timedelta(minutes=4))

    office.post(reverse("study_free", args=[study.name]))
    assert person.leases.filter(live=True).count() == 1


# Annotators are people with a vote that counts


def test_everybody_else_who_joined_is_named_and_is_no_annotator(
    office: Client, study: Study
) -> None:
    first, *_ = study.questions.all()
    counted, gold, undone, excluded, _idle = (new_annotator(study) for _ in range(5))
    put(counted, first)
    put(gold, first, purpose="gold")
    put(undone, first, status="superseded")
    put(excluded, first, status="excluded")
    Annotator.objects.filter(pk__in=[counted.pk, gold.pk, excluded.pk]).update(judged=1)

    Annotator.objects.filter(pk=excluded.pk).update(excluded_at=timezone.now())

    assert annotator_counts(study) == {
        "annotators": 1,
        "joined": 5,
        "voted": 3,
        "only_checks": 1,
        "undid_all": 1,
        "excluded": 1,
    }

    shown = page(office, study)
    for count in (
        "Annotators</dt><dd>1",
        "People who joined</dt><dd>5",
        "Answered only gold questions or repeats</dt><dd>1",
        "Undid all their votes</dt><dd>1",
        "People excluded</dt><dd>1",
    ):
        assert count in shown, count

    results = office.get(study.get_absolute_url()).getvalue().decode()
    assert "Annotators</dt><dd>1</dd>" in results


def test_nobody_is_sent_for_to_a_study_that_is_closed(
    office: Client, study: Study
) -> None:
    study.state = State.CLOSED
    study.save()
    shown = page(office, study)

    assert "Nobody has joined." in shown
    assert "shared link" not in shown
