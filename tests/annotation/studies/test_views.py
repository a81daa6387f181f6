import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import (
    Dataset,
    Exit,
    Image,
    Question,
    Reference,
    Role,
    Study,
)
from tercet.annotation.models.study import SWITCHES, Rank, State
from tercet.annotation.participation.texts import default_text
from tercet.annotation.studies.lifecycle import TRANSITIONS, set_state
from tercet.annotation.studies.setting_groups import BEFORE, GROUPS, SettingGroup
from tercet.annotation.studies.study_file import SETTINGS
from tercet.annotation.studies.views import ACTIONS, EVENTS_PER_PAGE
from tests.annotation.questions import pair_of
from tests.support.folders import dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

QUIZ = "Which?\n- [x] This\n- [ ] That\n> So it is."


@pytest.fixture
def owner(study: Study, person: User) -> Client:
    """The browser of somebody who owns the study and is no administrator."""
    return member(study, person, Rank.OWNER)


@pytest.fixture
def researcher(study: Study) -> Client:
    return member(study, User.objects.create_user("rosa"), Rank.RESEARCHER)


def member(study: Study, user: User, rank: Rank) -> Client:
    Role.objects.create(study=study, user=user, rank=rank)
    browser = Client()
    browser.force_login(user)

    return browser


def shown(
    browser: Client, study: Study, name: str = "study_settings", **query: int | str
) -> str:
    return squeeze(browser.get(reverse(name, args=[study.name]), query).text)


def groups_of(study: Study) -> list[SettingGroup]:
    """The groups of the settings that a study has."""
    return [group for group in (BEFORE, *GROUPS.values()) if group.means_in(study)]


def group_with(setting: str) -> SettingGroup:
    """The group of settings that has one of them, or the code of an outcome."""
    name = setting.partition("-")[0]
    return next(group for group in GROUPS.values() if name in group.names)


def group_page(browser: Client, study: Study, slug: str) -> str:
    group = GROUPS.get(slug, BEFORE)
    return squeeze(browser.get(group.address_in(study)).text)


def settings_of(
    browser: Client, study: Study, group: SettingGroup, **changes: object
) -> dict[str, object]:
    """What the page of a group would send as it is, but for changes."""
    context = browser.get(group.address_in(study)).context
    forms = [context["form"], *context["exits"].values()]
    fields = {field.html_name: field.value() for form in forms for field in form}
    sent = {
        name: "" if value is None else value
        for name, value in (fields | changes).items()
    }

    return {name: value for name, value in sent.items() if value is not False}


def in_group(
    browser: Client, study: Study, **changes: object
) -> tuple[str, dict[str, object]]:
    """The address of the group of some settings, and what its page would send."""
    group = group_with(next(iter(changes)))
    return group.address_in(study), settings_of(browser, study, group, **changes)


def save(browser: Client, study: Study, **changes: object) -> int:
    return browser.post(*in_group(browser, study, **changes)).status_code


def fault(browser: Client, study: Study, **changes: object) -> str:
    """What the page says where it does not save."""
    response = browser.post(*in_group(browser, study, **changes))

    assert response.status_code == 422
    assert not study.events.exists()

    return squeeze(response.getvalue().decode())


def post(browser: Client, study: Study, name: str, **sent: object) -> str:
    response = browser.post(reverse(name, args=[study.name]), sent, follow=True)
    return squeeze(response.getvalue().decode())


# Making a study


def test_a_new_study_is_a_draft_that_its_maker_owns(
    office: Client, dataset: Dataset
) -> None:
    sent = {
        "dataset": dataset.pk,
        "protocol": "triplet",
        "votes": 3,
        "seed": 0,
        "ties": "on",
    }
    answer = office.post(reverse("study_new"), sent)
    row = Study.objects.get()

    assert answer["Location"] == reverse("study", args=[row.name])
    assert (row.state, row.ties) == (State.DRAFT, True)
    assert row.roles.get().rank == Rank.OWNER

    assert row.events.get().what == "made"
    assert row.created_by == row.roles.get().user


def test_nobody_can_join_a_new_study_until_its_owner_opens_an_entry_point(
    office: Client, dataset: Dataset
) -> None:
    sent = {"dataset": dataset.pk, "protocol": "triplet", "votes": 3, "seed": 0}
    shown = office.post(reverse("study_new"), sent, follow=True).text
    row = Study.objects.get()

    assert (row.link_is_open, row.crowd_is_open, row.accounts) == (
        False,
        False,
        "invited",
    )
    assert "Only people with a personal link or a role can take part." in shown

    Study.objects.update(link_is_open=True)
    shown = office.get(reverse("study_settings", args=[row.name])).text

    assert "Ways to take part: the shared link, personal links, and roles." in shown


def test_the_only_dataset_is_chosen_beforehand(
    office: Client, dataset: Dataset
) -> None:
    address = reverse("study_new")
    assert f'<option value="{dataset.pk}" selected>' in office.get(address).text

    other = Dataset.objects.create(name="other", title="Other")
    assert f'<option value="{dataset.pk}" selected>' not in office.get(address).text
    assert (
        f'<option value="{other.pk}" selected>'
        in office.get(address, {"dataset": other.pk}).text
    )


GERMAN = [
    ("dog", "Ein Hund läuft über das Gras."),
    ("cat", "Die Katze schläft auf dem Dach."),
]


@pytest.fixture
def german(db: None, tmp_path: Path) -> Dataset:
    """A dataset with German references."""
    folder = dataset_folder(tmp_path / "german", references=GERMAN)
    return import_dataset(load(folder), "german", folder)


