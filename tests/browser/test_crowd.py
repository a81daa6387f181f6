"""The ordinary course of a crowd study: every number on every page is of the same votes."""

import csv
import io
import zipfile
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tercet.annotation.models import Evaluation, Study
from tercet.annotation.results.digests import digest_of
from tercet.annotation.results.tasks import request_evaluations_of_ends
from tests.browser.conftest import (
    NewContext,
    judged,
    log_in,
    open_group,
    page_of,
    settled,
    work,
)
from tests.browser.test_day import go_to
from tests.support.folders import PAIRS
from tests.support.pages import squeeze

pytestmark = pytest.mark.voting

B, C = ({row[side] for row in PAIRS} for side in (2, 3))
"""The captions of both sides."""
CAREFUL, CARELESS, LATE = "a" * 24, ("b" * 24, "c" * 24), ("d" * 24, "e" * 24)
WARNING = "These are not the votes that count now:"


@pytest.mark.usefixtures("few_metrics", "no_drawings")
def test_results_methods_pay_and_archive_are_of_the_votes_that_count_at_the_end(
    page: Page,
    new_context: NewContext,
    researcher: User,
    study: Study,
    settings: Settings,
) -> None:
    settings.PROXIES = 1
    Study.objects.update(references=1, votes=3)
    study.questions.exclude(reference__number=1).delete()
    log_in(page, "researcher")
    link = open_to_the_platform(page, study)

    judge_as(new_context, link, CAREFUL, B)
    for person in CARELESS:
        judge_as(new_context, link, person, C)
    compute()
    shows(page, study, "Winners of 4 pairs: C 4.", "Based on 12 votes")
    expect(page.get_by_text(WARNING)).to_have_count(0)

    exclude(page, study, CARELESS)
    go_to(page, "Results")
    shows(page, study, WARNING, "Votes that count now: 4.", "Based on 12 votes")

    for person in LATE:
        judge_as(new_context, link, person, B)
    shows(page, study, WARNING, "Votes that count now: 12.", "changed since.")
    expect(page.get_by_text("Winners of 4 pairs: C 4.")).to_be_attached()

    close(page)
    compute()
    assert Evaluation.objects.count() == 2
    everything_is_of_the_same_votes(page, study)


def open_to_the_platform(page: Page, study: Study) -> str:
    page.goto(study.get_absolute_url())
    go_to(page, "Settings")
    open_group(page, "Who can take part")
    page.get_by_label("people can join through the crowdsourcing link").check()
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()
    study.refresh_from_db()
    return f"/crowd/{study.crowd_code}/?PROLIFIC_PID="


def judge_as(
    new_context: NewContext, link: str, person: str, preferred: AbstractSet[object]
) -> None:
    """Join by the platform's link, and always choose the caption of one side."""
    page = page_of(new_context, person)
    page.goto(link + person)
    page.get_by_role("button", name="Begin").click()

    for number in range(1, len(PAIRS) + 1):
        settled(page)
        left = page.locator("#left").inner_text().strip()
        page.keyboard.press("1" if left in preferred else "2")
        if number < len(PAIRS):
            judged(page, number)
    expect(page.get_by_text("Your completion code:")).to_be_visible()


def compute() -> None:
    """Let the worker notice that the study has all its votes, and compute its results."""
    request_evaluations_of_ends()
    work()


def exclude(page: Page, study: Study, people: tuple[str, ...]) -> None:
    go_to(page, "Quality")
    for person in people:
        name = study.annotators.get(external_id=person).name
        page.get_by_role("row").filter(has_text=name).get_by_role("checkbox").check()
    page.get_by_label("Reason").first.fill("chose what was wrong")
    page.get_by_role("button", name="Exclude selected").click()
    expect(page.get_by_role("heading", name="Excluded")).to_be_visible()


def close(page: Page) -> None:
    go_to(page, "Settings")
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("The study is now closed.")).to_be_visible()


def shows(page: Page, study: Study, *texts: str) -> None:
    page.goto(study.get_absolute_url())
    for text in texts:
        expect(page.get_by_text(text).first).to_be_attached()


def everything_is_of_the_same_votes(page: Page, study: Study) -> None:
    study.refresh_from_db()
    digest = digest_of(study)[:12]
    shows(page, study, "Winners of 4 pairs: B 4.", "Based on 12 votes", digest)
    text = squeeze(page.locator("main").text_content() or "")
    assert WARNING not in text
    assert "The study is closed, with all votes that it needs." in text
    assert "3 people gave 12 votes on 4 questions" in text
    assert "2 people were excluded after a look at their votes, with 8 votes" in text
    assert "are unfinished" not in text

    table = page.request.get(f"{study.get_absolute_url()}files/paper.csv").text()
    assert digest in table
    assert "12 votes" in table
    assert WARNING.rstrip(":") not in table

    approved = page.request.get(f"{study.get_absolute_url()}pay/approve.csv").text()
    assert sorted(approved.split()) == sorted([CAREFUL, *LATE])
    archive_has(page.request.get(f"{study.get_absolute_url()}files/export.zip").body())


def archive_has(content: bytes) -> None:
    """The archive has all votes; twelve by three people count, and decide for B."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {Path(name).name: name for name in archive.namelist()}
        votes = rows(archive.read(files["votes.csv"]))
        winners = rows(archive.read(files["pairs.csv"]))
        readme = archive.read(files["README.txt"]).decode()

    counted = [row for row in votes if row["status"] in ("", "valid")]
    assert (len(votes), len(counted)) == (20, 12)
    assert len({row["annotator"] for row in counted}) == 3
    assert [row["winner"] for row in winners] == ["B"] * 4
    assert [row["votes"] for row in winners] == ["3"] * 4
    assert "3 people gave 12 votes on 4 questions" in squeeze(readme)


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))
