"""The results page while votes come in: it follows them by itself, and disturbs nobody."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tercet.annotation.models import Evaluation, Study
from tercet.annotation.results.tasks import compute, request_evaluation
from tercet.annotation.studies.creation import create_study
from tests.browser.conftest import NewContext, add_votes, log_in, work
from tests.browser.test_layout import overflow

ADDRESS = "/studies/small-triplet/"


def look_twice(page: Page) -> None:
    for _ in range(2):
        with page.expect_response(lambda answer: answer.url.endswith("/status/")):
            pass


def place_of(page: Page, selector: str) -> float:
    return float(
        page.locator(selector).evaluate(
            "element => element.getBoundingClientRect().top"
        )
    )


def test_new_votes_become_new_results_and_the_reader_stays_where_she_is(
    page: Page, evaluated: Study
) -> None:
    page.add_init_script(
        "performance.now = () => 0"
    )  # all within a minute, however busy it is
    log_in(page, "researcher")
    page.goto(ADDRESS)

    expect(page.get_by_text("Based on 12 votes, computed")).to_be_visible()

    page.evaluate("window.same = true")
    page.get_by_role("heading", name="Planning a study").click()
    table = page.locator("#planning-table")
    table.locator("summary").click()
    is_open = table.evaluate("details => details.open")
    place = place_of(page, "#planning-table")

    add_votes(evaluated, 5)
    expect(page.locator("#collection")).to_contain_text("17")
    expect(page.get_by_text("Waiting for the background worker")).to_be_attached()

    work()
    expect(page.get_by_text("Based on 17 votes, computed")).to_be_attached()
    expect(
        page.get_by_role("status").filter(has_text="New results are shown.")
    ).to_be_attached()

    assert page.evaluate("window.same")
    assert abs(place_of(page, "#planning-table") - place) < 3
    expect(table).to_have_js_property("open", is_open)
    expect(table.locator("summary")).to_be_focused()

    add_votes(evaluated, 3)
    expect(page.get_by_text("Votes that count now: 20.")).to_be_attached()

    look_twice(page)
    assert Evaluation.objects.count() == 2, "asked for again within a minute"


def test_the_first_results_are_shown_from_their_top(
    page: Page, evaluated: Study
) -> None:
    Evaluation.objects.all().delete()
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, "researcher")
    page.goto(ADDRESS)

    page.locator("#collection").scroll_into_view_if_needed()
    page.get_by_role("button", name="Compute results").click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()
    page.evaluate("scrollBy({ top: 40, behavior: 'instant' })")

    work()
    expect(page.locator("#answer-title")).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0


def test_updates_can_be_turned_off_and_stay_off(page: Page, evaluated: Study) -> None:
    log_in(page, "researcher")
    page.goto(ADDRESS)
    page.get_by_label("Update as votes come in").uncheck()

    page.reload()
    expect(page.get_by_label("Update as votes come in")).not_to_be_checked()

    add_votes(evaluated, 5)
    expect(page.get_by_text("Votes that count now: 17.")).to_be_visible()

    look_twice(page)
    assert Evaluation.objects.count() == 1

    page.get_by_label("Update as votes come in").check()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()
    assert Evaluation.objects.count() == 2


def test_a_computation_that_fails_is_told_once_and_not_tried_again(
    page: Page, evaluated: Study
) -> None:
    log_in(page, "researcher")
    page.goto(ADDRESS)
    page.get_by_role("button", name="Compute again").click()

    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    add_votes(evaluated, 5)
    Evaluation.objects.filter(state="waiting").update(
        state="failed", message="No more disk"
    )

    expect(page.get_by_text("No more disk")).to_be_visible()
    expect(page.get_by_role("heading", name="Winners by category")).to_be_visible()

    look_twice(page)
    assert Evaluation.objects.count() == 2


def test_it_works_without_javascript(new_context: NewContext, evaluated: Study) -> None:
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "researcher")
    page.goto(ADDRESS)

    expect(page.get_by_label("Update as votes come in")).to_be_hidden()

    page.goto(f"{ADDRESS}?category=HC&count=1")
    expect(page.get_by_text("Accuracy with 1 reference, HC")).to_be_visible()
    page.get_by_role("link", name="3", exact=True).click()
    expect(page.get_by_text("Accuracy with 3 references, HC")).to_be_visible()

    page.get_by_role("checkbox", name="BLEU-4").uncheck()
    page.get_by_role("button", name="Use these metrics").click()
    expect(
        page.get_by_role("heading", name="CIDEr-D agrees with people in")
    ).to_be_visible()
    expect(page.get_by_role("checkbox", name="BLEU-4")).not_to_be_checked()
    expect(page.get_by_text("Accuracy with 3 references, HC")).to_be_visible()
    page.get_by_role("link", name="All metrics").click()
    expect(page.get_by_role("checkbox", name="BLEU-4")).to_be_checked()

    page.goto(f"{ADDRESS}#planning")
    expect(page.get_by_role("heading", name="Planning a study")).to_be_in_viewport()
    expect(page.get_by_role("link", name="votes_saved.csv")).to_be_visible()

    address = page.locator("a[data-plot]").first.get_attribute("href")
    assert address
    page.goto(address)
    expect(page.locator(".plot svg:visible")).to_have_count(1)

    page.goto(ADDRESS)
    page.get_by_role("button", name="Compute again").click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()


def test_the_figure_answers_pointer_keyboard_and_switches(
    page: Page, evaluated: Study
) -> None:
    log_in(page, "researcher")
    page.goto(ADDRESS)
    figure = page.get_by_role("slider", name="References per image")
    box = figure.bounding_box()
    assert box

    page.mouse.move(box["x"] + 70, box["y"] + 100)
    expect(page.get_by_text("Accuracy with 1 reference, mean")).to_be_visible()

    page.mouse.move(0, 0)
    expect(page.get_by_text("Accuracy with 3 references, mean")).to_be_visible()

    figure.press("ArrowLeft")
    expect(page.get_by_text("Accuracy with 2 references, mean")).to_be_visible()
    expect(figure).to_have_attribute("aria-valuetext", re.compile("^2 references: "))

    figure.press("Home")
    expect(page.get_by_text("Accuracy with 1 reference, mean")).to_be_visible()

    page.get_by_role("checkbox", name="BLEU-4").uncheck()
    lines = page.locator("#figure .series-bleu-4.line")
    expect(lines.first).to_have_css("visibility", "hidden")
    expect(
        page.get_by_role("heading", name="CIDEr-D agrees with people in")
    ).to_be_visible()
    expect(page.get_by_role("checkbox", name="BLEU-4")).to_be_focused()
    expect(page.locator("#paper [name='row']:enabled")).to_have_count(2)

    page.reload()
    expect(page.get_by_text("Accuracy with 1 reference, mean")).to_be_visible()


def test_an_owner_shares_what_she_sees_and_takes_it_back(
    page: Page, new_context: NewContext, evaluated: Study
) -> None:
    Study.objects.update(state="closed")
    log_in(page, "researcher")
    page.goto(f"{ADDRESS}?category=HC")
    page.get_by_role("checkbox", name="BLEU-4").first.uncheck()
    page.get_by_role("slider", name="References per image").press("Home")
    page.get_by_role("heading", name="Share a view of the results").click()
    page.get_by_label("Name of the view").fill("Human captions")
    page.get_by_role("button", name="Share this view").click()

    expect(page.get_by_text("Whoever has the address below")).to_be_visible()
    expect(page.get_by_role("checkbox", name="BLEU-4").first).not_to_be_checked()
    address = page.get_by_label("Address of “Human captions”").input_value()

    reader = new_context().new_page()
    reader.goto(address)
    expect(reader.get_by_text("Accuracy with 1 reference, HC")).to_be_visible()
    expect(reader.get_by_role("checkbox", name="BLEU-4")).to_have_count(0)
    line = reader.locator("#figure .series-bleu-4.line").first
    expect(line).to_have_css("visibility", "hidden")

    reader.get_by_role("slider", name="References per image").press("End")
    expect(reader.get_by_text("Accuracy with 3 references, HC")).to_be_visible()

    page.get_by_role("button", name="Take back Human captions").click()
    expect(
        page.get_by_text("The address of “Human captions” is closed")
    ).to_be_visible()
    reader.reload()
    expect(reader.get_by_role("heading", name="Human captions")).to_have_count(0)


@pytest.mark.parametrize(("width", "top"), [(1280, 340), (390, 520)])
def test_the_figure_is_on_the_first_screen_and_the_folded_page_is_short(
    new_context: NewContext, evaluated: Study, width: int, top: int
) -> None:
    page = new_context(viewport={"width": width, "height": 800}).new_page()
    log_in(page, "researcher")
    page.goto(ADDRESS)
    figure = page.locator("#figure").bounding_box()
    assert figure

    assert figure["y"] <= top
    if width == 1280:
        assert figure["y"] + figure["height"] <= 800
        whole = page.locator(".answered").bounding_box()
        assert whole
        assert whole["y"] + whole["height"] <= 800
        assert page.evaluate("document.documentElement.scrollHeight") <= 3000


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_results_fit_their_window_and_say_no_error(
    new_context: NewContext, evaluated: Study, width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 800}).new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda line: errors.append(line.text) if line.type == "error" else None,
    )
    log_in(page, "researcher")
    page.goto(ADDRESS)
    page.evaluate(
        "document.querySelectorAll('details').forEach(each => { each.open = true })"
    )

    expect(page.locator("a[data-plot]")).to_have_count(0)
    expect(page.get_by_role("link", name="Show the plot")).to_have_count(0)
    plots = page.locator(".plot > [role]")
    assert plots.count() >= 5

    for plot in plots.all():
        plot.scroll_into_view_if_needed()
        assert plot.locator("svg:visible").count() == 1

    assert overflow(page) == 0
    assert errors == []


def test_the_whole_report_runs_nothing(page: Page, evaluated: Study) -> None:
    report = Path(Evaluation.objects.get().folder, "index.html")
    hostile = "<script>document.title = 'run'</script><img src=x onerror=\"document.title='run'\">"
    report.write_text(report.read_text().replace("</body>", f"{hostile}</body>"))
    log_in(page, "researcher")
    page.goto(ADDRESS)
    with page.expect_popup() as opened:
        page.get_by_role("link", name=re.compile("Full report on one page")).click()

    whole = opened.value
    expect(whole.get_by_role("heading", name="Planning a study")).to_be_visible()

    whole.wait_for_timeout(300)
    assert whole.title() != "run"
    expect(whole.get_by_role("img").first.locator("svg").first).to_be_visible()


def test_the_study_it_was_compared_with_is_a_link(page: Page, evaluated: Study) -> None:
    evaluated.dataset.images.update(url="https://example.org/picture.png")
    other = create_study(
        Study(dataset=evaluated.dataset, title="Which?", protocol="pairwise")
    )
    add_votes(other, 4)
    compute.call(request_evaluation(evaluated).pk)
    log_in(page, "researcher")
    page.goto(ADDRESS)
    page.get_by_role("heading", name="Triplet against pairwise").click()
    page.get_by_role("link", name="Which?").click()
    expect(page.get_by_role("heading", name="Which?")).to_be_visible()