def test_a_new_study_asks_for_the_language_that_its_captions_seem_to_have(
    office: Client, german: Dataset
) -> None:
    def asked(**query: int) -> object:
        return (
            office.get(reverse("study_new"), query).context["form"]["language"].value()
        )

    assert asked() == "de"
    assert "Pairs may have a category" in office.get(reverse("study_new")).text

    Dataset.objects.create(name="other", title="Other")
    assert asked() == "", "no dataset is chosen yet"
    assert asked(dataset=german.pk) == "de"


@pytest.mark.parametrize(
    ("given", "kept"), [("", "de"), ("de-CH", "de-CH"), ("fr", "fr")]
)
def test_the_language_of_the_captions_is_guessed_only_where_none_is_given(
    office: Client, german: Dataset, given: str, kept: str
) -> None:
    sent = {"dataset": german.pk, "protocol": "triplet", "votes": 3, "seed": 0}
    office.post(reverse("study_new"), sent | {"language": given})
    assert Study.objects.get().language == kept


@pytest.mark.parametrize(("given", "kept"), [("en", "de"), ("fr", "fr")])
def test_a_guess_nobody_changed_is_made_again_for_the_dataset_that_is_sent(
    office: Client, german: Dataset, given: str, kept: str
) -> None:
    sent = {"dataset": german.pk, "protocol": "triplet", "votes": 3, "seed": 0}
    office.post(reverse("study_new"), sent | {"language": given, "guessed": "en"})
    assert Study.objects.get().language == kept


def test_a_language_that_is_no_code_is_refused(office: Client, german: Dataset) -> None:
    sent = {"dataset": german.pk, "protocol": "triplet", "votes": 3, "seed": 0}
    answer = office.post(reverse("study_new"), sent | {"language": "German"})

    assert "Write a code such as en, de or pt-BR" in answer.text
    assert not Study.objects.exists()


def test_more_references_than_there_are_are_refused(
    office: Client, dataset: Dataset
) -> None:
    sent = {
        "dataset": dataset.pk,
        "protocol": "triplet",
        "votes": 3,
        "seed": 0,
        "references": 4,
    }
    answer = office.post(reverse("study_new"), sent)

    assert answer.status_code == 422
    assert "No image of small has more than 3 references." in answer.text
    assert not Study.objects.exists()


PLAN = re.compile(r'<p class="small" id="plan" role="status">(.*?)</p>')


def plan_in(page: str) -> str:
    [plan] = PLAN.findall(squeeze(page))
    return unescape(plan).replace("\u00d7", "x")


@pytest.mark.parametrize(
    ("asked", "plan"),
    [
        ({}, "4 pairs x 2 to 3 references = 10 triplets, 30 votes"),
        (
            {"references": 3, "votes": 1},
            "4 pairs x 2 to 3 references = 10 triplets, 10 votes",
        ),
        ({"references": 2}, "4 pairs x 2 references = 8 triplets, 24 votes"),
        ({"references": 1}, "4 pairs x 1 reference = 4 triplets, 12 votes"),
        ({"protocol": "pairwise", "votes": 5}, "4 pairs = 4 triplets, 20 votes"),
        ({"protocol": "pairwise", "references": 9}, "4 pairs = 4 triplets, 12 votes"),
    ],
)
def test_a_new_study_counts_what_it_will_create(
    office: Client, dataset: Dataset, asked: dict[str, int | str], plan: str
) -> None:
    Reference.objects.filter(number=3, image__name="dog").delete()
    Image.objects.update(url="https://example.org/picture.png")
    query: dict[str, int | str] = {"dataset": dataset.pk, **asked}

    assert plan_in(office.get(reverse("study_new"), query).text) == plan

    usual = {"protocol": "triplet", "votes": 3, "seed": 0}
    office.post(reverse("study_new"), usual | query)
    created = Study.objects.get()
    count = created.questions.count()

    votes = count * created.votes
    assert plan.endswith(f"= {count} triplets, {votes} votes")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"references": 4}, "No image of small has more than 3 references."),
        ({"protocol": "pairwise"}, "have no file."),
        ({"votes": 0}, ""),
        ({"votes": "x"}, ""),
        ({"references": 0}, ""),
        ({"protocol": "duel"}, ""),
        ({"dataset": ""}, ""),
        ({"dataset": "x"}, ""),
    ],
)
def test_a_new_study_says_why_it_cannot_be_counted(
    office: Client, dataset: Dataset, asked: dict[str, int | str], told: str
) -> None:
    query: dict[str, int | str] = {"dataset": dataset.pk, **asked}
    shown = plan_in(office.get(reverse("study_new"), query).text)

    assert told in shown
    assert bool(shown) is bool(told)


def test_the_only_dataset_is_counted_at_once_and_what_was_sent_again(
    office: Client, dataset: Dataset
) -> None:
    assert plan_in(office.get(reverse("study_new")).text).startswith(
        "4 pairs x 3 references"
    )

    sent = {"dataset": dataset.pk, "protocol": "triplet", "votes": 2, "references": 1}
    refused = office.post(reverse("study_new"), sent | {"seed": "x"})

    assert plan_in(refused.text) == "4 pairs x 1 reference = 4 triplets, 8 votes"


