"""The doors of a study: who comes in by which link, and as whom."""

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from annotation.judging.annotators import personal_links
from annotation.models import Annotator, Study, Vote
from annotation.models.study import Accounts, State
from annotation.permissions import cookie_name

pytestmark = pytest.mark.django_db


def join_link(study: Study) -> str:
    return reverse("join", args=[study.join_code])


def crowd_link(study: Study, **parameters: str) -> str:
    return reverse("crowd", args=[study.join_code], query=parameters)


def text_of(response: HttpResponseBase) -> str:
    assert response.status_code == 200
    return response.getvalue().decode()


def is_let_in(response: HttpResponseBase, study: Study) -> bool:
    is_moved = response.status_code == 302 and response["Location"] == judge(study)
    assert is_moved == (cookie_name(study.name) in response.cookies)
    return is_moved


def judge(study: Study) -> str:
    return reverse("judge", args=[study.name])


# The shared link


@pytest.mark.parametrize("method", ["get", "head"])
def test_a_preview_of_the_shared_link_makes_nobody(study: Study, method: str) -> None:
    response = getattr(Client(), method)(join_link(study))
    assert response.status_code == 200
    assert not response.cookies.get(cookie_name(study.name))
    assert not Annotator.objects.exists()


def test_the_page_tells_what_it_is_about(study: Study) -> None:
    shown = text_of(Client().get(join_link(study)))
    assert "Small study" in shown
    assert "a sentence, A, and two others" in shown


def test_with_consent_among_the_steps_it_is_asked_at_once(study: Study) -> None:
    Study.objects.update(steps=["consent"], consent="We ask **nicely**.")
    shown = text_of(Client().get(join_link(study)))
    assert "We ask <strong>nicely</strong>." in shown
    assert "I agree and begin" in shown


def test_the_button_makes_an_annotator_who_can_judge(study: Study) -> None:
    browser = Client()
    response = browser.post(join_link(study), follow=True)
    assert response.redirect_chain == [(judge(study), 302)]
    assert response.status_code == 200
    assert study.annotators.get().user is None


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_joined_already_goes_on_as_the_same(study: Study, method: str) -> None:
    browser = Client()
    browser.post(join_link(study))
    response = getattr(browser, method)(join_link(study))
    assert response["Location"] == judge(study)
    assert Annotator.objects.count() == 1


def test_an_account_needs_no_button(study: Study, person: User) -> None:
    browser = Client()
    browser.force_login(person)
    assert browser.get(join_link(study))["Location"] == judge(study)
    browser.get(judge(study))
    assert study.annotators.get().user == person


def test_an_account_that_is_not_invited_joins_like_everybody(study: Study, person: User) -> None:
    Study.objects.update(accounts=Accounts.INVITED)
    browser = Client()
    browser.force_login(person)
    assert "Begin" in text_of(browser.get(join_link(study)))
    assert is_let_in(browser.post(join_link(study)), study)
    assert study.annotators.get().user is None


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_closed_link_lets_in_nobody_new_and_says_so(study: Study, method: str) -> None:
    known = Client()
    known.post(join_link(study))
    Study.objects.update(link_is_open=False)
    shown = text_of(getattr(Client(), method)(join_link(study)))
    assert "This link is closed at the moment" in shown
    assert Annotator.objects.count() == 1
    assert known.get(join_link(study))["Location"] == judge(study)


