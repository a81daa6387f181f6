"""Every page against axe-core, in light and dark, and in a window of 320 pixels.

A further page is a line in PLACES.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from django.contrib.auth.models import User
from django.db.models import F
from django.urls import resolve
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tercet.annotation.challenges.comparisons import ComparisonPlan, create_comparison
from tercet.annotation.challenges.enrolment import open_link
from tercet.annotation.challenges.tasks import compute_boards, request_boards
from tercet.annotation.challenges.teams import choose_final, set_team
from tercet.annotation.judging.annotators import personal_links
from tercet.annotation.models import Annotator, Challenge, Image, Question, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.study import Rank, State, Time
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.participation.texts import EXAMPLES
from tercet.annotation.quality.adjudication import adjudicate
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.results.sharing import share_view
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import set_archived, set_state
from tercet.annotation.studies.roles import give_role
from tercet.annotation.studies.setting_groups import GROUPS
from tests.annotation.accounts import openid_urls
from tests.annotation.challenges.conftest import (
    CAPTIONS,
    OTHERS,
    new_challenge,
    results,
    score,
    submit,
)
from tests.annotation.questions import pair_of
from tests.browser.conftest import add_votes, join, log_in, press, settled, work
from tests.browser.test_layout import overflow
from tests.browser.test_road import import_checked, upload
from tests.browser.test_upload import meaning_of, two_headers
from tests.support.addresses import addresses
from tests.support.folders import dataset_folder

JUDGE = "/studies/small-triplet/judge/"
JOIN = "/join/code/"
CROWD = "/crowd/code/?PROLIFIC_PID=p1"
RULES: dict[Literal["light", "dark"], dict[str, list[str]]] = {
    "light": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
}
"""All of axe-core's rules once; between the schemes only colours differ."""
PARTED_PERCENT = re.compile(r".{,20}\d %")
BEFORE = str(EXAMPLES[Time.BEFORE])


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
    expect(page.get_by_text("Yes, most people choose this one.")).to_be_visible()


def send_nothing(page: Page) -> None:
    """Send an empty questionnaire, although the browser would say that a field is required."""
    page.locator("form.questionnaire").evaluate("form => { form.noValidate = true; }")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("This field is required.").first).to_be_visible()


def judge_offline(page: Page) -> None:
    page.context.set_offline(True)
    press(page, "1")
    press(page, "?")

    expect(page.get_by_text("No connection: your answers")).to_be_visible()


def open_report(page: Page) -> None:
    page.get_by_text("Report a problem or skip this question").click()


def be_forgotten(page: Page) -> None:
    page.context.clear_cookies()
    press(page, "1")
    expect(page.get_by_role("link", name="Log in")).to_be_visible()


def in_another_browser(path: str) -> Callable[[Page], None]:
    def come_again(page: Page) -> None:
        page.context.clear_cookies()
        page.goto(path)

    return come_again


def come_with_an_unknown_answer(page: Page) -> None:
    """Send an answer to no question, so that the next page begins with a message."""
    page.locator("#key").evaluate(
        "key => { key.value = crypto.randomUUID(); key.form.submit(); }"
    )

    expect(page.locator(".notes .note")).to_be_visible()


def at_step(step: str, then: Callable[[Page], None] = lambda page: None) -> Place:
    return Place(step, JUDGE, "annotator", study={"steps": [step]}, then=then)


