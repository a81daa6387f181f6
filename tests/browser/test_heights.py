"""Pages of a study with many people stay short: lists page, and long entries are folded."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from tercet.annotation.models import Answer, Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.quality.exclusion import exclude_annotator, exclude_vote
from tercet.annotation.studies.audit import log
from tests.annotation.judging.ballots import crowd
from tests.browser.conftest import NewContext, log_in

PEOPLE = 60
HABITS = ("good", "contrary", "fast", "left")
HIGHEST = 3_000
PATHS = ("", "quality/", "progress/", "pay/", "log/")


@pytest.fixture
def busy(study: Study, researcher: User) -> Study:
    """A crowd study with many people, of whom some are flagged, excluded or too fast."""
    study.questions.update(needed=PEOPLE)
    people = crowd(study, [HABITS[number % 4] for number in range(PEOPLE)])
    for number, person in enumerate(people):
        person.external_id = f"{number:024x}"
        person.outcome = (Outcome.DONE, Outcome.STOPPED)[number % 7 == 0]
        person.finished_at = timezone.now() + timedelta(minutes=number % 12)
        person.refused = number % 30
        person.save()

    for person in people[:25]:
        exclude_annotator(person, researcher, "answers as if nothing had been read")
    for answer in Answer.objects.filter(annotator=people[-1])[:12]:
        exclude_vote(answer, researcher, "given while somebody else was talking")
    changes = {f"setting {number}": ["before", "after"] for number in range(40)}
    for _ in range(20):
        log(study, researcher, "changed settings", **changes)
    Study.objects.update(pay="9 GBP an hour", duration="About 8 minutes")
    return study


def test_pages_of_many_people_stay_short(new_context: NewContext, busy: Study) -> None:
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    log_in(page, "researcher")
    heights = {}
    for path in PATHS:
        page.goto(f"{busy.get_absolute_url()}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        heights[path] = page.evaluate("document.documentElement.scrollHeight")

    too_high = {path: height for path, height in heights.items() if height >= HIGHEST}
    assert too_high == {}
    assert heights["log/"] > 800


def test_all_flagged_people_are_selected_at_once(
    new_context: NewContext, busy: Study
) -> None:
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    log_in(page, "researcher")
    page.goto(f"{busy.get_absolute_url()}quality/")
    page.get_by_role("link", name="Select flagged").click()
    flagged = page.get_by_text("annotators are flagged").inner_text().split(" ")[0]
    assert page.locator("input[name=chosen]:checked").count() == int(flagged) > 20
