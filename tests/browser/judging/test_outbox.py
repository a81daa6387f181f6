"""What a browser keeps until the server has it: no connection, a server that is down, two tabs."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, Error, Page, Route, expect

from tercet.annotation.models import AccountSession, Answer, Lease, Study
from tercet.annotation.models.answer import Status
from tercet.annotation.models.study import State
from tests.browser.conftest import PASSWORD, NewContext, join, judged, log_in, press

SYNC = "**/sync/"
TOO_FAST = "That was too fast. Please read the question and answer again."
NO_CONNECTION = "No connection: your answers are kept in this browser"
LATE = """
const { ready } = navigator.serviceWorker;
Object.defineProperty(navigator.serviceWorker, "ready", {
  value: new Promise((resolve) => setTimeout(resolve, 3000)).then(() => ready),
});
"""
"""A browser in which the worker is long in coming."""


def waiting(page: Page, entries: int, judged: int | None = None) -> None:
    judged = entries if judged is None else judged
    text = f"{judged} judged, {entries} waiting to be saved"
    expect(page.locator("#count")).to_have_text(text)


def try_again(page: Page) -> None:
    """What the browser says when a connection is back."""
    page.evaluate("dispatchEvent(new Event('online'))")


@pytest.mark.parametrize("undone", [False, True])
def test_votes_given_offline_are_sent_once_the_connection_is_back(
    page: Page, study: Study, undone: bool
) -> None:
    join(page, study)
    page.context.set_offline(True)

    for votes in range(1, 4):
        press(page, "1")
        waiting(page, votes)

    expect(page.get_by_text(NO_CONNECTION)).to_be_visible()
    assert not Answer.objects.exists()

    if undone:
        before = page.locator("#a").inner_text()
        press(page, "u")
        waiting(page, 2)

        expect(page.get_by_text("Last answer undone.")).to_be_visible()

        press(page, "2")
        waiting(page, 3)

        assert page.locator("#a").inner_text() == before

    page.context.set_offline(False)
    judged(page, 3)

    expect(page.get_by_text(NO_CONNECTION)).to_be_hidden()
    assert Answer.objects.valid().count() == Answer.objects.count() == 3

    last = Answer.objects.latest("pk")
    side = "right" if undone else "left"

    assert last.choice == ("B" if last.b_side == side else "C")
    assert last.seconds is None

    assert last.active_seconds is not None


def test_a_question_that_was_answered_too_fast_is_asked_again(
    page: Page, study: Study
) -> None:
    Study.objects.update(enforced_seconds=300)
    join(page, study)
    asked = page.locator("#a").inner_text(), page.locator("#left").inner_text()
    press(page, "1")

    told = page.get_by_role("alert").filter(has_text=TOO_FAST)
    expect(told).to_be_visible()

    judged(page, 0)
    assert (
        page.locator("#a").inner_text(),
        page.locator("#left").inner_text(),
    ) == asked
    assert page.get_by_text(NO_CONNECTION).is_hidden()
    assert study.annotators.get().refused == 1

    Study.objects.update(enforced_seconds=0)
    press(page, "1")
    judged(page, 1)

    expect(told).to_be_hidden()
    assert Answer.objects.valid().count() == 1


def test_votes_that_were_all_too_fast_leave_no_empty_page(
    page: Page, study: Study
) -> None:
    Study.objects.update(enforced_seconds=300)
    join(page, study)
    asked = page.locator("#a").inner_text()
    page.context.set_offline(True)

    for votes in range(1, 5):
        press(page, "1")
        waiting(page, votes)

    expect(page.locator("#answers")).to_be_hidden()

    page.context.set_offline(False)
    expect(page.get_by_text(TOO_FAST)).to_be_visible()

    judged(page, 0)
    expect(page.locator("#a")).to_have_text(asked)
    assert not Answer.objects.exists()


def test_an_undo_counts_though_the_vote_after_it_was_too_fast(
    page: Page, study: Study
) -> None:
    join(page, study)
    for votes in (1, 2):
        press(page, "1")
        judged(page, votes)

    Study.objects.update(enforced_seconds=300)
    page.context.set_offline(True)
    press(page, "u")
    waiting(page, 1, judged=1)
    press(page, "1")
    waiting(page, 2, judged=2)

    page.context.set_offline(False)
    expect(page.get_by_text(TOO_FAST)).to_be_visible()

    judged(page, 1)
    assert Answer.objects.latest("pk").status == Status.SUPERSEDED

    press(page, "u")  # the vote before can be undone as well
    judged(page, 0)

    expect(page.locator("#undoing")).to_be_hidden()

    Study.objects.update(enforced_seconds=0)
    for votes in (1, 2):
        press(page, "1")
        judged(page, votes)

    assert Answer.objects.valid().count() == 2


def test_offline_one_can_judge_what_the_page_holds(page: Page, study: Study) -> None:
    join(page, study)
    page.context.set_offline(True)

    for votes in range(1, 5):
        press(page, "1")
        waiting(page, votes)

    expect(page.get_by_text("The next question appears when")).to_be_visible()
    expect(page.locator("#answers")).to_be_hidden()

    press(page, "1")
    press(page, "u")
    waiting(page, 3)
    press(page, "1")
    waiting(page, 4)
    page.context.set_offline(False)
    judged(page, 4)
    press(page, "1")

    judged(page, 5)
    assert Answer.objects.valid().count() == 5


def test_a_reload_keeps_the_votes_that_wait(page: Page, study: Study) -> None:
    join(page, study)
    page.route(SYNC, lambda route: route.abort())
    press(page, "1")
    waiting(page, 1)
    second = page.locator("#a").inner_text()
    page.reload()

    waiting(page, 1)
    assert page.locator("#a").inner_text() == second

    press(page, "1")
    waiting(page, 2)
    page.unroute(SYNC)
    try_again(page)

    judged(page, 2)
    assert Answer.objects.count() == 2


def test_a_server_that_is_down_for_a_while_loses_nothing(
    page: Page, study: Study
) -> None:
    join(page, study)
    page.route(SYNC, lambda route: route.fulfill(status=503, body="<h1>Down</h1>"))
    press(page, "1")
    press(page, "2")
    waiting(page, 2)
    page.unroute(SYNC)

    judged(page, 2)
    assert Answer.objects.count() == 2


def test_an_answer_of_the_server_that_never_comes_changes_nothing(
    page: Page, study: Study
) -> None:
    join(page, study)
    page.route(SYNC, take_and_say_nothing, times=1)
    press(page, "1")

    judged(page, 1)
    assert Answer.objects.count() == 1


def test_a_vote_that_the_server_may_have_is_undone_there(
    page: Page, study: Study
) -> None:
    join(page, study)
    before = page.locator("#a").inner_text()
    page.route(SYNC, lambda route: route.abort())
    page.route(SYNC, take_and_say_nothing, times=1)

    press(page, "1")
    expect(page.get_by_text(NO_CONNECTION)).to_be_visible()

    waiting(page, 1)
    press(page, "u")

    expect(
        page.get_by_text("will be undone when the connection is back")
    ).to_be_visible()

    page.unroute(SYNC)
    try_again(page)
    judged(page, 0)

    assert page.locator("#a").inner_text() == before
    assert Answer.objects.get().status == Status.SUPERSEDED

    press(page, "2")
    judged(page, 1)


def take_and_say_nothing(route: Route) -> None:
    route.fetch()
    route.abort()


def test_a_browser_without_room_sends_its_form(page: Page, study: Study) -> None:
    join(page, study)
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new Error('full') } }"
    )
    press(page, "1")
    page.wait_for_load_state()

    judged(page, 1)
    assert Answer.objects.count() == 1


def test_what_waits_is_sent_from_the_pages_after_the_judging(
    page: Page, study: Study
) -> None:
    join(page, study)
    page.route(SYNC, lambda route: route.abort())
    press(page, "1")
    waiting(page, 1)
    page.unroute(SYNC)
    Lease.objects.update(live=False)
    study.questions.update(leases=0)
    Study.objects.update(state=State.PAUSED)

    page.reload()
    expect(page.get_by_text("You have judged 1 question")).to_be_visible()
    assert Answer.objects.valid().count() == 1


# Who one is


def test_a_session_that_ends_in_the_middle_loses_nothing(
    page: Page, study: Study
) -> None:
    ann = User.objects.create_user("ann", password=PASSWORD)
    page.goto(f"/studies/{study.name}/judge/")
    log_in_here(page)
    press(page, "1")
    judged(page, 1)
    AccountSession.objects.all().delete()

    press(page, "2")
    expect(
        page.get_by_text("Your answers are saved, but you have been logged out")
    ).to_be_visible()
    expect(page.locator("#answers")).to_be_hidden()
    assert Answer.objects.filter(annotator__user=ann).count() == 2

    page.get_by_role("link", name="Log in").click()
    log_in_here(page)
    judged(page, 2)
    press(page, "1")

    judged(page, 3)
    assert study.annotators.count() == 1


def log_in_here(page: Page) -> None:
    page.get_by_label("Username").fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/judge/")


def test_cookies_that_are_cleared_in_the_middle_lose_nothing(
    page: Page, study: Study
) -> None:
    join(page, study)
    page.context.clear_cookies()
    press(page, "1")

    expect(page.get_by_text("open the link that you were given")).to_be_visible()
    assert Answer.objects.get().annotator == study.annotators.get()


# Two tabs


@pytest.fixture
def tabs(new_context: NewContext, study: Study) -> list[Page]:
    """Two pages of one person."""
    context: BrowserContext = new_context()
    first, second = context.new_page(), context.new_page()
    join(first, study)
    second.goto(first.url)

    return [first, second]


def key_on(page: Page) -> str:
    return page.locator("#key").input_value()


def test_no_tab_shows_a_question_that_the_other_answered(
    tabs: list[Page], study: Study
) -> None:
    first, second = tabs
    assert key_on(first) == key_on(second)

    for number, (one, other) in enumerate(
        [(first, second), (second, first)] * 3, start=1
    ):
        key = key_on(one)
        press(one, "1")

        expect(other.locator("#key")).not_to_have_value(key)

        judged(one, number)

    assert Answer.objects.valid().count() == Answer.objects.count() == 6


def test_tabs_that_were_offline_together_send_every_vote_once(
    tabs: list[Page], study: Study
) -> None:
    first, second = tabs
    first.context.set_offline(True)

    for votes, page in enumerate([first, second, first, second], start=1):
        press(page, "1")
        waiting(page, votes)

    first.context.set_offline(False)
    for page in tabs:
        expect(page.locator("#count")).to_contain_text("all saved")
        expect(page.locator("#answers")).to_be_visible()
    assert Answer.objects.valid().count() == Answer.objects.count() == 4


@pytest.fixture
def page_with_worker(new_context: NewContext) -> Page:
    return new_context(service_workers="allow").new_page()


def wait_for_worker(page: Page) -> None:
    """Until the browser could show the page without a connection."""
    page.evaluate(
        """async () => {
            while (!await caches.match(location.pathname)) await new Promise(requestAnimationFrame);
        }"""
    )


def test_a_reload_without_a_connection_goes_on_where_one_was(
    page_with_worker: Page, study: Study
) -> None:
    page = page_with_worker
    join(page, study)
    wait_for_worker(page)
    press(page, "1")
    judged(page, 1)
    second = page.locator("#a").inner_text()
    page.context.set_offline(True)
    page.reload()

    judged(page, 1)
    assert page.locator("#a").inner_text() == second

    for votes in (2, 3):
        press(page, "2")
        expect(page.locator("#count")).to_have_text(
            f"{votes} judged, {votes - 1} waiting to be saved"
        )

        page.reload()

    expect(page.get_by_text(NO_CONNECTION)).to_be_visible()

    page.context.set_offline(False)
    try_again(page)
    judged(page, 3)

    assert Answer.objects.valid().count() == Answer.objects.count() == 3

    page.reload()
    judged(page, 3)


def test_a_reload_without_a_connection_after_an_undo_asks_the_same_again(
    page_with_worker: Page, study: Study
) -> None:
    page = page_with_worker
    join(page, study)
    wait_for_worker(page)
    first = page.locator("#a").inner_text()
    press(page, "1")
    judged(page, 1)
    press(page, "u")
    judged(page, 0)
    page.context.set_offline(True)
    page.reload()

    judged(page, 0)
    assert page.locator("#a").inner_text() == first

    press(page, "1")
    page.context.set_offline(False)
    try_again(page)

    judged(page, 1)
    assert Answer.objects.valid().count() == 1


def test_without_a_connection_every_page_of_the_study_comes_back(
    page_with_worker: Page, study: Study
) -> None:
    """Steps and judging have one address: whichever was seen last is shown."""
    page = page_with_worker
    Study.objects.filter(pk=study.pk).update(steps=["instructions"])
    join(page, study)
    wait_for_worker(page)
    page.context.set_offline(True)

    page.reload()
    expect(page.get_by_role("button", name="I have read this")).to_be_visible()

    page.context.set_offline(False)
    page.get_by_role("button", name="I have read this").click()

    expect(page.locator("#judge")).to_be_visible()

    press(page, "1")
    judged(page, 1)
    page.context.set_offline(True)
    page.reload()
    judged(page, 1)


def test_of_two_tabs_either_goes_on_without_a_connection(
    page_with_worker: Page, study: Study
) -> None:
    one = page_with_worker
    join(one, study)
    wait_for_worker(one)
    two = one.context.new_page()
    two.goto(one.url)
    press(one, "1")
    judged(one, 1)
    second = one.locator("#a").inner_text()
    one.context.set_offline(True)

    for tab in (two, one):
        tab.reload()
        judged(tab, 1)
        assert tab.locator("#a").inner_text() == second


def test_two_tabs_leave_the_storage_in_peace(page: Page, study: Study) -> None:
    join(page, study)
    other = page.context.new_page()
    other.goto(page.url)

    for tab in (page, other):
        tab.evaluate(
            "addEventListener('storage', () => { window.heard = (window.heard ?? 0) + 1; })"
        )

    press(page, "1")
    judged(page, 1)
    page.wait_for_timeout(1000)

    assert all(tab.evaluate("window.heard ?? 0") < 10 for tab in (page, other))


def test_a_worker_that_comes_late_keeps_the_page_all_the_same(
    page_with_worker: Page, study: Study
) -> None:
    """On a slow line several votes are sent before it is there."""
    page = page_with_worker
    page.add_init_script(LATE)
    join(page, study)

    for votes in range(1, 4):
        press(page, "1")
        judged(page, votes)

    wait_for_worker(page)
    press(page, "1")
    judged(page, 4)
    fifth = page.locator("#a").inner_text()
    page.context.set_offline(True)
    page.reload()

    judged(page, 4)
    assert page.locator("#a").inner_text() == fifth


def test_an_undo_outlives_a_reload_without_a_connection(
    page_with_worker: Page, study: Study
) -> None:
    page = page_with_worker
    join(page, study)

    for votes in (1, 2):
        press(page, "1")
        judged(page, votes)

    second = page.locator("#a").inner_text()
    page.reload()
    wait_for_worker(page)
    press(page, "u")
    judged(page, 1)

    asked_again = page.locator("#a").inner_text()
    assert asked_again != second

    page.context.set_offline(True)
    page.reload()
    judged(page, 1)

    assert page.locator("#a").inner_text() == asked_again


def test_a_step_waits_for_the_connection_on_its_page(page: Page, study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(steps=["comprehension"])
    join(page, study)
    page.get_by_label("meaning is closer to A").check()
    page.get_by_label("first impression").check()
    page.context.set_offline(True)

    page.get_by_role("button", name="Send my answers").click()
    expect(page.get_by_text("The site cannot save this right now.")).to_be_visible()

    page.context.set_offline(False)
    page.get_by_role("button", name="Send my answers").dblclick()

    expect(page.locator("#judge")).to_be_visible()
    assert study.annotators.get().tries == 0


def test_the_last_page_is_waited_for_where_the_server_has_a_fault(
    page: Page, study: Study
) -> None:
    """The page stays, and asks again more and more seldom."""
    Study.objects.filter(pk=study.pk).update(max_judgments=1)
    join(page, study)
    asked: list[str] = []
    page.on(
        "request",
        lambda request: asked.append(f"{request.resource_type} {request.url[-7:]}"),
    )
    page.route(
        "**/judge/", lambda route: route.fulfill(status=502, body="<h1>Down</h1>")
    )
    press(page, "1")
    judged(page, 1)
    with page.expect_request("**/judge/"):
        page.wait_for_timeout(4000)

    assert "document /judge/" not in asked
    assert 0 < asked.count("fetch /judge/") < 5

    page.unroute("**/judge/")
    expect(page.get_by_text("Your completion code")).to_be_visible()


def test_who_logs_out_leaves_no_page_behind(
    page_with_worker: Page, study: Study, researcher: User
) -> None:
    page = page_with_worker
    log_in(page, "researcher")
    address = f"/studies/{study.name}/judge/"
    page.goto(address)
    wait_for_worker(page)
    page.goto("/studies/")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/")

    page.context.set_offline(True)
    with pytest.raises(Error, match="ERR_"):
        page.goto(address)