PLACES = [
    Place("join", JOIN),
    Place(
        "consent at the door",
        JOIN,
        study={
            "steps": ["consent"],
            "contact": "Kim <kim@example.org>",
            "pay": "nothing",
        },
    ),
    Place("closed door", JOIN, study={"link_is_open": False}),
    Place("draft", JOIN, study={"state": "draft"}),
    Place("link to no study", "/crowd/nothing/"),
    Place("crowd without a name", "/crowd/code/"),
    Place("crowd", CROWD, study={"crowd_is_open": True}),
    Place(
        "crowd in another browser",
        CROWD,
        "annotator",
        {"crowd_is_open": True},
        {"external_id": "p1"},
        in_another_browser(CROWD),
    ),
    Place(
        "personal link",
        "/me/token/",
        "annotator",
        person={"token": "token", "label": "Kim"},
        then=in_another_browser("/me/token/"),
    ),
    at_step("consent"),
    at_step("instructions"),
    at_step("comprehension"),
    Place(
        "comprehension again",
        JUDGE,
        "annotator",
        {"steps": ["comprehension"]},
        {"tries": 1},
    ),
    Place("questionnaire", JUDGE, "annotator", {"questionnaire_before": BEFORE}),
    Place(
        "questionnaire with faults",
        JUDGE,
        "annotator",
        {"questionnaire_before": BEFORE},
        then=send_nothing,
    ),
    Place(
        "questionnaire after judging",
        JUDGE,
        "annotator",
        {"questionnaire_after": str(EXAMPLES[Time.AFTER]), "max_judgments": 1},
        {"judged": 1},
    ),
    at_step("practice"),
    Place(
        "practice feedback", JUDGE, "annotator", {"steps": ["practice"]}, then=practise
    ),
    Place(
        "judge", JUDGE, "annotator", {"ties": True, "max_judgments": 5}, then=settled
    ),
    Place("judge on five points", JUDGE, "annotator", {"scale": 5}, then=settled),
    Place(
        "judge, with a message", JUDGE, "annotator", then=come_with_an_unknown_answer
    ),
    Place("judge, reporting", JUDGE, "annotator", {"skips": True}, then=open_report),
    Place("judge offline", JUDGE, "annotator", {"ties": True}, then=judge_offline),
    Place("judge as a stranger", JUDGE, "annotator", then=be_forgotten),
    Place(
        "judge an image", "/studies/small-pairwise/judge/", "researcher", then=settled
    ),
    Place("trying out", JUDGE, "annotator", person={"is_test": True}, then=settled),
    Place("break", JUDGE, "annotator", person={"judged": 50}),
    Place("paused", JUDGE, "annotator", {"state": "paused"}, {"judged": 3}),
    Place(
        "done",
        JUDGE,
        "annotator",
        {"max_judgments": 1},
        {"judged": 1, "external_id": "p1"},
    ),
    Place("no work", JUDGE, "annotator", {"state": "closed"}),
    Place(
        "failed", JUDGE, "annotator", person={"outcome": "failed", "external_id": "p1"}
    ),
    Place("screened out", JUDGE, "annotator", person={"outcome": "screened_out"}),
    Place("stopped", JUDGE, "annotator", person={"outcome": "stopped", "judged": 2}),
]


@pytest.fixture
def pictures(study: Study) -> Study:
    Image.objects.update(url="/static/tercet.svg")
    pairwise = Study(
        dataset=study.dataset, title="Which?", steps=[], protocol="pairwise"
    )

    return create_study(pairwise)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_page_is_accessible_and_fits_its_window(
    page: Page, study: Study, pictures: Study, researcher: User, place: Place
) -> None:
    come(page, study, place)
    assert violations(page) == []

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


STUDY = "/studies/small-triplet/"
OPEN = ("/", "/login/", "/password/reset/")
MISSING = "/nothing-here/"
OFFICE = (
    "/studies/",
    "/studies/?archived=yes",
    "/datasets/?archived=yes",
    "/studies/new/",
    STUDY,
    *(
        f"{STUDY}{page}/"
        for page in ("progress", "quality", "quality/without", "people", "pay")
    ),
    *(f"{STUDY}{page}/" for page in ("settings", "gold", "log", "pairs", "api")),
    *(f"{STUDY}settings/{group}/" for group in GROUPS),
    "/datasets/",
    "/datasets/small/",
    "/datasets/upload/",
    "/deleted/",
    "/docs/",
    "/docs/dataset/files-and-columns/",
    "/system/",
    "/system/log/",
    "/system/access/",
    "/account/",
    "/account/erase/",
    "/account/proof/",
    "/accounts/",
    "/account/second-factor/",
    "/password/change/",
    MISSING,
)