def test_images_with_fewer_references_than_asked_for_are_counted(
    office: Client, dataset: Dataset
) -> None:
    Reference.objects.filter(number=3, image__name="dog").delete()
    sent = {"dataset": dataset.pk, "protocol": "triplet", "votes": 3, "seed": 0}
    told = "1 image has fewer references than asked for per pair"

    shown = office.post(reverse("study_new"), sent | {"references": 3}, follow=True)
    assert told in shown.text

    shown = office.post(reverse("study_new"), sent | {"references": 2}, follow=True)
    assert told not in shown.text


# Settings


def test_every_setting_has_a_group_with_a_field(owner: Client, study: Study) -> None:
    fixed = {"protocol", "votes", "references", "seed", "state", "collected_elsewhere"}
    fields: set[str] = set()
    for protocol in KINDS:
        study.protocol = protocol
        study.save(update_fields=["protocol"])
        for group in groups_of(study):
            fields |= {*owner.get(group.address_in(study)).context["form"].fields}

    assert SETTINGS.keys() - fixed | {"crowd_key", "seen"} == fields
    assert 'name="done-code"' in group_page(owner, study, "exits")


def test_seven_settings_come_before_opening(owner: Client, study: Study) -> None:
    form = owner.get(reverse("study_settings", args=[study.name])).context["form"]
    assert len(form.fields.keys() - {"seen"}) == 7


def test_the_texts_of_all_steps_are_shown_with_the_default_ones(
    owner: Client, study: Study
) -> None:
    page = group_page(owner, study, "texts")
    for step in SWITCHES:
        assert f'value="{step}"' in page
        assert escape(default_text(step, study.protocol).splitlines()[0]) in page


def test_the_index_leads_to_every_group_and_counts_its_changes(
    owner: Client, study: Study
) -> None:
    save(owner, study, gold_rate=0.05, repeat_rate=0.1)
    page = group_page(owner, study, "checks")
    for group in groups_of(study):
        assert f'href="{group.address_in(study)}"' in page

    assert "Differs from a new study: Share of gold" not in page
    assert "share of gold questions: 0.05 · share of repeats: 0.1" in page
    assert re.search(r"Checks\s*<span>\s*2 changed", page)
    assert not re.search(r"Adjudication\s*<span>", page)


def test_a_group_that_does_not_exist_is_missing(owner: Client, study: Study) -> None:
    address = reverse("study_setting_group", args=[study.name, "nothing"])
    assert owner.get(address).status_code == 404


def test_saving_a_group_leaves_the_others_as_they_are(
    owner: Client, study: Study
) -> None:
    kept = {"title": "Kept", "break_every": 7, "link_is_open": True, "consent": "Mine"}
    Study.objects.update(**kept)
    Exit.objects.create(study=study, outcome="done", code="C1")
    assert save(owner, study, min_seconds=2) == 302

    study.refresh_from_db()
    assert {name: getattr(study, name) for name in kept} == kept
    assert (study.min_seconds, study.exits.get().code) == (2, "C1")
    assert study.events.get().details == {"min_seconds": [1, 2]}


def test_what_is_saved_is_kept_and_logged_with_what_it_was(
    owner: Client, study: Study
) -> None:
    changes = {"max_judgments": 40, "question_order": "blocks", "skips": True}

    assert save(owner, study, **changes) == 302

    study.refresh_from_db()
    assert {name: getattr(study, name) for name in changes} == changes
    assert study.events.get().details == {
        "max_judgments": [None, 40],
        "question_order": ["same", "blocks"],
        "skips": [False, True],
    }


def test_nobody_saves_over_a_change_that_they_have_not_seen(
    owner: Client, office: Client, study: Study
) -> None:
    address, page = in_group(owner, study, max_judgments=40)
    save(office, study, break_every=7)
    answer = owner.post(address, page)

    study.refresh_from_db()
    assert (answer.status_code, study.max_judgments) == (422, None)
    assert "while this page was open: judgments between breaks: 50 → 7." in answer.text
    assert 'name="max_judgments" value="40"' in answer.text

    again = page | {"seen": answer.context["form"]["seen"].value()}
    assert owner.post(address, again).status_code == 302

    study.refresh_from_db()
    assert (study.max_judgments, study.break_every) == (40, 50)


def test_a_change_in_another_group_does_not_stop_anybody(
    owner: Client, office: Client, study: Study
) -> None:
    address, page = in_group(owner, study, max_judgments=40)
    save(office, study, gold_rate=0.1)
    save(office, study, **{"done-code": "C1"})

    assert owner.post(address, page).status_code == 302


def test_exits_that_somebody_changed_are_not_saved_over(
    owner: Client, office: Client, study: Study
) -> None:
    address, page = in_group(owner, study, **{"done-code": "C1"})
    save(office, study, **{"done-code": "C2"})

    assert owner.post(address, page).status_code == 422


@pytest.mark.parametrize("protocol", KINDS)
@pytest.mark.parametrize(
    "group", [BEFORE, *GROUPS.values()], ids=lambda each: each.slug
)
def test_saving_what_is_there_changes_and_logs_nothing(
    owner: Client, study: Study, group: SettingGroup, protocol: str
) -> None:
    study.protocol = protocol
    KINDS[protocol].prepare(study)
    study.save()
    if not group.means_in(study):
        assert owner.get(group.address_in(study)).status_code == 404
        return

    sent = settings_of(owner, study, group)
    assert owner.post(group.address_in(study), sent).status_code == 302
    assert not study.events.exists()


