"""Every page against axe-core, in light and dark, and in a window of 320 pixels.

A further page is a line in PLACES.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from annotation.models import Annotator, Image, Study
from annotation.triplets import create_study
from tests.browser.conftest import join, log_in, press, settled
from tests.browser.test_layout import overflow

JUDGE = "/studies/small-triplet/judge/"
JOIN = "/join/code/"


@dataclass(frozen=True)
class Place:
    """A page: where it is, who comes to it, what the study and the person are set to before,
    and what is done there first.
    """

    name: str
    path: str
    who: str = "stranger"
    study: dict[str, object] = field(default_factory=dict)
    person: dict[str, object] = field(default_factory=dict)
    then: Callable[[Page], None] = lambda page: None

    def __str__(self) -> str:
        return self.name


def practise(page: Page) -> None:
    press(page, "1")
    expect(page.get_by_text("Yes.")).to_be_visible()


def judge_offline(page: Page) -> None:
    page.context.set_offline(True)
    press(page, "1")
    press(page, "?")
    expect(page.get_by_text("No connection")).to_be_visible()


def be_forgotten(page: Page) -> None:
    page.context.clear_cookies()
    press(page, "1")
    expect(page.get_by_role("link", name="Log in")).to_be_visible()


def at_step(step: str, then: Callable[[Page], None] = lambda page: None) -> Place:
    return Place(step, JUDGE, "annotator", study={"steps": [step]}, then=then)


PLACES = [
    Place("join", JOIN),
    Place("consent at the door", JOIN, study={"steps": ["consent"]}),
    Place("closed door", JOIN, study={"link_is_open": False}),
    Place("draft", JOIN, study={"state": "draft"}),
    Place("crowd without a name", "/crowd/code/"),
    at_step("consent"),
    at_step("instructions"),
    at_step("comprehension"),
    Place("comprehension again", JUDGE, "annotator", {"steps": ["comprehension"]}, {"tries": 1}),
    at_step("practice"),
    Place("practice feedback", JUDGE, "annotator", {"steps": ["practice"]}, then=practise),
    Place("judge", JUDGE, "annotator", {"ties": True, "most": 5}, then=settled),
    Place("judge offline", JUDGE, "annotator", {"ties": True}, then=judge_offline),
    Place("judge as a stranger", JUDGE, "annotator", then=be_forgotten),
    Place("judge an image", "/studies/small-pairwise/judge/", "researcher", then=settled),
    Place("trying out", JUDGE, "annotator", person={"is_test": True}, then=settled),
    Place("break", JUDGE, "annotator", person={"judged": 50}),
    Place("paused", JUDGE, "annotator", {"state": "paused"}, {"judged": 3}),
    Place("done", JUDGE, "annotator", {"most": 1}, {"judged": 1, "external_id": "p1"}),
    Place("no work", JUDGE, "annotator", {"state": "closed"}),
    Place("failed", JUDGE, "annotator", person={"outcome": "failed", "external_id": "p1"}),
    Place("screened out", JUDGE, "annotator", person={"outcome": "screened_out"}),
]


@pytest.fixture
def pictures(study: Study) -> Study:
    Image.objects.update(url="/static/tercet.svg")
    pairwise = Study(dataset=study.dataset, title="Which?", steps=[], protocol="pairwise")
    return create_study(pairwise)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_page_is_accessible_and_fits_its_window(
    page: Page, study: Study, pictures: Study, researcher: User, place: Place
) -> None:
    come(page, study, place)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settled(page)
        assert Axe().run(page).generate_report() == "Found 0 accessibility violations:\n", scheme
    page.set_viewport_size({"width": 320, "height": 640})
    assert overflow(page) <= 0


def come(page: Page, study: Study, place: Place) -> None:
    if place.who == "annotator":
        join(page, study)
    elif place.who != "stranger":
        log_in(page, place.who)
    study.annotators.update(**place.person)
    Study.objects.filter(pk=study.pk).update(**place.study | {"join_code": "code"})
    assert Annotator.objects.count() == (place.who == "annotator")
    page.goto(place.path)
    place.then(page)