@pytest.mark.parametrize(
    ("state", "told"),
    [(State.DRAFT, "This study is not open yet"), (State.CLOSED, "This study has ended")],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_before_and_after_a_study_nobody_new_comes_in(
    study: Study, state: str, told: str, method: str
) -> None:
    Study.objects.update(state=state, crowd_is_open=True)
    for link in (join_link(study), crowd_link(study, PROLIFIC_PID="p1")):
        assert told in text_of(getattr(Client(), method)(link))
    assert not Annotator.objects.exists()


# The crowd's link


@pytest.fixture
def crowd(study: Study) -> Study:
    """A study whose crowd link is open."""
    Study.objects.update(crowd_is_open=True)
    study.refresh_from_db()
    return study


def test_the_crowds_name_for_a_person_is_kept_with_the_rest(crowd: Study) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p1", STUDY_ID="s1", SESSION_ID="t1", other="x")
    browser = Client()
    assert "Begin" in text_of(browser.get(link))
    assert not Annotator.objects.exists()
    assert is_let_in(browser.post(link), crowd)
    annotator = crowd.annotators.get()
    assert annotator.external_id == "p1"
    assert annotator.external == {"STUDY_ID": "s1", "SESSION_ID": "t1"}
    assert "p1" not in annotator.name


def test_the_names_of_parameters_are_the_studys(crowd: Study) -> None:
    Study.objects.update(person_parameter="wid", study_parameter="", session_parameter="run")
    Client().post(crowd_link(crowd, wid="p1", run="7", PROLIFIC_PID="p2"))
    annotator = crowd.annotators.get()
    assert (annotator.external_id, annotator.external) == ("p1", {"run": "7"})


def test_a_person_of_the_crowd_resumes_in_any_browser(crowd: Study) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p1")
    Client().post(link)
    Study.objects.update(crowd_is_open=False)
    assert is_let_in(Client().get(link), crowd)
    assert is_let_in(Client().post(link), crowd)
    assert Annotator.objects.count() == 1


def test_two_people_of_the_crowd_in_one_browser_are_two(crowd: Study) -> None:
    browser = Client()
    for person in ("p1", "p2"):
        assert is_let_in(browser.post(crowd_link(crowd, PROLIFIC_PID=person)), crowd)
    assert browser.get(judge(crowd)).status_code == 200
    assert set(crowd.annotators.values_list("external_id", flat=True)) == {"p1", "p2"}


@pytest.mark.parametrize("person", ["", "  ", "\0"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_name_the_crowds_link_is_not_complete(
    crowd: Study, person: str, method: str
) -> None:
    response = getattr(Client(), method)(crowd_link(crowd, PROLIFIC_PID=person))
    assert "This link is incomplete" in text_of(response)
    assert not Annotator.objects.exists()


def test_odd_parameters_are_kept_as_far_as_they_go(crowd: Study) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p\0" + "x" * 300, STUDY_ID="\0s" + "y" * 300)
    assert is_let_in(Client().post(link), crowd)
    assert is_let_in(Client().get(link), crowd)
    annotator = crowd.annotators.get()
    assert annotator.external_id == "p" + "x" * 199
    assert annotator.external["STUDY_ID"] == "s" + "y" * 199


def test_a_crowds_link_that_is_not_open_lets_nobody_in(study: Study) -> None:
    shown = text_of(Client().post(crowd_link(study, PROLIFIC_PID="p1")))
    assert "This link is closed at the moment" in shown
    assert not Annotator.objects.exists()


# Personal links


def test_a_personal_link_is_one_person_in_every_browser(study: Study) -> None:
    Study.objects.update(link_is_open=False)
    (ann,) = personal_links(study, ["Ann"])
    link = reverse("personal", args=[ann.token])
    for _ in range(2):
        browser = Client()
        assert is_let_in(browser.get(link), study)
        assert browser.get(judge(study)).status_code == 200
    assert study.annotators.get() == ann


@pytest.mark.parametrize("name", ["join", "crowd", "personal"])
def test_an_unknown_link_is_missing(study: Study, name: str) -> None:
    assert Client().get(reverse(name, args=["nonsense"])).status_code == 404


# Trying a study out


def test_a_test_is_somebody_new_whose_votes_do_not_count(office: Client, study: Study) -> None:
    Study.objects.update(state=State.DRAFT)
    address = reverse("study_try", args=[study.name])
    shown = text_of(office.post(address, follow=True))
    assert "You are testing this study" in shown
    key = str(study.annotators.get().asking)
    office.post(reverse("cast_vote", args=[study.name]), {"key": key, "side": "left"})
    assert Vote.objects.get().purpose == "test"
    assert study.triplets.progress()["votes"] == 0


def test_leaving_a_test_leads_back_to_the_study(office: Client, study: Study) -> None:
    address = reverse("study_try", args=[study.name])
    office.post(address)
    response = office.post(address, {"leave": "yes"})
    assert response["Location"] == study.get_absolute_url()
    assert "You are testing this study" not in text_of(office.get(judge(study)))


def test_every_test_begins_anew(office: Client, study: Study) -> None:
    for _ in range(2):
        assert is_let_in(office.post(reverse("study_try", args=[study.name])), study)
    assert study.annotators.filter(is_test=True).count() == 2


def test_an_account_that_judged_comes_back_though_only_the_invited_may_judge_now(
    study: Study, person: User
) -> None:
    browser = Client()
    browser.force_login(person)
    assert text_of(browser.get(judge(study)))
    Study.objects.update(accounts=Accounts.INVITED)
    assert text_of(browser.get(judge(study)))
    assert Annotator.objects.get().user == person


def test_a_place_that_no_platform_filled_in_is_nobody(study: Study) -> None:
    Study.objects.update(crowd_is_open=True)
    link = crowd_link(study, PROLIFIC_PID="{{%PROLIFIC_PID%}}")
    assert "This link is incomplete" in text_of(Client().post(link))
    assert not Annotator.objects.exists()


def test_a_paused_study_lets_no_newcomer_in(study: Study) -> None:
    Study.objects.update(state=State.PAUSED)
    assert "This link is closed" in text_of(Client().post(join_link(study)))