def test_opening_the_shared_link_asks_who_will_use_it(
    owner: Client, study: Study
) -> None:
    Study.objects.update(link_is_open=False, link_users="unasked")
    assert save(owner, study, link_is_open="on") == 422

    study.refresh_from_db()
    assert not study.link_is_open
    assert save(owner, study, link_is_open="on", link_users="anywhere") == 302

    study.refresh_from_db()
    assert (study.link_is_open, study.link_users) == (True, "anywhere")
    assert save(owner, study, link_users="place") == 302


def test_an_open_study_that_was_never_asked_goes_on_until_it_is_opened_again(
    owner: Client, study: Study
) -> None:
    Study.objects.update(link_users="unasked")
    assert save(owner, study, break_every=7) == 302

    for state in ("paused", "open", "closed", "open"):
        owner.post(reverse("study_state", args=[study.name]), {"state": state})

    study.refresh_from_db()
    assert (study.state, study.link_users) == ("closed", "unasked")

    shown = settings_of_text(owner, study)
    assert "Nobody has said who uses the shared link" in shown

    save(owner, study, link_users="place")
    assert "Nobody has said who uses the shared link" not in settings_of_text(
        owner, study
    )

    owner.post(reverse("study_state", args=[study.name]), {"state": "open"})
    study.refresh_from_db()

    assert study.is_open


def settings_of_text(owner: Client, study: Study) -> str:
    return owner.get(reverse("study_settings", args=[study.name])).text


def test_switches_that_are_off_are_saved_as_off(owner: Client, study: Study) -> None:
    save(owner, study, link_is_open=False, crowd_is_open="on")
    save(owner, study, stop_early="on")
    study.refresh_from_db()

    assert (study.link_is_open, study.crowd_is_open, study.stop_early) == (
        False,
        True,
        True,
    )


def test_what_made_the_questions_stays(owner: Client, study: Study) -> None:
    made = {"protocol": "pairwise", "votes": 9, "references": 1, "seed": 7}
    save(owner, study, title="Small study", state="draft", **made)
    study.refresh_from_db()

    assert (study.protocol, study.votes, study.references, study.seed) == (
        "triplet",
        3,
        None,
        0,
    )
    assert study.is_open


@pytest.mark.parametrize(("state", "kept"), [(State.DRAFT, True), (State.OPEN, False)])
def test_cannot_tell_is_decided_before_anybody_judges(
    owner: Client, study: Study, state: State, kept: bool
) -> None:
    Study.objects.update(state=state)
    save(owner, study, ties="on")
    study.refresh_from_db()

    assert study.ties is kept


def test_a_text_is_kept_with_one_kind_of_line_end(owner: Client, study: Study) -> None:
    save(owner, study, consent="Hello\r\n\r\nyou")
    study.refresh_from_db()
    assert study.consent == "Hello\n\nyou"


