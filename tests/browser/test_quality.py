"""Progress and quality: what comes in shows by itself, and who is excluded can come back."""

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Study
from tests.annotation.judging.ballots import crowd
from tests.annotation.questions import answer_all, choose, claimed
from tests.browser.conftest import NewContext, log_in
from tests.browser.test_layout import overflow

STUDY = "/studies/small-triplet"
UPDATES = ("fetch", "xhr")
"""Kinds of requests that a page makes to bring itself up to date."""


def test_progress_follows_the_votes_and_keeps_what_is_open_and_focused(
    page: Page, study: Study, researcher: User
) -> None:
    person = new_annotator(study)
    choose(claimed(person), "B")
    log_in(page, "researcher")
    page.goto(f"{STUDY}/progress/")
    page.evaluate("window.same = true")

    standing = page.locator("#standing")
    expect(standing).to_contain_text("2 % complete")

    page.get_by_text("As a table").first.click()
    page.get_by_role("link", name=person.name).focus()

    answer_all(new_annotator(study))
    expect(standing).to_contain_text("36 % complete")
    expect(page.locator("#by-votes-table")).to_be_visible()

    expect(page.locator("#by-votes-table tr").nth(2)).to_contain_text("11")
    expect(page.locator("#people tbody tr")).to_have_count(2)
    expect(page.get_by_role("link", name=person.name)).to_be_focused()
    assert page.evaluate("window.same"), "the page was loaded anew"


def test_progress_stays_as_it_is_where_nobody_wants_updates(
    page: Page, study: Study, researcher: User
) -> None:
    log_in(page, "researcher")
    page.goto(f"{STUDY}/progress/")
    follow = page.get_by_label("Update as votes come in")
    follow.uncheck()
    asked: list[str] = []
    page.on(
        "request",
        lambda sent: asked.append(sent.url) if sent.resource_type in UPDATES else None,
    )
    page.clock.install()

    page.reload()
    expect(follow).not_to_be_checked()

    asked.clear()
    page.clock.run_for(30_000)

    assert not asked


def test_an_annotator_is_excluded_and_taken_back(
    new_context: NewContext, study: Study, researcher: User
) -> None:
    person = new_annotator(study)
    answer_all(person)
    page = new_context(viewport={"width": 390, "height": 800}).new_page()
    log_in(page, "researcher")

    page.goto(f"{STUDY}/quality/")
    assert overflow(page) == 0

    page.get_by_label(f"Select {person.name}").check()
    page.get_by_label("Reason").fill("the same key all the time")
    page.get_by_role("button", name="Exclude selected").click()

    expect(page.get_by_text("Votes missing now: ")).to_be_visible()
    assert study.questions.open().count() == 12
    assert study.questions.progress()["votes"] == 0
    expect(page.get_by_role("cell", name="the same key all the time")).to_be_visible()

    page.get_by_role("button", name=f"Include {person.name} again").click()
    expect(page.get_by_text("Votes that count again: 12.")).to_be_visible()
    assert study.questions.progress()["votes"] == 12


def test_one_vote_is_excluded_and_taken_back(
    page: Page, study: Study, researcher: User
) -> None:
    person = new_annotator(study)
    choose(claimed(person), "C")
    log_in(page, "researcher")
    page.goto(f"{STUDY}/quality/")
    page.get_by_role("link", name=person.name).click()
    page.get_by_role("checkbox", name="Select vote").check()
    page.locator("#excluding").get_by_label("Reason").fill("the phone rang")

    page.get_by_role("button", name="Exclude selected").click()
    expect(page.get_by_text("Votes excluded: 1.")).to_be_visible()
    assert study.questions.progress()["votes"] == 0

    page.get_by_role("button", name="Include vote").click()
    expect(page.get_by_text("Votes that count again: 1.")).to_be_visible()
    assert study.questions.progress()["votes"] == 1


def test_every_page_fits_a_small_window(
    new_context: NewContext, study: Study, researcher: User
) -> None:
    people = crowd(study, ["good", "contrary", "contrary"])
    page = new_context(viewport={"width": 320, "height": 700}).new_page()
    log_in(page, "researcher")
    chosen = "&".join(f"chosen={person.pk}" for person in people[1:])
    paths = (
        "progress/",
        "quality/",
        f"quality/without/?{chosen}",
        f"annotators/{people[0].pk}/",
    )

    for path in paths:
        page.goto(f"{STUDY}/{path}")
        assert overflow(page) == 0, path