@pytest.fixture
def judged_study(study: Study, researcher: User) -> Study:
    """Votes of three people, one of whom is excluded; gold, a personal link, a role."""
    people = list(simulate(study, [1, 2, 3], 0.9, {}, 0))
    exclude_annotator(people[0], researcher, "made of glass")
    first = study.questions.earliest("pk")
    Question.objects.filter(pk=first.pk).update(gold="B")
    people[1].remarks.create(question=first, reason="broken", text="cut")
    for decision in (Choice.B, Choice.TIE):
        adjudicate(study, pair_of(first), decision, "nearer", researcher)

    personal_links(study, ["Kim"])
    Study.objects.filter(pk=study.pk).update(questionnaire_before=BEFORE)
    person = study.annotators.earliest("pk")
    person.questionnaires.create(time=Time.BEFORE, answers={"age": "41"})
    give_role(study, researcher, Rank.OWNER, researcher)
    copy = create_study(
        Study(dataset=study.dataset, title="Archived", state=State.DRAFT)
    )
    set_archived(copy, True, researcher)
    log_site(researcher, "deleted study", name="gone", title="Gone", votes=9)

    return study


def violations(page: Page) -> list[str]:
    """What axe-core finds in a page, in light and dark."""
    found = []
    settled(page)
    page.evaluate(AXE_SCRIPT)

    for scheme, rules in RULES.items():
        page.emulate_media(color_scheme=scheme)
        settled(page)
        run = json.dumps({"resultTypes": ["violations"]} | rules)
        violated = page.evaluate(f"axe.run({run}).then(found => found.violations)")
        found += [
            f"{scheme}: {violation['id']}: {violation['nodes'][:2]}"
            for violation in violated
        ]

    return found


def faults_of(page: Page, path: str) -> list[str]:
    page.goto(path)
    return faults_here(page, path)


def faults_here(page: Page, path: str) -> list[str]:
    """What is wrong with a page, all its details open."""
    page.evaluate(
        "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
    )
    faults = [f"{path} {violation}" for violation in violations(page)]

    page.set_viewport_size({"width": 320, "height": 640})
    faults += [f"{path} is too wide"] if overflow(page) > 0 else []
    parted = PARTED_PERCENT.findall(page.locator("body").inner_text())
    faults += [f"{path}: may break before the sign: {text}" for text in parted]
    page.set_viewport_size({"width": 1280, "height": 800})

    return faults


def test_the_pages_of_researchers_are_accessible_and_fit(
    page: Page, judged_study: Study, researcher: User
) -> None:
    log_in(page, "researcher")
    somebody = judged_study.annotators.earliest("pk")
    pair = pair_of(judged_study.questions.earliest("pk"))
    paths = [*OFFICE, f"{STUDY}annotators/{somebody.pk}/", f"{STUDY}pairs/{pair.pk}/"]
    other = User.objects.create_user("somebody-else")
    draft = Study.objects.get(state=State.DRAFT)

    paths += [draft.get_absolute_url()]
    paths += [f"/accounts/{researcher.pk}/", f"/accounts/{other.pk}/erase/"]
    assert [fault for path in paths for fault in faults_of(page, path)] == []


def test_login_and_the_start_page_are_accessible_and_fit(
    page: Page, study: Study
) -> None:
    assert [fault for path in OPEN for fault in faults_of(page, path)] == []


def test_the_login_through_a_provider_is_accessible_and_fits(
    page: Page, study: Study, settings: Settings
) -> None:
    settings.OPENID = {"NAME": "The Example Laboratory"}
    settings.ROOT_URLCONF = openid_urls.__name__

    assert faults_of(page, "/login/") == []
    expect(page.get_by_role("link", name="Log in with The Example")).to_be_visible()


@pytest.mark.parametrize("metric", ["CIDEr", "BLEU-4"])
def test_an_explained_pair_is_accessible_and_fits(
    page: Page, evaluated: Study, metric: str
) -> None:
    log_in(page, "researcher")
    pair = evaluated.dataset.pairs.earliest("pk")

    assert faults_of(page, f"{STUDY}pairs/{pair.pk}/?metric={metric}") == []
    expect(page.get_by_role("heading", name="Why this score?")).to_be_visible()
    expect(page.get_by_text("What B shares with the references")).to_be_visible()