def test_the_default_text_stays_the_default_text(owner: Client, study: Study) -> None:
    text = default_text("instructions", "triplet").replace("\n", "\r\n")
    assert save(owner, study, instructions=text) == 302

    study.refresh_from_db()
    assert study.instructions == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"title": ""}, "required"),
        ({"language": "not a tag"}, "Write a code such as en, de or pt-BR"),
        ({"language": "German"}, "Write a code such as en, de or pt-BR"),
        ({"max_judgments": 0}, "greater than or equal to 1"),
        ({"gold_rate": 0.6}, "less than or equal to 0.5"),
        ({"gold_rate": 0.3, "repeat_rate": 0.3}, "together may not exceed 0.5"),
        ({"min_seconds": -1}, "greater than or equal to 0"),
        ({"steps": ["dance"]}, "not one of the available choices"),
        ({"accounts": "nobody"}, "not one of the available choices"),
        ({"person_parameter": ""}, "required"),
        ({"person_parameter": "SESSION_ID"}, "different names"),
        (
            {"comprehension": f"{QUIZ}\n\nAgain?\n- [ ] Only this"},
            "Line 6: give the question",
        ),
        (
            {"questionnaire_before": "Age?\n[age: years]"},
            "Line 2: there is no field of the kind",
        ),
        ({"practice": "A\n- [ ] This\n- [ ] That"}, "Line 1: mark exactly one option"),
        (
            {"practice": f"{QUIZ}\n\nA\n- [x] 1\n- [ ] 2\n- [ ] 3"},
            "“A”: give a practice question",
        ),
        ({"done-url": "prolific.com"}, "begins with https://"),
        ({"done-code": "x" * 61}, "at most 60"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_saved(
    owner: Client, study: Study, changes: dict[str, object], words: str
) -> None:
    assert words in fault(owner, study, **changes)


def test_what_was_typed_is_still_there_where_something_is_wrong(
    owner: Client, study: Study
) -> None:
    page = fault(owner, study, practice="No", consent="My own <b>consent</b>")
    assert "My own &lt;b&gt;consent" in page
    assert "<h1>Small study</h1>" in page


def test_exits_are_kept_and_logged_and_go_when_emptied(
    owner: Client, study: Study
) -> None:
    address = "https://app.prolific.com/submissions/complete?cc={code}"
    save(owner, study, **{"done-code": "C1", "done-url": address, "failed-code": "C2"})
    rows = {row.outcome: (row.code, row.url) for row in study.exits.all()}

    assert rows == {"done": ("C1", address), "failed": ("C2", "")}

    save(owner, study, **{"failed-code": ""})
    assert [row.outcome for row in study.exits.all()] == ["done"]
    assert study.events.first().details == {"failed": [["C2", ""], ["", ""]]}  # type: ignore[union-attr]


def test_researchers_see_the_settings_and_change_nothing(
    researcher: Client, owner: Client, study: Study
) -> None:
    page = group_page(researcher, study, "basics")
    assert "Only owners of the study can change these settings." in page.replace(
        "'", "&#x27;"
    )
    assert "Save settings" not in page
    assert reverse("study_state", args=[study.name]) not in shown(researcher, study)
    assert "Delete this study" not in group_page(researcher, study, "whole")

    assert researcher.post(*in_group(owner, study, title="Mine")).status_code == 403


def test_the_question_is_previewed_with_texts_of_the_study(
    office: Client, study: Study
) -> None:
    words = {
        "question": "Which is shorter?",
        "label_a": "Original",
        "label_left": "<First>",
    }
    address = reverse("study_preview", args=[study.name, "question"])
    shown = office.post(address, words).text
    example = study.questions.order_by("position")[0]
    parts = (
        "Original",
        example.reference,
        "Which is shorter?",
        "&lt;First&gt;",
        pair_of(example).b,
    )

    places = [shown.index(str(part)) for part in parts]
    assert places == sorted(places)

    study.refresh_from_db()
    assert study.question == ""

    settings = group_page(office, study, "question")
    assert 'id="preview-question"' in settings
    assert "Which sentence is more similar to A?" in settings


def test_what_a_consent_lacks_is_said_before_it_is_opened(
    researcher: Client, study: Study
) -> None:
    def warning() -> str:
        return shown(researcher, study).partition('id="missing"')[2][:200]

    given = {"institution": "Lab", "contact": "us", "duration": "a day"}
    Study.objects.update(state="draft", steps=["consent"], **given)

    assert "Not filled in for the consent: Pay, Withdrawal." in warning()

    Study.objects.update(pay="nothing", withdrawal="Write to us.")
    assert not warning()

    Study.objects.update(pay="", state="open")
    assert not warning()

    Study.objects.update(state="draft", steps=[])
    assert not warning()


def test_texts_in_another_language_than_the_captions_are_named_before_it_is_opened(
    researcher: Client, study: Study
) -> None:
    def is_warned(**settings: object) -> bool:
        usual = {
            "state": "draft",
            "steps": ["practice"],
            "language": "it",
            "practice": "",
        }
        Study.objects.update(**usual | settings)

        return 'id="in-english"' in shown(researcher, study)

    assert is_warned()
    assert not is_warned(language="de")
    assert not is_warned(practice=QUIZ)

    assert not is_warned(steps=[])
    assert not is_warned(state="open")


def test_the_default_practice_is_previewed_in_the_language_of_the_captions(
    researcher: Client, study: Study
) -> None:
    Study.objects.update(language="de")
    assert "Zwei Kinder bauen" in group_page(researcher, study, "texts")


def test_a_step_without_a_text_is_said_before_the_study_is_opened(
    researcher: Client, study: Study
) -> None:
    def is_warned(**settings: object) -> bool:
        usual = {"state": "draft", "steps": ["practice"], "question": "Which?"}
        Study.objects.update(**usual | settings)
        return 'id="without-text"' in shown(researcher, study)

    assert is_warned()
    assert not is_warned(practice=QUIZ)
    assert not is_warned(practice="", steps=["consent", "instructions"])

    assert not is_warned(question="")
    assert not is_warned(state="open")


def test_gold_that_nobody_chose_is_said_before_the_study_is_opened(
    owner: Client, study: Study
) -> None:
    def is_warned(**settings: object) -> bool:
        Study.objects.update(**{"state": "draft", "gold_rate": 0.1} | settings)
        return 'id="without-gold"' in shown(owner, study)

    assert is_warned()
    assert not is_warned(gold_rate=0)
    assert not is_warned(state="open")

    study.questions.filter(pair__name="p1").update(gold="B")
    assert not is_warned()


def test_a_default_text_that_does_not_fit_the_own_question_is_said(
    researcher: Client, study: Study
) -> None:
    def empty() -> list[tuple[str, str]]:
        page = preview(researcher, study, "texts")
        return re.findall(
            r'data-placeholder="(.{0,9})[^"]*" data-empty="([^"]*)"', page
        )

    no_text = "No text: the default one does not fit your question and is not shown"
    assert [meaning for _start, meaning in empty()] == ["Default text"] * 4

    Study.objects.update(question="Which is clearer?")
    consent, instructions, *quizzes = empty()
    assert (consent[1], instructions[1]) == ("Default text", "Default text")
    assert instructions[0] == "**Which i"
    assert quizzes == [("", no_text)] * 2


def preview(browser: Client, study: Study, group: str, **texts: str) -> str:
    address = reverse("study_preview", args=[study.name, group])
    return squeeze(browser.post(address, texts).text)


def test_an_example_of_a_questionnaire_is_in_the_language_of_the_captions(
    owner: Client, study: Study
) -> None:
    assert "How old are you?" in group_page(owner, study, "questionnaires")

    Study.objects.update(language="de")
    assert "Wie alt sind Sie?" in group_page(owner, study, "questionnaires")


def test_questionnaires_are_previewed_before_they_are_saved(
    researcher: Client, study: Study
) -> None:
    texts = {
        "questionnaire_before": "How *old*?\n[age: number, required]",
        "questionnaire_after": "More?\n[more]",
    }
    page = preview(researcher, study, "questionnaires", **texts)

    assert 'name="preview-before-age"' in page
    assert "Line 2: write a field as" in page


def test_texts_are_previewed_before_they_are_saved(
    researcher: Client, study: Study
) -> None:
    texts = {
        "consent": "**Dear** <script>",
        "comprehension": QUIZ,
        "practice": "Only a question",
    }
    page = preview(researcher, study, "texts", **texts)

    assert "<strong>Dear</strong> &lt;script&gt;" in page
    assert "So it is." in page
    assert "Line 1: give the question two options" in page
    assert "Which of the two is more similar to A?" in page

    study.refresh_from_db()
    assert study.consent == ""


def test_a_step_without_a_text_is_said_to_be_passed_over(
    owner: Client, study: Study
) -> None:
    Study.objects.update(protocol="pairwise")
    assert "annotators skip this step" in group_page(owner, study, "texts")


# The forecast


def test_the_forecast_reckons_with_the_wage_that_was_asked_for(
    owner: Client, study: Study
) -> None:
    page = shown(owner, study, wage=36, fee=50, currency="EUR")
    for words in (
        "<dd>36</dd>",
        "<dd>3.60 EUR</dd>",
        "<dd>1.80 EUR</dd>",
        "<dd>5.40 EUR</dd>",
        "a guess",
    ):
        assert words in page, words


@pytest.mark.parametrize("nonsense", ["x", "-1", "nan", "inf", "", "9" * 400])
def test_a_nonsense_wage_is_told_and_the_usual_one_taken(
    owner: Client, study: Study, nonsense: str
) -> None:
    page = shown(owner, study, wage=nonsense)
    assert "errorlist" in page
    assert "<dd>1.20 USD</dd>" in page


def test_a_study_with_all_its_votes_costs_nothing_more(
    owner: Client, study: Study
) -> None:
    Question.objects.update(needed=1, answers=1)
    assert "nothing left to pay for" in shown(owner, study)


# State, votes, copy


def test_every_change_of_state_has_words() -> None:
    assert {(state, after) for state, to in TRANSITIONS.items() for after in to} == set(
        ACTIONS
    )


@pytest.mark.parametrize(("state", "after"), ACTIONS)
def test_owners_bring_the_study_to_another_state(
    owner: Client, study: Study, state: State, after: State
) -> None:
    Study.objects.update(state=state)
    name, meaning = ACTIONS[state, after]
    page = shown(owner, study)

    assert escape(str(name)) in page
    assert escape(str(meaning)) in page
    assert f"The study is now {after}." in post(
        owner, study, "study_state", state=after
    )
    assert study.events.get().details == {"was": state}


@pytest.mark.parametrize(
    ("state", "page"),
    [("closed", "study"), ("paused", "study_settings"), ("draft", "study_settings")],
    ids=["closed", "paused", "refused"],
)
def test_a_closed_study_leads_to_its_results(
    owner: Client, study: Study, state: str, page: str
) -> None:
    address = reverse("study_state", args=[study.name])
    answer = owner.post(address, {"state": state})
    assert answer["Location"] == reverse(page, args=[study.name])


def test_an_open_study_leads_to_its_links(owner: Client, study: Study) -> None:
    people = reverse("study_people", args=[study.name])
    assert f'<a href="{people}">Links to send</a>' in shown(owner, study)

    Study.objects.update(state=State.PAUSED)
    assert "Links to send" not in shown(owner, study)


def test_a_change_of_state_that_cannot_be_is_told(owner: Client, study: Study) -> None:
    assert "cannot become draft" in post(owner, study, "study_state", state="draft")

    post(owner, study, "study_state", state="nonsense")
    study.refresh_from_db()

    assert study.is_open


def test_raised_votes_reopen_finished_questions(owner: Client, study: Study) -> None:
    study.questions.update(answers=3)
    assert claim(new_annotator(study)) is None
    assert "24 more votes are needed." in post(owner, study, "study_votes", votes=5)

    assert claim(new_annotator(study)) is not None


@pytest.mark.parametrize(
    ("votes", "words"),
    [
        (3, "Enter a higher number"),
        (-1, "Enter a higher number"),
        ("many", "Enter a whole number"),
        (2**31, "less than or equal to"),
    ],
)
def test_votes_that_cannot_be_raised_to_are_told(
    owner: Client, study: Study, votes: object, words: str
) -> None:
    assert words in post(owner, study, "study_votes", votes=votes)
    assert not study.events.exists()


def test_a_copy_is_a_draft_with_settings_exits_and_gold_of_whoever_copies(
    owner: Client, study: Study, person: User
) -> None:
    Exit.objects.create(study=study, outcome="done", code="C1")
    study.questions.filter(position=0).update(gold="B")
    Study.objects.update(max_judgments=7)
    lease = claim(new_annotator(study))
    assert lease is not None
    vote(lease.key, "left")
    page = post(owner, study, "study_copy")

    copy = Study.objects.get(state=State.DRAFT)
    assert "Small study (copy)" in page
    assert (copy.max_judgments, copy.exits.get().code) == (7, "C1")

    assert copy.questions.exclude(gold="").count() == 1
    assert copy.questions.progress()["votes"] == copy.annotators.count() == 0
    assert copy.roles.get().user == person


# Gold questions


def lines(owner: Client, study: Study, text: str) -> str:
    return post(owner, study, "study_gold", do="add", lines=text)


def gold_of(study: Study) -> set[tuple[str, int | None, str]]:
    rows = study.questions.exclude(gold="")
    return set(rows.values_list("pair__name", "reference__number", "gold"))


@pytest.mark.parametrize(
    "text",
    [
        "p1,1,B\np2,3,C",
        "pair,reference,answer\np1,1,B\np2,3,C",
        '\r\n p1 , 1 , b \r\n\r\n"p2",3,c\r\n',
    ],
)
def test_gold_is_named_by_lines(owner: Client, study: Study, text: str) -> None:
    page = lines(owner, study, text)
    assert "2 gold questions added." in page
    assert "a dog runs over the grass" in page

    assert gold_of(study) == {("p1", 1, "B"), ("p2", 3, "C")}
    assert study.events.get().details == {"questions": ["p1 1 B", "p2 3 C"]}


def test_every_faulty_line_is_named_and_nothing_is_kept(
    owner: Client, study: Study
) -> None:
    text = "p1,1,B\np9,1,B\np1,9,C\n\np1,one,B\np1,2,A\np1,2\np1,,B"
    page = lines(owner, study, text)

    for words in (
        "Line 2: the study has no question on pair p9 with reference 1.",
        "Line 3: the study has no question on pair p1 with reference 9.",
        "Line 5: the reference is its number, from 1.",
        "Line 6: the answer is B or C.",
        "Line 7: write three cells",
        "Line 8: the reference is its number",
    ):
        assert words in page, words
    assert "Line 1:" not in page
    assert gold_of(study) == set()


@pytest.mark.parametrize("text", ["", "   ", "x" * 100_001, "\x00"])
def test_lines_that_are_none_are_no_crash(
    owner: Client, study: Study, text: str
) -> None:
    assert "errorlist" in lines(owner, study, text)


def test_under_pairwise_the_reference_is_empty(owner: Client, dataset: Dataset) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    office = Client()
    office.force_login(User.objects.create_user("boss", is_staff=True))
    sent = {"dataset": dataset.pk, "protocol": "pairwise", "votes": 1, "seed": 0}
    office.post(reverse("study_new"), sent)

    pairwise = Study.objects.get(protocol="pairwise")
    assert "leave the reference empty" in lines(office, pairwise, "p1,1,B")
    assert "has no question on pair p9." in lines(office, pairwise, "p9,,B")

    assert "example.org/picture.png" in lines(office, pairwise, "p1,,C")
    assert gold_of(pairwise) == {("p1", None, "C")}


def test_a_pair_without_a_category_is_suggested_by_its_name(
    owner: Client, study: Study
) -> None:
    assert "p1, HI, reference" in shown(owner, study, "study_gold")

    study.dataset.pairs.update(category="")
    assert "p1, reference" in shown(owner, study, "study_gold")


def test_gold_is_drawn_from_published_winners_one_a_pair(
    owner: Client, study: Study
) -> None:
    assert "None are left here" in shown(owner, study, "study_gold")

    study.dataset.pairs.filter(name__in=["p1", "p2", "p3"]).update(winner="C")
    assert "3 pairs have a published winner" in shown(owner, study, "study_gold")
    assert "2 gold questions added." in post(
        owner, study, "study_gold", do="draw", count=2
    )

    assert len({pair for pair, _, answer in gold_of(study) if answer == "C"}) == 2
    assert "1,000" not in post(owner, study, "study_gold", do="draw", count=1000)
    assert study.questions.exclude(gold="").count() == 5


def test_obvious_gold_is_made_with_captions_of_other_images(
    owner: Client, study: Study
) -> None:
    address = reverse("study_gold", args=[study.name])
    make = {"do": "make", "count": "5"}
    page = squeeze(owner.post(address, make, follow=True).text)
    assert "Only a draft study takes references and pairs." in page
    assert "Make obvious questions" not in page

    Study.objects.update(state=State.DRAFT)
    assert "Make obvious questions" in owner.get(address).text
    before = study.dataset.pairs.count()
    page = squeeze(owner.post(address, make, follow=True).text)
    assert "2 gold questions added." in page

    made = study.questions.gold()
    assert study.dataset.pairs.count() == before + made.count() == before + 2
    for question in made.select_related("pair__b", "pair__c", "image"):
        assert question.pair
        pair = question.pair
        wrong = pair.c if question.gold == "B" else pair.b
        others = Reference.objects.exclude(image=question.image)
        assert others.filter(caption=wrong.caption).exists()
        assert not question.image.references.filter(caption=wrong.caption).exists()

    owner.post(address, make)
    assert study.questions.gold().count() == 4


def test_what_is_gold_is_not_drawn_again(owner: Client, study: Study) -> None:
    study.dataset.pairs.update(winner="C")
    one = study.questions.earliest("pk")
    study.questions.exclude(pk=one.pk).update(gold="B")

    assert "1 gold question added." in post(
        owner, study, "study_gold", do="draw", count=9
    )
    one.refresh_from_db()
    assert one.gold == "C"


def test_a_number_to_draw_that_cannot_be_is_told(owner: Client, study: Study) -> None:
    study.dataset.pairs.update(winner="B")
    assert "errorlist" in post(owner, study, "study_gold", do="draw", count=0)
    assert gold_of(study) == set()


def test_gold_is_removed_and_logged(owner: Client, study: Study) -> None:
    lines(owner, study, "p1,1,B")
    key = study.questions.exclude(gold="").get().pk

    assert "no longer gold" in post(
        owner, study, "study_gold", do="remove", triplet=key
    )
    assert gold_of(study) == set()
    assert study.events.first().details == {"questions": ["p1 1 B"]}  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["", "x", "0", "9" * 30, "-1"])
