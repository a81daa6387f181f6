import csv
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.annotation.judging.annotators import new_crowd_annotator, personal_links
from tercet.annotation.models import Annotator, Role, Study
from tercet.annotation.models.study import Rank
from tercet.annotation.quality.people_views import LINKS_PER_PAGE
from tests.support.browsers import logged_in
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(study: Study, person: User) -> Client:
    """The browser of Ann, who owns the study and is no administrator."""
    Role.objects.create(study=study, user=person, rank=Rank.OWNER)
    return browser_of(person)


def browser_of(user: User) -> Client:
    return logged_in(user)


def shown(browser: Client, study: Study, **query: int) -> str:
    response = browser.get(reverse("study_people", args=[study.name]), query)
    return squeeze(response.getvalue().decode())


def post(browser: Client, study: Study, name: str, **sent: object) -> str:
    response = browser.post(reverse(name, args=[study.name]), sent, follow=True)
    return squeeze(response.getvalue().decode())


# Doors


def test_the_shared_link_is_there_to_copy(owner: Client, study: Study) -> None:
    assert f"http://testserver{reverse('join', args=[study.join_code])}" in shown(
        owner, study
    )


def test_the_crowd_link_asks_prolific_who_comes(owner: Client, study: Study) -> None:
    assert (
        f"http://testserver{reverse('crowd', args=[study.crowd_code])}"
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}"
        "&amp;SESSION_ID={{%SESSION_ID%}}"
    ) in shown(owner, study)


def test_parameters_of_another_platform_are_left_to_fill_in(
    owner: Client, study: Study
) -> None:
    Study.objects.update(
        person_parameter="who is it", study_parameter="", session_parameter=""
    )

    assert f"{reverse('crowd', args=[study.crowd_code])}?who%20is%20it=…" in shown(
        owner, study
    )


def test_doors_that_are_closed_are_shown_so(owner: Client, study: Study) -> None:
    assert shown(owner, study).count("closed </span>") == 1

    Study.objects.update(link_is_open=False, accounts="invited")
    page = shown(owner, study)

    assert page.count("closed </span>") == 2
    assert "invited accounts only" in page


def test_a_draft_says_that_its_links_lead_nowhere_yet(
    owner: Client, study: Study
) -> None:
    Study.objects.update(state="draft")
    assert "say that it is not open yet" in shown(owner, study)


# Personal links


def test_a_link_is_made_for_each_name_once(owner: Client, study: Study) -> None:
    page = post(owner, study, "study_links", names=" Kim \r\nLee\r\n\r\nKim")
    assert "2 links created." in page
    assert sorted(study.annotators.values_list("label", flat=True)) == ["Kim", "Lee"]

    token = study.annotators.get(label="Kim").token
    assert f"http://testserver{reverse('personal', args=[token])}" in page

    post(owner, study, "study_links", names="Kim\nNoor")
    assert study.annotators.get(label="Kim").token == token
    assert study.annotators.count() == 3

    kim, lee, noor = study.annotators.order_by("label").values_list("name", flat=True)
    assert [event.details for event in study.events.all()] == [
        {"links": [kim, noor]},
        {"links": [kim, lee]},
    ]


def test_researchers_see_pseudonyms_only(owner: Client, study: Study) -> None:
    person = new_crowd_annotator(study, "5f3a", {"SESSION_ID": "s-77"})
    (kim,) = personal_links(study, ["Kim"])
    study.events.create(what="made links", details={"links": ["Kim"]})
    researcher = User.objects.create_user("rita")
    study.roles.create(user=researcher, rank=Rank.RESEARCHER)
    addresses = [
        reverse("study_people", args=[study.name]),
        reverse("study_progress", args=[study.name]),
        reverse("study_progress", args=[study.name], query={"find": "kim"}),
        reverse("study_log", args=[study.name]),
        *(
            reverse("study_annotator", args=[study.name, each.pk])
            for each in (kim, person)
        ),
    ]
    secrets = {"Kim", kim.token, "5f3a", "s-77"}

    def seen_by(browser: Client) -> set[str]:
        texts = [browser.get(address).getvalue().decode() for address in addresses]
        return {secret for secret in secrets if any(secret in text for text in texts)}

    assert seen_by(browser_of(researcher)) == set()
    assert seen_by(owner) == secrets


@pytest.mark.parametrize(
    "names", ["", " \n ", "x" * 201, "\n".join(map(str, range(1001)))]
)
def test_names_that_cannot_be_are_told(owner: Client, study: Study, names: str) -> None:
    assert "errorlist" in post(owner, study, "study_links", names=names)
    assert not study.annotators.exists()