def test_results_are_accessible_and_fit(page: Page, evaluated: Study) -> None:
    log_in(page, "researcher")
    assert faults_of(page, STUDY) == []

    add_votes(evaluated, 5)
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()
    assert faults_here(page, "results that wait for new ones") == []


def test_the_page_of_a_plot_is_accessible_and_fits(
    page: Page, evaluated: Study
) -> None:
    log_in(page, "researcher")
    assert faults_of(page, f"{STUDY}plots/accuracy/") == []


def test_a_shared_view_is_accessible_and_fits(
    page: Page, evaluated: Study, researcher: User
) -> None:
    Study.objects.update(state="closed")
    query = "category=HC&row=CIDEr&row=METEOR&column=1"
    view = share_view(evaluated, "Two metrics", query, researcher)
    address = view.get_absolute_url()

    assert faults_of(page, address) == []
    Study.objects.update(state="open")
    assert faults_of(page, address) == []
    expect(page.get_by_role("heading", name="Not open to readers")).to_be_visible()


def test_the_example_is_accessible_and_fits(page: Page, evaluated: Study) -> None:
    Study.objects.filter(pk=evaluated.pk).update(is_example=True)
    evaluated.questions.update(needed=F("answers"))

    assert faults_of(page, "/") == []

    page.get_by_role("link", name="Try three questions").click()
    faults = faults_here(page, "an example")
    press(page, "1")

    expect(page.get_by_text("They are simulated.")).to_be_visible()
    assert faults + faults_here(page, "an example, judged") == []


def test_an_upload_is_accessible_and_fits_at_every_step(
    page: Page, researcher: User, tmp_path: Path
) -> None:
    log_in(page, "researcher")
    upload(page, str(two_headers(tmp_path)))

    expect(page.get_by_text("Does row 2 explain the columns?")).to_be_visible()
    faults = faults_here(page, "open questions")
    page.get_by_label("Row 2").select_option("out")
    meaning_of(page, "ja").select_option("B")
    meaning_of(page, "nein").select_option("C")
    page.get_by_role("button", name="Check again").first.click()

    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    faults += faults_here(page, "waiting")
    page.goto("/datasets/")
    faults += faults_here(page, "the list of uploads")
    page.get_by_role("link", name="urteile").click()

    work()
    expect(page.get_by_text("What will be imported")).to_be_visible()

    faults += faults_here(page, "in order")
    import_checked(page)

    assert faults + faults_here(page, "imported") == []


def test_a_faulty_upload_is_accessible_and_fits(
    page: Page, researcher: User, tmp_path: Path
) -> None:
    pairs = [("p1", "nowhere", "a dog", "a cat", "XX")]
    folder = dataset_folder(tmp_path / "dogs", pairs=pairs)
    log_in(page, "researcher")

    upload(page, shutil.make_archive(str(folder), "zip", folder))
    expect(page.get_by_text("nowhere").first).to_be_visible()
    assert faults_here(page, "problems") == []


CHALLENGE = "/challenges/small-challenge/"
CHALLENGES = (
    "/challenges/",
    "/challenges/new/",
    CHALLENGE,
    *(
        f"{CHALLENGE}{page}/"
        for page in ("leaderboard", "submit", "submissions", "studies")
    ),
    *(f"{CHALLENGE}{page}/" for page in ("settings", "people", "api")),
)


@pytest.fixture
def challenge(researcher: User, tmp_path: Path) -> Challenge:
    """Two scored submissions that people have compared, and one that waits."""
    challenge = new_challenge(tmp_path / "hidden", researcher)
    submissions = [
        score(submit(challenge, researcher, "first", CAPTIONS)),
        score(submit(challenge, researcher, "second", OTHERS)),
    ]
    plan = ComparisonPlan(submissions, images=2, votes=1, human=True)
    study = create_comparison(challenge, plan, researcher)
    set_state(study, State.OPEN, researcher)
    list(simulate(study, [1], 0.9, {}, 0))

    submit(challenge, researcher, "waiting")
    request_boards(challenge)
    compute_boards.call(challenge.pk)
    open_link(challenge, researcher)
    set_team(challenge, researcher, "Alder", researcher)
    challenge.refresh_from_db()
    choose_final(submissions[0], is_final=True, by=researcher)

    return challenge