def test_removing_what_is_no_gold_changes_nothing(
    owner: Client, study: Study, key: str
) -> None:
    post(owner, study, "study_gold", do="remove", triplet=key)
    post(owner, study, "study_gold", do="nonsense", triplet=key)
    assert not study.events.exists()


# The log


def test_the_log_tells_who_did_what_newest_first(owner: Client, study: Study) -> None:
    save(owner, study, max_judgments=9)
    post(owner, study, "study_state", state="paused")
    post(owner, study, "study_votes", votes=5)
    page = shown(owner, study, "study_log")

    places = [
        page.index(words)
        for words in ("Increased the votes", "Paused the study", "Changed")
    ]

    assert places == sorted(places)
    assert "judgments per person, at most" in page
    assert "ann" in page


def test_what_a_command_did_and_unknown_events_have_words(
    owner: Client, study: Study
) -> None:
    set_state(study, State.CLOSED, None)
    study.events.create(
        what="exported with names", details={"files": ["a", "b"], "of": {"x": 1}}
    )
    page = shown(owner, study, "study_log")

    assert "command line" in page
    assert "Exported with names" in page
    assert "a, b" in page


def test_a_log_of_nothing_says_so(owner: Client, study: Study) -> None:
    assert "No changes since" in shown(owner, study, "study_log")


