"""Judging in Chromium, whatever the kind: offline, without JavaScript, narrow, right to left."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.rating_texts import PRESETS
from tercet.annotation.models import Answer, Candidate, Image, Reference, Study
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.studies.creation import create_study
from tests.annotation.full import SVG
from tests.annotation.kinds import SENT
from tests.browser.conftest import NewContext, join, judged, settled
from tests.browser.judging.test_outbox import NO_CONNECTION, waiting
from tests.browser.test_axe import violations
from tests.browser.test_layout import overflow
from tests.support.folders import dataset_folder

IMAGES = [f"image-{number}" for number in range(53)]
LONG = "a brown dog with a long tail runs over the green grass after a red ball " * 4
COLOURS = """() => {
  const colours = new Set();
  for (const each of document.querySelectorAll("#answers *")) {
    const { color, backgroundColor, opacity } = getComputedStyle(each);
    if (opacity !== "0") colours.add(color);
    if (!backgroundColor.startsWith("rgba(")) colours.add(backgroundColor);
  }
  return [...colours].sort();
}"""
"""The colours of texts and grounds, which a reader's own replace where they are forced."""
ARABIC = "كلب بني يجري فوق العشب الأخضر في الحديقة الكبيرة"
PAGES: list[tuple[str, dict[str, object]]] = [
    *((kind, {}) for kind in SENT),
    ("triplet", {"scale": 5}),
    ("rating", {"aspects": PRESETS["thumb"], "ties": True}),
    ("rating", {"aspects": PRESETS["direct-assessment"], "ties": True}),
]


@pytest.fixture(params=[(kind, {}) for kind in SENT], ids=list(SENT))
def study(
    request: pytest.FixtureRequest, transactional_db: None, tmp_path: Path
) -> Study:
    """A study of many images, each with a reference, a pair and a candidate."""
    kind, settings = request.param
    folder = dataset_folder(
        tmp_path / "small",
        references=[(image, "a dog runs over the grass") for image in IMAGES],
        pairs=[(image, image, "a dog runs", "a red bus", "HI") for image in IMAGES],
        candidates=[(image, f"a dog of {image}", "net") for image in IMAGES],
    )
    dataset = import_dataset(load(folder), "small", folder)
    dataset.folder.mkdir(parents=True, exist_ok=True)
    (dataset.folder / "a.svg").write_text(
        SVG.replace("/>", ' width="40" height="30"/>')
    )
    Image.objects.update(file="a.svg")
    usual = {"steps": [], "link_users": LinkUsers.PLACE, "enforced_seconds": 0}
    plan = Study(dataset=dataset, protocol=kind, shows_image=True, break_every=0)
    for name, value in (usual | settings).items():
        setattr(plan, name, value)
    return create_study(plan)


def answer(page: Page, study: Study, number: int = 0) -> None:
    """Answer the question on the page, once its picture is seen, by keys."""
    if kind_of(study).shows_image(study):
        expect(page.locator("#image:not(.loading)")).to_be_visible()
    settled(page)
    if study.protocol != "sentence":
        page.keyboard.press("1")
        return

    area = page.locator("#sentence")
    area.fill(f"A {'very ' * number}brown dog is running over the green grass.")
    area.press("Control+Enter")


def test_fifty_answers_are_given_without_a_connection(page: Page, study: Study) -> None:
    Study.objects.update(offline_questions=50)
    join(page, study)
    answer(page, study)
    judged(page, 1)
    page.reload(wait_until="networkidle")  # with all pictures
    page.context.set_offline(True)
    for number in range(1, 51):
        answer(page, study, number)
        waiting(page, number, number + 1)

    expect(page.get_by_text(NO_CONNECTION)).to_be_visible()
    page.context.set_offline(False)
    judged(page, 51)
    given = Answer.objects.valid().values_list("question", "annotator")
    assert len(given) == len(set(given)) == 51


def test_it_works_without_javascript(new_context: NewContext, study: Study) -> None:
    page = new_context(java_script_enabled=False).new_page()
    join(page, study)
    for number in range(2):
        if study.protocol == "sentence":
            page.locator("#sentence").fill(f"A dog runs over the grass {number}.")
        else:
            page.locator("#answers [type=radio]").first.check()
        page.get_by_role("button", name="Save and continue").click()
        expect(page.locator("#count")).to_contain_text(f"{number + 1} judged")

    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#count")).to_contain_text("1 judged")
    assert Answer.objects.valid().count() == 1


@pytest.mark.parametrize(
    "study", PAGES, indirect=True, ids=[f"{kind}-{len(own)}" for kind, own in PAGES]
)
def test_a_question_is_accessible_and_fits_its_window(page: Page, study: Study) -> None:
    Candidate.objects.update(caption=LONG)
    join(page, study)
    assert violations(page) == []
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert overflow(page) <= 0


def test_a_question_can_be_read_in_forced_colours(
    new_context: NewContext, study: Study
) -> None:
    page = new_context(forced_colors="active", color_scheme="dark").new_page()
    join(page, study)
    settled(page)
    assert page.evaluate(COLOURS) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    answer(page, study)
    judged(page, 1)


def test_a_text_from_right_to_left_is_shown_so(page: Page, study: Study) -> None:
    Study.objects.update(language="ar")
    Candidate.objects.update(caption=ARABIC)
    Reference.objects.update(caption=ARABIC)
    join(page, study)
    if study.protocol == "sentence":
        page.locator("#sentence").fill(ARABIC)
    parts = kind_of(study).captions or ("sentence",)
    directions = [
        page.locator(f"#{part}").evaluate("each => getComputedStyle(each).direction")
        for part in parts
    ]
    assert set(directions) == {"rtl"}
