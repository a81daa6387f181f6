"""The checklist of a study that is not open."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tercet.annotation.judging.annotators import test_annotator as try_study
from tercet.annotation.models import Evaluation, Image, Study
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.study import Rank, State
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.results.digests import digest_of, is_current
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.checklist import ListedStep, checklist
from tercet.annotation.studies.settings import change_settings
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

FACTS = {
    "institution": "Lab",
    "contact": "us",
    "duration": "an hour",
    "pay": "nothing",
    "withdrawal": "write to us",
}


@pytest.fixture
def draft(study: Study) -> Study:
    Study.objects.update(state=State.DRAFT, steps=["consent"])
    study.refresh_from_db()
    return study


def steps_of(study: Study, user: User) -> dict[str, ListedStep]:
    done = study.evaluations.filter(state=JobState.DONE).first()
    latest = study.evaluations.first()
    totals = study.questions.progress()
    current = done is not None and is_current(done, totals["votes"])
    steps = checklist(study, user, totals, latest, done, current)
    return {step.title: step for step in steps}


def next_step(study: Study, user: User) -> str:
    steps = steps_of(study, user).values()
    return next((step.title for step in steps if step.is_next), "")


def test_the_steps_of_a_draft_are_done_one_after_the_other(
    draft: Study, administrator: User
) -> None:
    assert list(steps_of(draft, administrator)) == [
        "Data",
        "Pairs",
        "Texts",
        "Try it",
        "Open",
        "Pay",
        "Results",
    ]
    assert next_step(draft, administrator) == "Texts"

    change_settings(draft, dict(FACTS), administrator)
    draft.refresh_from_db()
    assert next_step(draft, administrator) == "Try it"

    try_study(draft)
    assert next_step(draft, administrator) == "Open"


def test_a_step_says_what_it_lacks(draft: Study, administrator: User) -> None:
    steps = steps_of(draft, administrator)
    assert "Institution, Contact, Duration, Pay, Withdrawal" in steps["Texts"].text
    assert steps["Data"].text == "2 images, 6 references"
    assert steps["Pairs"].text == "4 pairs, 12 questions, 36 votes needed"

    Study.objects.update(**FACTS, steps=["practice"], language="it")
    draft.refresh_from_db()
    text = steps_of(draft, administrator)["Texts"].text
    assert text.endswith("captions: Practice with feedback.")


def test_a_trial_counts_until_the_settings_change(
    draft: Study, administrator: User
) -> None:
    try_study(draft)
    assert steps_of(draft, administrator)["Try it"].is_done

    change_settings(draft, {"title": "Other"}, administrator)
    step = steps_of(draft, administrator)["Try it"]
    assert not step.is_done
    assert step.text == "The settings have changed since the study was tried."


def test_a_paused_study_is_resumed_next(study: Study, administrator: User) -> None:
    study.state = State.PAUSED
    assert next_step(study, administrator) == "Open"


def test_a_closed_study_is_paid_and_then_computed(
    study: Study, administrator: User
) -> None:
    list(simulate(study, [1, 2, 3], 0.9, {}, 0))
    study.state = State.CLOSED
    assert next_step(study, administrator) == "Pay"

    log(study, administrator, "exported pay list", file="pay.csv")
    assert next_step(study, administrator) == "Results"

    votes = study.questions.progress()["votes"]
    digest = digest_of(study)
    Evaluation.objects.create(
        study=study, state=JobState.DONE, votes=votes, digest=digest
    )
    assert next_step(study, administrator) == ""


def test_a_closed_study_that_lacks_votes_says_so(
    study: Study, administrator: User
) -> None:
    study.state = State.CLOSED
    assert "missing votes" in steps_of(study, administrator)["Open"].text


def test_researchers_have_links_to_what_they_may_open(
    draft: Study, person: User
) -> None:
    draft.roles.create(user=person, rank=Rank.RESEARCHER)
    steps = steps_of(draft, person)
    assert steps["Data"].action is None
    assert steps["Pay"].action is None
    assert steps["Texts"].action is not None


def test_statements_do_not_depend_on_the_rows(
    draft: Study, administrator: User
) -> None:
    assert draft.dataset.title  # loaded with a study by its pages
    with CaptureQueriesContext(connection) as few:
        steps_of(draft, administrator)

    list(simulate(draft, [1, 2, 3], 0.9, {}, 0))
    Image.objects.create(dataset=draft.dataset, name="more")
    with CaptureQueriesContext(connection) as many:
        steps_of(draft, administrator)

    assert len(many) == len(few)


def test_the_page_of_a_study_has_the_checklist_until_it_is_open(
    office: Client, draft: Study
) -> None:
    def shown() -> str:
        return squeeze(office.get(draft.get_absolute_url()).text)

    assert "5 steps to go" in shown()
    assert shown().count('class="now"') == 1

    Study.objects.update(state=State.OPEN)
    assert "to go" not in shown()
