"""Judging in Chromium: keys, touch, no JavaScript, double clicks, captions of every kind."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Answer, Candidate, Image, Reference, Remark, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.study import State
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import set_state
from tests.annotation.full import SVG
from tests.annotation.questions import pair_of
from tests.browser.conftest import NewContext, join, judged, press, settled
from tests.support.folders import dataset_folder

EDGES = """caption => {
  const range = document.createRange();
  range.selectNodeContents(caption);
  const text = range.getBoundingClientRect();
  const box = caption.closest(".caption").getBoundingClientRect();
  return [text.left - box.left, box.right - text.right].map(Math.round);
}"""
"""How far a text is from the left and from the right edge of its box."""
SHORT = "a dog"
LONG = "a brown dog with a long tail runs over the green grass after a small red ball in the sun"


def question(page: Page) -> list[str]:
    return [page.locator(f"#{name}").inner_text() for name in ("a", "left", "right")]


def test_a_key_chooses_the_sentence_on_its_side(page: Page, study: Study) -> None:
    keys = {"1": "left", "ArrowLeft": "left", "2": "right", "ArrowRight": "right"}
    join(page, study)

    for votes, (key, side) in enumerate(keys.items(), start=1):
        press(page, key)
        judged(page, votes)
        cast = Answer.objects.latest("pk")

        assert cast.choice == ("B" if cast.b_side == side else "C")


def test_the_sides_on_the_page_are_those_that_are_stored(
    page: Page, study: Study
) -> None:
    join(page, study)
    for votes in range(1, 4):
        a, left, _ = question(page)
        press(page, "1")
        judged(page, votes)
        cast = Answer.objects.latest("pk")

        pair = pair_of(cast.question)
        assert str(cast.question.reference) == a
        assert cast.choice == ("B" if pair.b.caption == left else "C")
        assert cast.b_side == (Side.LEFT if pair.b.caption == left else Side.RIGHT)


def test_zero_says_that_one_cannot_tell_where_that_is_offered(
    page: Page, study: Study
) -> None:
    Study.objects.update(ties=True)
    join(page, study)
    press(page, "0")

    judged(page, 1)
    assert Answer.objects.get().choice == "tie"


def test_zero_is_nothing_where_it_is_not_offered(page: Page, study: Study) -> None:
    join(page, study)
    press(page, "0")
    press(page, "1")

    judged(page, 1)
    assert Answer.objects.get().choice != "tie"


def test_u_takes_a_saved_vote_back_and_asks_again(page: Page, study: Study) -> None:
    join(page, study)
    before = question(page)
    press(page, "1")
    judged(page, 1)
    press(page, "u")

    judged(page, 0)
    expect(page.get_by_role("status").last).to_have_text("Last answer undone.")
    assert question(page) == before
    assert not Answer.objects.valid().exists()

    press(page, "2")
    judged(page, 1)

    assert question(page) != before


def test_a_reload_changes_nothing(page: Page, study: Study) -> None:
    join(page, study)
    press(page, "1")
    judged(page, 1)
    before = page.locator(".judge").inner_text()

    page.reload()
    assert page.locator(".judge").inner_text() == before


def test_the_question_mark_shows_and_hides_instructions_and_keys(
    page: Page, study: Study
) -> None:
    join(page, study)
    press(page, "?")

    expect(page.get_by_text("whose meaning is closer to A")).to_be_in_viewport()
    expect(page.get_by_text("undo the last answer", exact=True)).to_be_visible()

    press(page, "?")
    expect(page.get_by_text("whose meaning is closer to A")).to_be_hidden()


def test_one_press_or_click_votes_once(page: Page, study: Study) -> None:
    join(page, study)
    settled(page)
    page.locator("label.option").first.dblclick()
    judged(page, 1)
    settled(page)
    page.keyboard.down("1")
    for _ in range(5):
        page.keyboard.down("1")

    judged(page, 2)
    settled(page)
    page.keyboard.down("1")
    page.keyboard.up("1")
    press(page, "Control+1")
    page.reload()

    judged(page, 2)
    assert Answer.objects.count() == 2


def test_a_question_that_has_just_come_is_not_answered_by_accident(
    page: Page, study: Study
) -> None:
    join(page, study)
    settled(page)
    page.evaluate(
        "for (const key of '12') document.dispatchEvent(new KeyboardEvent('keydown', { key }))"
    )

    judged(page, 1)
    expect(page.locator("#answers :checked")).to_have_count(0)

    page.reload()
    judged(page, 1)


def test_no_shortcut_fires_where_one_writes(page: Page, study: Study) -> None:
    join(page, study)
    press(page, "1")
    judged(page, 1)
    page.evaluate(
        "document.querySelector('main').append(document.createElement('textarea'))"
    )
    page.locator("textarea").focus()

    page.keyboard.type("12u?")
    expect(page.locator("textarea")).to_have_value("12u?")
    expect(page.locator("#help")).not_to_have_attribute("open", "")

    page.reload()
    judged(page, 1)


def test_shortcuts_can_be_turned_off_and_stay_off(page: Page, study: Study) -> None:
    join(page, study)
    press(page, "?")
    page.get_by_label("Keyboard shortcuts").uncheck()
    page.reload()
    press(page, "1")
    page.get_by_text("Instructions and shortcuts").click()
    page.get_by_label("Keyboard shortcuts").check()
    judged(page, 0)
    press(page, "1")
    judged(page, 1)


def test_the_form_works_with_tab_space_and_enter_too(page: Page, study: Study) -> None:
    join(page, study)
    settled(page)
    page.locator("#answers input[type=radio]").first.focus()

    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Save and continue")).to_be_visible()

    judged(page, 0)
    page.keyboard.press("Enter")
    judged(page, 1)

    expect(page.locator("#reference")).to_be_focused()

    cast = Answer.objects.get()
    assert cast.choice == ("B" if cast.b_side == Side.RIGHT else "C")


def test_it_works_without_javascript(new_context: NewContext, study: Study) -> None:
    page = new_context(java_script_enabled=False).new_page()
    join(page, study)

    for votes in range(1, 13):
        page.locator("label.option").first.click()
        page.get_by_role("button", name="Save and continue").click()

        expect(
            page.get_by_text(re.compile(rf"\b{votes} (judged|questions)"))
        ).to_be_visible()

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

    page.get_by_role("button", name="Undo").click()
    judged(page, 11)


@pytest.mark.parametrize("script", ["main", "judge", "outbox"])
def test_a_script_that_does_not_arrive_leaves_a_form_that_works(
    page: Page, study: Study, script: str
) -> None:
    page.route(f"**/judging/{script}.js", lambda route: route.abort())
    join(page, study)
    page.locator("label.option").first.click()
    page.get_by_role("button", name="Save and continue").click()
    judged(page, 1)


def test_a_browser_that_comes_back_goes_on_as_the_same_person(
    new_context: NewContext, study: Study
) -> None:
    context = new_context()
    page = context.new_page()
    join(page, study)
    press(page, "1")
    judged(page, 1)
    page.goto(f"/join/{study.join_code}/")

    judged(page, 1)
    assert study.annotators.count() == 1


def test_on_a_phone_the_sentences_are_stacked_and_answered_by_touch(
    new_context: NewContext, study: Study
) -> None:
    size = {"width": 390, "height": 844}
    page = new_context(viewport=size, has_touch=True, is_mobile=True).new_page()
    join(page, study)
    first, second = page.locator("label.option").all()
    above, below = first.bounding_box(), second.bounding_box()
    assert above

    assert below
    assert below["y"] >= above["y"] + above["height"]

    settled(page)
    first.tap()
    judged(page, 1)
    settled(page)

    colour = "label => getComputedStyle(label).backgroundColor"
    assert first.evaluate(colour) == second.evaluate(colour), (
        "no trace of the last choice"
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_jumps_when_longer_sentences_come(
    new_context: NewContext, study: Study, width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 844}).new_page()
    join(page, study)
    Candidate.objects.update(caption=LONG)
    Reference.objects.update(caption=LONG)

    first = study.annotators.get().leases.earliest("turn").question
    assert first.reference

    pair = pair_of(first)
    for row in (pair.b, pair.c, first.reference):
        row.caption = SHORT
        row.save()

    page.reload()
    places = [place_of(page)]

    while page.locator("#left").inner_text() == SHORT:
        press(page, "1")
        settled(page)
        places.append(place_of(page))

    assert len(places) > 1
    assert max(places) - min(places) < 2


@pytest.mark.parametrize("last_key", [None, "2"])
def test_every_question_begins_in_view_with_the_focus_on_it(
    new_context: NewContext, study: Study, last_key: str | None
) -> None:
    size = {"width": 390, "height": 844}
    page = new_context(viewport=size, has_touch=True, is_mobile=True).new_page()
    Study.objects.update(enforced_seconds=0)
    Reference.objects.filter(image__name="dog").update(caption=LONG * 20)
    join(page, study)

    for votes in range(1, 9):
        judged(page, votes - 1)
        settled(page)
        option = page.locator("label.option").last
        option.scroll_into_view_if_needed()

        touch(page, option) if last_key is None else press(page, last_key)
        expect(page.locator("#share")).to_have_attribute("value", str(votes))

        top = page.locator("#a").evaluate("each => each.getBoundingClientRect().top")
        assert 0 <= top < 422
        expect(page.locator("#reference")).to_be_focused()


def touch(page: Page, option: Locator) -> None:
    """Touch an option too late for a double tap, whose second half chooses nothing."""
    page.wait_for_timeout(500)
    option.tap()


def test_after_a_long_question_the_boxes_fit_a_short_one(
    page: Page, study: Study
) -> None:
    Study.objects.update(enforced_seconds=0)
    join(page, study)
    Candidate.objects.update(caption=SHORT)
    Reference.objects.update(caption=SHORT)
    page.reload()
    fitting = heights(page)
    first = study.annotators.get().leases.earliest("turn").question

    pair = pair_of(first)
    for row in (pair.b, pair.c):
        row.caption = LONG * 10
        row.save()

    page.reload()
    while page.locator("#left").inner_text() != SHORT:
        settled(page)
        assert heights(page) != fitting

        press(page, "1")
        settled(page)

    assert heights(page) == fitting


def heights(page: Page) -> list[float]:
    boxes = page.locator(".reference, label.option")
    return list(boxes.evaluate_all("each => each.map(box => box.offsetHeight)"))


@pytest.mark.parametrize("width", [390, 1280])
def test_a_word_of_any_length_wraps_within_its_box(
    new_context: NewContext, study: Study, width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 844}).new_page()
    for model in (Candidate, Reference):
        for number, row in enumerate(model.objects.all()):
            caption = f"{number} {'x' * 600}" if number % 2 else f"{number}"
            model.objects.filter(pk=row.pk).update(caption=caption)

    join(page, study)
    _reference, left, right = page.locator(".reference, label.option").evaluate_all(
        "each => each.map(box => box.offsetWidth)"
    )

    assert left == right

    inside = "each => each.every(box => box.scrollWidth <= box.clientWidth)"
    assert page.locator(".reference, label.option").evaluate_all(inside)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_arrows_move_between_options_and_vote_elsewhere(
    page: Page, study: Study
) -> None:
    Study.objects.update(ties=True)
    join(page, study)
    settled(page)
    options = page.locator("#answers input[type=radio]")
    options.first.focus()

    for key, chosen in (
        ("ArrowRight", 1),
        ("ArrowLeft", 0),
        ("ArrowDown", 1),
        ("ArrowUp", 0),
    ):
        page.keyboard.press(key)
        expect(options.nth(chosen)).to_be_focused()
        expect(options.nth(chosen)).to_be_checked()

    assert not Answer.objects.exists()

    page.keyboard.press("Enter")
    judged(page, 1)

    assert Answer.objects.get().choice == (
        "B" if Answer.objects.get().b_side == "left" else "C"
    )

    press(page, "ArrowRight")
    judged(page, 2)


def test_undoing_after_the_end_says_so_and_changes_nothing(
    page: Page, study: Study
) -> None:
    join(page, study)
    press(page, "1")
    judged(page, 1)
    set_state(study, State.CLOSED, None)

    press(page, "u")
    expect(page.get_by_role("status").last).to_have_text(
        "The study has ended. Votes can no longer be undone."
    )

    judged(page, 1)
    expect(page.locator("#undoing")).to_be_hidden()
    assert Answer.objects.valid().count() == 1


def place_of(page: Page) -> float:
    box = page.locator("#count").bounding_box()
    assert box
    return box["y"]


def test_captions_that_run_from_right_to_left_do_so(page: Page, tmp_path: Path) -> None:
    references = (("dog", "كلب بني يركض في الحديقة"), ("dog", "הכלב החום רץ בגן"))
    pairs = (
        ("p1", "dog", "كلب يركض", "כלב ישן", "HC"),
        ("p2", "dog", "كلب", "a dog, in Latin", "HC"),
    )
    folder = dataset_folder(tmp_path / "rtl", references, pairs)
    dataset = import_dataset(load(folder), "rtl", folder)
    study = create_study(Study(dataset=dataset, title="كلاب", steps=[], language="ar"))
    join(page, study)

    for _ in range(3):
        for name in ("a", "left", "right"):
            caption = page.locator(f"#{name}")
            text = caption.inner_text()
            expect(caption).to_have_attribute("lang", "ar" if "ك" in text else "")
            wanted = "ltr" if "Latin" in text else "rtl"
            expect(caption).to_have_css("direction", wanted)
            assert caption.evaluate(EDGES)[wanted == "rtl"] == 0
        press(page, "1")


# Five points


@pytest.fixture
def scaled(study: Study) -> Study:
    """A study that asks how much better a sentence is."""
    Study.objects.update(scale=5)
    return study


def strength_of(cast: Answer) -> tuple[str, int | None]:
    """The side of an answer, and its strength."""
    if cast.choice == "tie":
        return "", cast.strength
    is_left = (cast.choice == "B") == (cast.b_side == "left")
    return "left" if is_left else "right", cast.strength


def test_keys_from_1_to_5_give_a_side_and_a_strength(page: Page, scaled: Study) -> None:
    join(page, scaled)
    points = [("left", 2), ("left", 1), ("", 0), ("right", 1), ("right", 2)]
    for votes, point in enumerate(points, start=1):
        press(page, str(votes))
        judged(page, votes)
        assert strength_of(Answer.objects.latest("pk")) == point

    for key in ("0", "6", "ArrowLeft"):
        press(page, key)
    judged(page, 5)


@pytest.mark.parametrize("width", [320, 390])
def test_five_points_are_touched_on_a_phone(
    new_context: NewContext, scaled: Study, width: int
) -> None:
    size = {"width": width, "height": 844}
    page = new_context(viewport=size, has_touch=True, is_mobile=True).new_page()
    join(page, scaled)
    settled(page)
    for label in page.locator("label.point").all():
        box = label.bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["x"] + box["width"] <= width

    page.get_by_text("Rather the second").tap()
    judged(page, 1)
    assert strength_of(Answer.objects.get()) == ("right", 1)


def test_five_points_without_a_script(new_context: NewContext, scaled: Study) -> None:
    page = new_context(java_script_enabled=False).new_page()
    join(page, scaled)
    page.get_by_label("Clearly the first").check()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator("#count")).to_contain_text("1 judged")
    assert strength_of(Answer.objects.get()) == ("left", 2)


def test_five_points_wait_for_a_connection(page: Page, scaled: Study) -> None:
    join(page, scaled)
    page.context.set_offline(True)
    for key in ("1", "3"):
        press(page, key)
    page.context.set_offline(False)
    judged(page, 2)
    given = set(map(strength_of, Answer.objects.all()))
    assert given == {("left", 2), ("", 0)}


# Images


@pytest.fixture
def pictures(study: Study) -> Study:
    """A pairwise study of two pictures."""
    study.dataset.folder.mkdir(parents=True, exist_ok=True)
    for image in Image.objects.all():
        name = f"{image.name}.svg"
        (study.dataset.folder / name).write_text(
            SVG.replace("/>", ' width="40" height="30"/>')
        )
        Image.objects.filter(pk=image.pk).update(file=name, alt=f"a {image.name}")

    pairwise = Study(
        dataset=study.dataset,
        title="Which?",
        steps=[],
        protocol="pairwise",
        enforced_seconds=0,
    )
    return create_study(pairwise)


def test_the_next_image_is_there_before_it_is_shown(
    page: Page, pictures: Study
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(path_of(request)))
    join(page, pictures)
    page.wait_for_load_state("networkidle")

    shown = page.locator("#image").get_attribute("src")
    assert shown in asked
    assert {image.source for image in Image.objects.all()} <= set(asked)

    count = len(asked)
    for votes in range(1, 4):
        press(page, "1")
        judged(page, votes)

        expect(page.locator("#image")).to_have_js_property("complete", True)
        expect(page.locator("#image")).to_be_visible()
        expect(page.locator("#image")).to_have_attribute(
            "alt", re.compile("a (dog|cat)")
        )

    assert not [path for path in asked[count:] if "/images/" in path]


def test_a_question_whose_picture_does_not_load_cannot_be_answered(
    page: Page, pictures: Study
) -> None:
    stop_time(page)
    page.route("**/images/**", lambda route: route.abort())
    join(page, pictures)
    missing = page.locator("#no-picture")

    press(page, "1")
    page.clock.fast_forward(9_000)
    expect(missing).to_be_hidden()
    page.clock.fast_forward(2_000)
    expect(missing).to_be_visible()
    judged(page, 0)

    page.unroute("**/images/**")
    page.clock.resume()
    expect(missing).to_be_hidden()
    expect(page.locator("#image")).to_be_visible()
    page.keyboard.press("1")
    judged(page, 1)


def test_a_question_whose_picture_does_not_load_is_reported_and_skipped(
    page: Page, pictures: Study
) -> None:
    page.clock.install()
    page.route("**/images/**", lambda route: route.abort())
    join(page, pictures)
    asked = page.locator("#key").input_value()
    page.clock.fast_forward(11_000)
    page.get_by_role("button", name="Report it and skip this question").click()

    expect(page.get_by_text("The problem is noted.")).to_be_visible()
    expect(page.locator("#key")).not_to_have_value(asked)
    remark = Remark.objects.get()
    assert (remark.text, remark.skipped) == ("The picture does not load.", True)


def test_without_a_script_a_missing_picture_can_be_reported(
    new_context: NewContext, pictures: Study
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    join(page, pictures)
    page.get_by_role("button", name="Report it and skip this question").click()
    expect(page.get_by_text("The problem is noted.")).to_be_visible()
    assert Remark.objects.get().skipped


def path_of(request: Request) -> str:
    return "/" + request.url.split("/", 3)[3]


# Time


def test_hidden_and_idle_time_is_not_active(page: Page, study: Study) -> None:
    stop_time(page)
    join(page, study)
    settled(page)
    page.clock.fast_forward(5_000)
    hide(page, True)
    page.clock.fast_forward(20_000)
    hide(page, False)
    page.clock.fast_forward(2_000)
    page.keyboard.press("Shift")
    page.clock.fast_forward(100_000)
    page.keyboard.press("1")
    page.clock.resume()
    judged(page, 1)

    assert Answer.objects.get().active_seconds == 5 + 2 + 30


def stop_time(page: Page) -> None:
    """Let the clock of the pages stand still, until a test moves it on."""
    page.clock.install(time=0)
    page.clock.pause_at(60)


def hide(page: Page, hidden: bool) -> None:
    page.evaluate(
        """hidden => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_a_report_is_about_the_question_on_the_page(page: Page, study: Study) -> None:
    Study.objects.update(skips=True)
    join(page, study)
    press(page, "1")
    judged(page, 1)
    page.get_by_text("Report a problem or skip this question").click()
    page.get_by_label("What is wrong?").select_option("offensive")
    page.get_by_label("Details").press_sequentially("1 2 u")
    judged(page, 1)
    asked = page.locator("#key").input_value()

    page.get_by_role("button", name="Report problem and skip").click()
    expect(page.get_by_text("The problem is noted.")).to_be_visible()
    expect(page.locator("#key")).not_to_have_value(asked)

    remark = Remark.objects.get()
    assert (remark.text, remark.skipped) == ("1 2 u", True)
    assert remark.question not in [vote.question for vote in Answer.objects.all()]