def test_the_pages_of_challenges_are_accessible_and_fit(
    page: Page, challenge: Challenge, tmp_path: Path
) -> None:
    log_in(page, "researcher")
    challenge.refresh_from_db()
    submissions = [each.get_absolute_url() for each in challenge.submissions.all()]
    paths = [
        *CHALLENGES,
        *submissions,
        f"{submissions[0]}details/",
        f"{CHALLENGE}join/{challenge.join_code}/",
    ]
    faults = [fault for path in paths for fault in faults_of(page, path)]

    page.goto(f"{CHALLENGE}submit/")
    file = tmp_path / "results.json"
    file.write_bytes(results({"dog": "a dog", "bus": "a bus"}))
    page.get_by_label("Result file").set_input_files(file)
    page.get_by_label("Name of the system").fill("third")

    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_text("problems in results.json")).to_be_visible()
    assert faults + faults_here(page, "problems of a result file") == []


NO_PAGE = {
    "account_administrator",
    "account_link",
    "account_role",
    "account_state",
    "annotator_erase",
    "annotator_exclude",
    "annotator_readmit",
    "cast_vote",
    "challenge_api_revoke",
    "challenge_archive",
    "challenge_delete",
    "challenge_development",
    "challenge_enrolment",
    "challenge_images",
    "challenge_leaderboard_file",
    "challenge_phase",
    "challenge_role",
    "challenge_role_remove",
    "challenge_team",
    "dataset_about",
    "dataset_archive",
    "dataset_delete",
    "dataset_download",
    "dataset_left_out",
    "dataset_pairs",
    "dataset_pairs_back",
    "deleted_purge",
    "deleted_take_back",
    "documentation_picture",
    "healthz",
    "image",
    "leave_comment",
    "metrics",
    "offline",
    "readyz",
    "report_question",
    "second_factor_remove",
    "shared_file",
    "sign_out_everywhere",
    "study_adjudicate",
    "study_adjudicate_withdraw",
    "study_api_revoke",
    "study_archive",
    "study_copy",
    "study_delete",
    "study_evaluate",
    "study_file",
    "study_free",
    "study_links",
    "study_pay_file",
    "study_preview",
    "study_role",
    "study_role_remove",
    "study_share",
    "study_share_back",
    "study_state",
    "study_status",
    "step_comprehension",
    "step_consent",
    "step_finish",
    "step_instructions",
    "step_practice",
    "step_questionnaire",
    "step_rest",
    "step_resume",
    "step_stop",
    "study_step",
    "study_try",
    "study_votes",
    "submission_file",
    "submission_final",
    "submission_scores",
    "submission_shown",
    "submission_withdrawn",
    "sync",
    "system_log_file",
    "system_try_again",
    "sentences_accept",
    "sentences_use",
    "undo_vote",
    "upload_discard",
    "upload_problems",
    "vote_exclude",
    "vote_readmit",
}
"""What sends on to another page, or gives a file or a part of a page."""
ELSEWHERE = {
    "study_sentences",
    "challenge_join",
    "example_question",
    "shared_view",
    "study_plot",
    "submission",
    "submission_details",
    "upload_check",
    "upload_import",
}
"""Seen on the way, in a test of their own."""


def test_no_page_is_left_out() -> None:
    more = (
        f"{STUDY}annotators/1/",
        f"{STUDY}pairs/1/",
        "/accounts/1/",
        "/accounts/1/erase/",
    )
    paths = [*OPEN, *OFFICE, *CHALLENGES, *more, *(place.path for place in PLACES)]
    seen = {
        resolve(path.partition("?")[0]).url_name for path in paths if path != MISSING
    }

    assert addresses().keys() - seen == NO_PAGE | ELSEWHERE