def test_a_long_log_has_pages(owner: Client, study: Study) -> None:
    for number in range(EVENTS_PER_PAGE + 1):
        study.events.create(what="copied", details={"source": f"study-{number:03}"})

    assert "study-000" not in shown(owner, study, "study_log")
    assert "Page 1 of 2" in shown(owner, study, "study_log")
    assert "study-000" in shown(owner, study, "study_log", page=2)
    assert "study-000" in shown(owner, study, "study_log", page="999")


def test_what_the_log_tells_is_never_markup(owner: Client, study: Study) -> None:
    save(owner, study, consent="<script>alert(1)</script>")
    save(owner, study, title="<script>alert(2)</script>")

    assert "<script>alert" not in shown(owner, study, "study_log")
    assert "<script>alert" not in shown(owner, study)
    assert "<script>alert" not in group_page(owner, study, "texts")


def test_the_tabs_lead_to_every_page_of_the_study(
    researcher: Client, study: Study
) -> None:
    page = shown(researcher, study, "study_log")
    for name in ("study", "study_people", "study_settings", "study_log"):
        assert f'href="{reverse(name, args=[study.name])}"' in page
        assert 'data-state="open"' in shown(researcher, study, name)


def test_gold_is_chosen_from_one_question_of_each_pair(
    owner: Client, study: Study
) -> None:
    page = shown(owner, study, "study_gold")
    assert page.count("B is right") == 4
    assert "Pairs of category HI come first" in page

    question = study.questions.filter(pair__name="p2").earliest("position")
    assert "1 gold question added." in post(
        owner, study, "study_gold", do="choose", right=f"{question.pk}.C"
    )
    assert {(pair, answer) for pair, _, answer in gold_of(study)} == {("p2", "C")}
    assert shown(owner, study, "study_gold").count("B is right") == 3


