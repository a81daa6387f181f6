"""Sentences for the methods section."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import override

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.question import Subject
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.quality.adjudication import adjudicate
from tercet.annotation.quality.exclusion import exclude_annotator, exclude_vote
from tercet.annotation.results.methods import methods_text
from tercet.annotation.studies.progress import counted_annotators
from tercet.annotation.studies.questions import add_check
from tests.annotation.judging.ballots import put
from tests.annotation.judging.kinds.test_rating import rated
from tests.annotation.questions import answer_all

pytestmark = pytest.mark.django_db

FIRST = (
    "1 person gave 1,000 votes on 12 questions (“Which sentence is more similar to A?”), with "
    "3 votes required per question."
)


def stated(**values: object) -> Study:
    Study.objects.update(**values)
    return Study.objects.get()


def test_what_nobody_stated_is_left_out(study: Study) -> None:
    with override("de"):
        assert methods_text(study, 1, 1000) == FIRST


def test_recruitment_pay_and_approval_are_stated(study: Study) -> None:
    study = stated(
        recruitment_platform="Prolific",
        countries="Ireland",
        approval_rate="at least 95 %",
        pay="9 GBP per hour.",
        ethics_approval="the board (7)",
    )

    assert methods_text(study, 1, 1000).removeprefix(f"{FIRST} ") == (
        "They were recruited through Prolific from Ireland (approval rate: at least 95 %). "
        "They were paid 9 GBP per hour. The study was approved by the board (7)."
    )

    study = stated(recruitment_platform="", countries="", pay="", ethics_approval="")
    assert methods_text(study, 1, 1000).endswith(
        "recruited (approval rate: at least 95 %)."
    )


def test_who_was_excluded_or_simulated_is_not_hidden(
    study: Study, annotator: Annotator
) -> None:
    exclude_annotator(annotator, None, "guesses")
    assert methods_text(study, 2, 5).endswith(
        "1 person was excluded after a look at their votes, with 0 votes, for these reasons: "
        "“guesses” (1)."
    )

    exclude_annotator(new_annotator(study), None, "guesses")
    list(simulate(study, [1], 0.9, {}, 0))
    text = methods_text(study, 2, 5)
    assert text.startswith("1 person and 1 simulated annotator gave 5 votes")
    assert text.endswith("for these reasons: “guesses” (2).")


def test_checks_are_named_where_they_were_asked(
    study: Study, annotator: Annotator
) -> None:
    first, second, *_ = study.questions.order_by("pk")
    for question in (first, second):
        put(annotator, question, purpose="gold")

    put(annotator, first, purpose="repeat")
    put(annotator, second, purpose="repeat", status="superseded")

    assert methods_text(study, 1, 1000).removeprefix(f"{FIRST} ") == (
        "As checks, which decide no winner, annotators also gave 2 votes on questions with a known "
        "answer (gold questions) and 1 vote on earlier questions of their own with the sides "
        "swapped."
    )


def test_adjudicators_are_named_where_results_use_their_decisions(
    study: Study, administrator: User
) -> None:
    for pair in study.dataset.pairs.all():
        adjudicate(study, pair, Choice.B, "clear", administrator)

    assert methods_text(study, 1, 1000) == FIRST

    study.winners = "decisions"
    said = methods_text(study, 1, 1000).removeprefix(f"{FIRST} ")

    assert (
        said
        == f"An adjudicator decided the winner of {study.dataset.pairs.count()} pairs."
    )


def test_who_was_excluded_gave_no_votes_that_count(
    study: Study, annotator: Annotator
) -> None:
    for person in (annotator, new_annotator(study)):
        answer_all(person)

    new_annotator(study)
    assert counted_annotators(study).count() == 2

    exclude_annotator(annotator, None, "guesses")
    assert counted_annotators(study).count() == 1


def people(study: Study, **facts: object) -> None:
    person = new_annotator(study)
    Annotator.objects.filter(pk=person.pk).update(**facts)


def test_who_declined_or_did_not_finish_is_counted(study: Study) -> None:
    for outcome in ("done", "screened_out", "screened_out", "failed", "stopped"):
        people(study, outcome=outcome)

    people(study, judged=5)
    people(study)  # a personal link that nobody opened
    people(study, outcome="screened_out", is_test=True)

    said = (
        "Of 6 people who came to the study, 2 declined consent, 1 failed the comprehension "
        "questions and 1 stopped early."
    )

    assert methods_text(study, 1, 1000) == f"{FIRST} {said}"


def test_who_left_is_counted_once_a_study_with_an_end_for_each_is_closed(
    study: Study,
) -> None:
    people(study, judged=5)
    people(study, outcome="done", judged=10)

    assert methods_text(stated(state="closed"), 1, 1000) == FIRST

    Study.objects.update(max_judgments=10)
    said = (
        "Of 2 people who came to the study, 1 had given fewer than 10 judgments when the study was "
        "closed."
    )

    assert methods_text(Study.objects.get(), 1, 1000) == f"{FIRST} {said}"
    assert methods_text(stated(state="open"), 1, 1000) == FIRST


def test_people_whose_questions_ran_out_did_not_leave(study: Study) -> None:
    people(study, outcome="done", judged=10)
    people(study, outcome="done", judged=4)  # found no question left after four
    people(study, judged=4, waiting_since=timezone.now())
    people(study, outcome="no_work")
    people(study, judged=4)
    people(study, outcome="stopped", judged=4)
    people(study, judged=4, excluded_at=timezone.now())

    text = methods_text(stated(state="closed", max_judgments=10), 1, 1000)
    assert text.endswith(
        "Of 7 people who came to the study, 1 stopped early, 1 found no question left, 2 had no "
        "question left before 10 judgments and 1 had given fewer than 10 judgments when the study "
        "was closed."
    )


def test_questions_without_a_vote_single_votes_and_early_stops_are_told(
    study: Study,
) -> None:
    first, second, *_ = study.questions.order_by("pk")
    person = new_annotator(study)
    for question in (first, second):
        put(person, question)
        question.answers = 1
        question.save()
    exclude_vote(person.answers.get(question=second), None, "slipped")

    text = methods_text(stated(stop_early=True), 1, 1)
    assert text.startswith("1 person gave 1 vote on 1 of 12 questions (")
    assert "A pair got no more votes once its winner could no longer change." in text
    assert text.endswith("1 single vote was excluded.")


def test_simulated_annotators_are_not_called_people_who_were_excluded_or_paid(
    study: Study,
) -> None:
    list(simulate(study, [1, 2], 0.9, {}, 0))
    exclude_annotator(study.annotators.earliest("pk"), None, "a rehearsal")

    text = methods_text(stated(pay="9 GBP per hour", countries="Ireland"), 1, 12)
    assert text.startswith("1 simulated annotator gave 12 votes")
    assert "1 simulated annotator was excluded after a look" in text
    assert "paid" not in text
    assert "recruited" not in text
    assert "Before judging" not in text


def test_nothing_is_said_without_votes(study: Study) -> None:
    assert methods_text(study, 0, 0) == ""


def test_nothing_is_said_of_votes_that_were_collected_elsewhere(study: Study) -> None:
    study.collected_elsewhere = True
    assert methods_text(study, 2, 5) == ""


def test_a_study_of_simulated_annotators_names_no_person(study: Study) -> None:
    list(simulate(study, [1, 2], 0.9, {}, 0))
    text = methods_text(study, 2, 24)
    assert text.startswith("2 simulated annotators gave 24 votes")
    assert "person" not in text.replace("per question", "")


@pytest.mark.parametrize(
    ("pay", "said"),
    [
        ("unpaid, colleagues", "They were not paid."),
        ("nothing", "They were not paid."),
        ("course credit", "Their pay was stated as “course credit”."),
        ("9 GBP per hour", "They were paid 9 GBP per hour."),
    ],
)
def test_pay_is_stated_as_it_was(study: Study, pay: str, said: str) -> None:
    assert said in methods_text(stated(pay=pay), 1, 1000)


def test_times_dates_and_agreement_are_of_the_votes_that_count(study: Study) -> None:
    question = study.questions.earliest("pk")
    at = datetime(2026, 11, 2, 12, tzinfo=UTC)
    for choice in ("B", "B", "C"):
        put(new_annotator(study), question, choice, seconds=6, created_at=at)
    put(new_annotator(study), question, "C", status="excluded", created_at=at)

    text = methods_text(study, 3, 3)
    assert "Votes were given on 2026-11-02, with a median of 6.0 seconds each." in text
    assert "Two votes on the same question agreed in 33.3 % of cases." in text


def test_steps_before_judging_are_named(study: Study) -> None:
    study.steps = ["instructions", "comprehension", "practice"]
    assert (
        "Before judging, people read instructions, answered comprehension questions and "
        "practised with feedback."
    ) in methods_text(study, 1, 1000)


def test_pairs_of_equal_captions_are_counted(study: Study) -> None:
    pair = study.dataset.pairs.earliest("pk")
    pair.b.caption = pair.c.caption
    pair.b.save()
    assert (
        "Of 4 pairs, 1 has two equal captions: such pairs count as ties and were not asked about."
    ) in methods_text(study, 1, 1000)


def test_ratings_are_described_by_what_was_asked_and_never_as_votes(
    tmp_path: Path,
) -> None:
    study = rated(tmp_path / "captions")
    first = study.questions.earliest("pk")
    subject = Subject(first.image_id, candidate=first.candidate_id)
    study.questions.filter(pk=first.pk).delete()
    add_check(study, subject, "[]")
    list(simulate(study, [1, 2], 0.9, {}, 0))

    text = methods_text(study, 2, 6)
    assert text.startswith(
        "2 simulated annotators gave 6 answers on 3 questions (“Is it right?”, “How good is it?”), "
        "with 2 answers required per question. Each caption was shown by itself. Answers were "
    )
    assert "vote" not in text.lower()
    assert "agreed" not in text