def test_the_table_tells_how_far_each_is(owner: Client, study: Study) -> None:
    kim, lee, noor = personal_links(study, ["Kim", "Lee", "<b>Noor</b>"])
    Annotator.objects.filter(pk=kim.pk).update(judged=4)
    Annotator.objects.filter(pk=lee.pk).update(judged=1000, outcome="done")

    page = shown(owner, study)
    for words in (
        '<td data-head="Judged" class="number">4</td><td data-head="Outcome">judging</td>',
        '<td data-head="Judged" class="number">1,000</td><td data-head="Outcome">done</td>',
        "not started",
        "&lt;b&gt;Noor",
    ):
        assert words in page, words
    assert noor.token in page


def test_many_links_have_pages(owner: Client, study: Study) -> None:
    personal_links(study, [f"name {number:03}" for number in range(LINKS_PER_PAGE + 1)])
    assert f"name {LINKS_PER_PAGE:03}" not in shown(owner, study)
    assert f"name {LINKS_PER_PAGE:03}" in shown(owner, study, page=2)


def test_the_links_can_be_downloaded(owner: Client, study: Study) -> None:
    kim, _ = personal_links(study, ["Kim", 'Lee, "L"'])
    response = owner.get(reverse("study_links", args=[study.name]))
    rows = list(csv.DictReader(StringIO(response.getvalue().decode())))

    assert [row["name"] for row in rows] == ["Kim", 'Lee, "L"']
    assert (
        rows[0]["link"] == f"http://testserver{reverse('personal', args=[kim.token])}"
    )
    assert rows[0]["judged"] == "0"
    assert response["Content-Disposition"].endswith('links.csv"')


def test_a_name_that_a_spreadsheet_would_run_is_defused(
    owner: Client, study: Study
) -> None:
    personal_links(study, ["=1+1"])
    response = owner.get(reverse("study_links", args=[study.name]))
    assert "\n'=1+1,http" in response.getvalue().decode()


def test_a_personal_link_leads_into_the_study(owner: Client, study: Study) -> None:
    (kim,) = personal_links(study, ["Kim"])
    guest = Client()
    guest.post(reverse("personal", args=[kim.token]))

    assert guest.get(reverse("judge", args=[study.name])).status_code == 200
    assert study.annotators.count() == 1


# Roles


@pytest.fixture
def rosa(db: None) -> User:
    return User.objects.create_user("rosa")


def test_a_role_is_given_changed_and_taken(
    owner: Client, study: Study, rosa: User
) -> None:
    page = post(owner, study, "study_role", username="rosa", rank="researcher")
    assert "rosa is now researcher of this study." in page
    assert browser_of(rosa).get(study.get_absolute_url()).status_code == 200

    post(owner, study, "study_role", username="rosa", rank="owner")
    assert study.roles.get(user=rosa).rank == Rank.OWNER
    assert "rosa no longer has a role in this study." in post(
        owner, study, "study_role_remove", username="rosa"
    )

    assert browser_of(rosa).get(study.get_absolute_url()).status_code == 404
    assert [(event.what, event.details) for event in study.events.all()] == [
        ("took role", {"user": "rosa", "was": "owner"}),
        ("gave role", {"user": "rosa", "was": "researcher", "now": "owner"}),
        ("gave role", {"user": "rosa", "was": None, "now": "researcher"}),
    ]


def test_the_last_owner_stays(owner: Client, study: Study) -> None:
    assert "ann is the only owner" in post(
        owner, study, "study_role_remove", username="ann"
    )
    assert "ann is the only owner" in post(
        owner, study, "study_role", username="ann", rank="researcher"
    )
    assert study.roles.get().rank == Rank.OWNER
    assert not study.events.exists()


def test_an_owner_may_leave_where_there_is_another(
    owner: Client, study: Study, rosa: User
) -> None:
    post(owner, study, "study_role", username="rosa", rank="owner")
    page = post(owner, study, "study_role_remove", username="ann")

    assert "ann no longer has a role in this study." in page
    assert study.roles.get().user == rosa


@pytest.mark.parametrize(
    ("username", "rank"),
    [("nobody", "researcher"), ("", "researcher"), ("ann", "king")],
)
def test_a_role_that_cannot_be_is_told(
    owner: Client, study: Study, username: str, rank: str
) -> None:
    assert "errorlist" in post(owner, study, "study_role", username=username, rank=rank)
    assert study.roles.count() == 1


def test_giving_or_taking_a_role_twice_is_once(
    owner: Client, study: Study, rosa: User
) -> None:
    for _ in range(2):
        post(owner, study, "study_role", username="rosa", rank="annotator")
    for _ in range(2):
        post(owner, study, "study_role_remove", username="rosa")

    post(owner, study, "study_role_remove", username="nobody")
    assert study.events.count() == 2


def test_researchers_see_the_roles_and_change_none(
    owner: Client, study: Study, rosa: User
) -> None:
    Role.objects.create(study=study, user=rosa, rank=Rank.RESEARCHER)
    browser = browser_of(rosa)
    page = shown(browser, study)

    assert "Assign role" not in page
    assert '<td data-head="Role">owner</td>' in page

    sent = {"username": "rosa", "rank": "owner"}
    assert (
        browser.post(reverse("study_role", args=[study.name]), sent).status_code == 403
    )