def test_too_few_gold_questions_to_flag_anybody_are_said(
    owner: Client, study: Study
) -> None:
    assert "At least 4 are needed, or nobody can be flagged." in shown(
        owner, study, "study_gold"
    )

    study.questions.filter(pk__in=study.questions.values("pk")[:4]).update(gold="B")
    assert "nobody can be flagged" not in shown(owner, study, "study_gold")


def test_choosing_gold_keeps_the_place_in_the_list(owner: Client, study: Study) -> None:
    assert 'formaction="?choice=1#choice-2"' in shown(
        owner, study, "study_gold", choice=1
    )

    address = f"{reverse('study_gold', args=[study.name])}?choice=2"
    question = study.questions.earliest("pk")
    response = owner.post(address, {"do": "choose", "right": f"{question.pk}.B"})

    assert response["Location"] == address


@pytest.mark.parametrize(
    "right", ["", "1", "1.tie", "x.B", "9" * 30 + ".B", "999999.B"]
)
def test_a_choice_of_gold_that_is_none_changes_nothing(
    owner: Client, study: Study, right: str
) -> None:
    post(owner, study, "study_gold", do="choose", right=right)
    assert gold_of(study) == set()


def test_what_is_wrong_is_named_above(owner: Client, study: Study) -> None:
    page = fault(owner, study, session_parameter="STUDY_ID")
    assert '<a href="#id_session_parameter">Session</a>' in page

    page = fault(owner, study, **{"done-url": "nowhere"})
    assert '<a href="#id_done-url">Redirect URL</a>' in page


def test_texts_of_several_lines_are_no_change_where_they_stay(
    owner: Client, study: Study
) -> None:
    Study.objects.update(consent="One.\nTwo.", debrief="Three.\nFour.")
    assert save(owner, study, consent="One.\r\nTwo.") == 302
    assert save(owner, study, debrief="Three.\r\nFour.") == 302
    assert not study.events.exists()


def test_the_forecast_begins_with_the_announced_pay_and_time(
    owner: Client, study: Study
) -> None:
    study.duration, study.pay, study.max_judgments = "8 minutes", "9 GBP per hour", 4
    study.save()
    page = shown(owner, study)

    assert "<dd>10.80 GBP</dd>" in page, "nine people at 1.20"
    assert "Pay is for the 8 minutes that the consent announces." in page


def test_pay_that_is_owed_is_left_to_pay(owner: Client, study: Study) -> None:
    Question.objects.update(needed=1, answers=1)
    study.annotators.create(name="p", external_id="id1", judged=3, outcome="done")
    page = shown(owner, study)

    assert "nothing left to pay for" not in page
    assert "Pay is owed to 1 person who has finished" in " ".join(page.split())
