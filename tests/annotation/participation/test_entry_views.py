"""How people enter a study: by which link, and as whom."""

import json
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    generate_private_key,
)
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.judging.annotators import RESUME_TRIES, personal_links
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.study import Accounts, Outcome, State
from tercet.annotation.participation.crowd import signature
from tercet.annotation.permissions import cookie_name

pytestmark = pytest.mark.django_db


def join_link(study: Study) -> str:
    return reverse("join", args=[study.join_code])


def crowd_link(study: Study, **parameters: str) -> str:
    return reverse("crowd", args=[study.crowd_code], query=parameters)


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


def test_an_account_that_is_not_invited_joins_like_everybody(
    study: Study, person: User
) -> None:
    Study.objects.update(accounts=Accounts.INVITED)
    browser = Client()
    browser.force_login(person)

    assert "Begin" in text_of(browser.get(join_link(study)))
    assert is_let_in(browser.post(join_link(study)), study)
    assert study.annotators.get().user is None


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_closed_link_lets_in_nobody_new_and_says_so(
    study: Study, method: str
) -> None:
    known = Client()
    known.post(join_link(study))
    Study.objects.update(link_is_open=False)

    shown = text_of(getattr(Client(), method)(join_link(study)))
    assert "This link is closed at the moment" in shown
    assert Annotator.objects.count() == 1
    assert known.get(join_link(study))["Location"] == judge(study)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (State.DRAFT, "This study is not open yet"),
        (State.CLOSED, "This study has ended"),
    ],
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
    link = crowd_link(
        crowd, PROLIFIC_PID="p1", STUDY_ID="s1", SESSION_ID="t1", other="x"
    )
    browser = Client()

    assert "Begin" in text_of(browser.get(link))
    assert not Annotator.objects.exists()
    assert is_let_in(browser.post(link), crowd)

    annotator = crowd.annotators.get()
    assert annotator.external_id == "p1"
    assert annotator.external == {"STUDY_ID": "s1", "SESSION_ID": "t1"}
    assert "p1" not in annotator.name


def test_the_names_of_parameters_are_the_studys(crowd: Study) -> None:
    Study.objects.update(
        person_parameter="wid", study_parameter="", session_parameter="run"
    )
    Client().post(crowd_link(crowd, wid="p1", run="7", PROLIFIC_PID="p2"))
    annotator = crowd.annotators.get()

    assert (annotator.external_id, annotator.external) == ("p1", {"run": "7"})


def test_a_person_of_the_crowd_continues_in_the_same_browser_even_after_closing(
    crowd: Study,
) -> None:
    link, browser = crowd_link(crowd, PROLIFIC_PID="p1"), Client()
    browser.post(link)
    Study.objects.update(crowd_is_open=False)

    assert browser.get(link)["Location"] == judge(crowd)
    assert browser.post(link)["Location"] == judge(crowd)
    assert Annotator.objects.count() == 1


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_known_id_in_a_link_makes_nobody_that_person(
    crowd: Study, method: str
) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p1")
    Client().post(link)
    stranger = Client()

    response = getattr(stranger, method)(link)
    assert not is_let_in(response, crowd)
    assert "has already joined this study in another browser" in response.text
    assert stranger.get(judge(crowd)).status_code == 302

    Study.objects.update(crowd_is_open=False)
    assert "This link is closed" in getattr(Client(), method)(link).text


def test_the_resume_code_lets_a_person_continue_on_another_device(crowd: Study) -> None:
    link, browser = crowd_link(crowd, PROLIFIC_PID="p1"), Client()
    shown = browser.post(link, follow=True).text
    code = crowd.annotators.get().resume_code

    assert f"Your resume code is {code}." in shown

    other = Client()
    wrong = other.post(link, {"code": "ABCD-EFGH"})

    assert (wrong.status_code, is_let_in(wrong, crowd)) == (422, False)
    assert is_let_in(other.post(link, {"code": f" {code.lower()} "}), crowd)


@pytest.fixture
def declined(crowd: Study) -> Client:
    """The browser in which p1 has declined."""
    Study.objects.update(steps=["consent"])
    browser = Client()
    browser.post(crowd_link(crowd, PROLIFIC_PID="p1"), {"agree": "no"})

    assert crowd.annotators.get().outcome == Outcome.SCREENED_OUT

    return browser


def test_who_declined_may_read_the_consent_again_in_another_browser(
    crowd: Study, declined: Client
) -> None:
    link, other = crowd_link(crowd, PROLIFIC_PID="p1"), Client()
    assert "I agree and begin" in other.get(link).text

    shown = other.post(link, {"agree": "yes"}, follow=True).text
    annotator = crowd.annotators.get()

    assert (annotator.external_id, annotator.outcome) == ("p1", "")
    assert f"Your resume code is {annotator.resume_code}." in shown


def test_a_browser_that_declined_does_not_take_part_as_who_agreed_in_another(
    crowd: Study, declined: Client
) -> None:
    link, other = crowd_link(crowd, PROLIFIC_PID="p1"), Client()
    assert is_let_in(other.post(link, {"agree": "yes"}), crowd)
    assert declined.get(judge(crowd)).status_code == 302

    assert "enter the resume code" in declined.get(link).text
    assert "enter the resume code" in declined.post(link, {"agree": "yes"}).text


def test_who_declines_again_or_thinks_it_over_is_not_asked_for_a_code(
    crowd: Study, declined: Client
) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p1")
    again = Client()
    again.post(link, {"agree": "no"})

    assert crowd.annotators.get().outcome == Outcome.SCREENED_OUT

    again.post(reverse("step_consent", args=[crowd.name]), {"agree": "later"})

    assert crowd.annotators.get().outcome == ""
    assert "I agree and begin" in Client().get(link).text


def test_who_declined_is_let_in_only_while_the_study_lets_people_in(
    crowd: Study, declined: Client
) -> None:
    Study.objects.update(crowd_is_open=False)
    assert (
        "This link is closed" in Client().get(crowd_link(crowd, PROLIFIC_PID="p1")).text
    )


def test_somebody_who_had_questions_is_never_replaced(
    crowd: Study, declined: Client
) -> None:
    Annotator.objects.update(leases_given=1)
    assert (
        "enter the resume code"
        in Client().get(crowd_link(crowd, PROLIFIC_PID="p1")).text
    )


def test_resume_codes_cannot_be_guessed(crowd: Study) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p1")
    Client().post(link)
    code = crowd.annotators.get().resume_code

    for _ in range(RESUME_TRIES):
        assert (
            "This is not your resume code"
            in Client().post(link, {"code": "ABCD-EFGH"}).text
        )

    refused = Client().post(link, {"code": code})
    assert "Too many wrong codes" in refused.text
    assert not is_let_in(refused, crowd)

    Annotator.objects.update(resume_tries_until=timezone.now())
    assert is_let_in(Client().post(link, {"code": code}), crowd)


def test_somebody_without_a_resume_code_is_not_handed_over_by_an_empty_one(
    crowd: Study,
) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p1")
    Client().post(link)
    Annotator.objects.update(resume_code="")

    for code in ("", "-", " "):
        assert not is_let_in(Client().post(link, {"code": code}), crowd)


def test_a_link_from_another_site_changes_nobodys_identity(crowd: Study) -> None:
    victim = Client()
    victim.post(crowd_link(crowd, PROLIFIC_PID="victim"))
    own = victim.cookies[cookie_name(crowd.name)].value
    Client().post(crowd_link(crowd, PROLIFIC_PID="attacker"))
    (ann,) = personal_links(crowd, ["Ann"])
    personal = reverse("personal", args=[ann.token])

    for link in (
        crowd_link(crowd, PROLIFIC_PID="attacker"),
        personal,
        join_link(crowd),
    ):
        victim.get(link)

    assert victim.cookies[cookie_name(crowd.name)].value == own


def test_the_page_says_as_whom_one_joins(crowd: Study) -> None:
    assert "You are joining as <strong>p1</strong>" in text_of(
        Client().get(crowd_link(crowd, PROLIFIC_PID="p1"))
    )


@pytest.mark.parametrize("study_id", ["", "s2"])
def test_the_platforms_id_of_another_study_is_refused(
    crowd: Study, study_id: str
) -> None:
    Study.objects.update(platform_study="s1")
    link = crowd_link(crowd, PROLIFIC_PID="p1", STUDY_ID=study_id)

    assert "This link belongs to another study" in text_of(Client().post(link))
    assert not Annotator.objects.exists()

    right = crowd_link(crowd, PROLIFIC_PID="p1", STUDY_ID="s1")
    assert is_let_in(Client().post(right), crowd)


# Signed links

SECRET = "a secret that only the platform knows"


def signed(study: Study, **parameters: str) -> str:
    study.refresh_from_db()
    return crowd_link(study, **parameters, signature=signature(study, parameters))


@pytest.fixture
def hmac(crowd: Study) -> Study:
    Study.objects.update(crowd_proof="hmac", crowd_key=SECRET)
    return crowd


def test_a_signed_link_lets_its_person_continue_anywhere_after_a_page(
    hmac: Study,
) -> None:
    link = signed(hmac, PROLIFIC_PID="p1", STUDY_ID="s1", SESSION_ID="t1")
    assert is_let_in(Client().post(link), hmac)

    Study.objects.update(crowd_is_open=False)
    other = Client()

    assert "This link belongs to <strong>p1</strong>" in text_of(other.get(link))
    assert is_let_in(other.post(link), hmac)
    assert Annotator.objects.count() == 1


def test_invented_and_changed_ids_are_refused(hmac: Study) -> None:
    link = signed(hmac, PROLIFIC_PID="p1", STUDY_ID="s1", SESSION_ID="t1")
    for forged in (
        link.replace("p1", "p2"),
        crowd_link(hmac, PROLIFIC_PID="p1", STUDY_ID="s1", SESSION_ID="t1"),
        crowd_link(hmac, PROLIFIC_PID="p1", signature="é"),
    ):
        assert (
            "signature in this link is missing, wrong or expired"
            in Client().post(forged).text
        )

    Study.objects.update(crowd_key="")
    assert "signature in this link" in Client().post(link).text
    assert not Annotator.objects.exists()


@pytest.fixture(scope="module")
def private_key() -> RSAPrivateKey:
    return generate_private_key(65537, 2048)


@pytest.fixture
def prolific(crowd: Study, private_key: RSAPrivateKey) -> Study:
    """A study that trusts one key of the platform."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private_key.public_key()))
    keys = {"keys": [public | {"kid": "k1", "alg": "RS256", "use": "sig"}]}
    Study.objects.update(crowd_proof="jwt", crowd_key=json.dumps(keys))

    return crowd


def token(key: RSAPrivateKey, kid: str = "k1", **changes: object) -> str:
    claims: dict[str, object] = {
        "aud": "testserver",
        "exp": datetime.now(UTC) + timedelta(hours=1),
        "prolific": {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "workspace_id": "w"},
    }
    return jwt.encode(claims | changes, key, algorithm="RS256", headers={"kid": kid})


def test_prolifics_token_says_who_comes(
    prolific: Study, private_key: RSAPrivateKey
) -> None:
    link = crowd_link(
        prolific, prolific_token=token(private_key), PROLIFIC_PID="forged"
    )

    assert is_let_in(Client().post(link), prolific)

    annotator = prolific.annotators.get()
    assert (annotator.external_id, annotator.external["STUDY_ID"]) == ("p1", "s1")
    assert is_let_in(Client().post(link), prolific)


def test_a_token_that_proves_nothing_is_refused(
    prolific: Study, private_key: RSAPrivateKey
) -> None:
    past = datetime.now(UTC) - timedelta(minutes=1)
    forged = [
        "",
        "nonsense",
        token(generate_private_key(65537, 2048)),
        token(private_key, kid="k2"),
        token(private_key, aud="elsewhere.org"),
        token(private_key, exp=past),
        token(private_key, prolific="p1"),
        jwt.encode({"prolific": {"PROLIFIC_PID": "p1"}}, "", algorithm="none"),
    ]

    for each in forged:
        link = crowd_link(prolific, prolific_token=each, PROLIFIC_PID="p1")
        assert "signature in this link" in Client().post(link).text

    Study.objects.update(crowd_key="no keys")
    link = crowd_link(prolific, prolific_token=token(private_key))

    assert "signature in this link" in Client().post(link).text
    assert not Annotator.objects.exists()


def test_two_people_of_the_crowd_in_one_browser_are_two(crowd: Study) -> None:
    browser = Client()
    for person in ("p1", "p2"):
        assert is_let_in(browser.post(crowd_link(crowd, PROLIFIC_PID=person)), crowd)
    assert browser.get(judge(crowd)).status_code == 200
    assert set(crowd.annotators.values_list("external_id", flat=True)) == {"p1", "p2"}


@pytest.mark.parametrize("person", ["", "  "])
@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_name_the_crowds_link_is_not_complete(
    crowd: Study, person: str, method: str
) -> None:
    response = getattr(Client(), method)(crowd_link(crowd, PROLIFIC_PID=person))
    assert "This link is incomplete" in text_of(response)
    assert not Annotator.objects.exists()


def test_odd_parameters_are_kept_as_far_as_they_go(crowd: Study) -> None:
    link = crowd_link(crowd, PROLIFIC_PID="p" + "x" * 300, STUDY_ID="s" + "y" * 300)
    browser = Client()

    assert is_let_in(browser.post(link), crowd)
    assert browser.get(link)["Location"] == judge(crowd)

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
        assert "This link belongs to <strong>Ann</strong>" in text_of(browser.get(link))
        assert is_let_in(browser.post(link), study)

        assert browser.get(link)["Location"] == judge(study)
        assert browser.get(judge(study)).status_code == 200

    assert study.annotators.get() == ann


@pytest.mark.parametrize("name", ["join", "crowd", "personal"])
def test_links_to_no_study_say_what_to_do_whether_it_was_deleted_or_never_was(
    study: Study, name: str
) -> None:
    (ann,) = personal_links(study, ["Ann"])
    codes = [ann.token if name == "personal" else study.join_code, "nonsense"]
    study.delete()

    answers = [Client().get(reverse(name, args=[code])) for code in codes]
    assert [answer.status_code for answer in answers] == [404, 404]

    deleted, unknown = (main_of(answer.text) for answer in answers)
    assert "return the task there" in deleted
    assert deleted == unknown


def main_of(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]


# Trying a study out


def test_a_test_is_somebody_new_whose_votes_do_not_count(
    office: Client, study: Study
) -> None:
    Study.objects.update(state=State.DRAFT)
    address = reverse("study_try", args=[study.name])
    shown = text_of(office.post(address, follow=True))

    assert "You are testing this study" in shown

    key = str(study.annotators.get().current_lease)
    office.post(reverse("cast_vote", args=[study.name]), {"key": key, "side": "left"})

    assert Answer.objects.get().purpose == "test"
    assert study.questions.progress()["votes"] == 0


def test_a_test_says_that_buttons_and_texts_are_in_two_languages(
    office: Client, study: Study
) -> None:
    address, words = (
        reverse("study_try", args=[study.name]),
        "Buttons are in the language",
    )

    assert words not in text_of(office.post(address, follow=True))

    Study.objects.update(language="de")
    assert words in text_of(office.post(address, follow=True))


def test_leaving_a_test_leads_back_to_the_settings(
    office: Client, study: Study
) -> None:
    address = reverse("study_try", args=[study.name])
    office.post(address)
    response = office.post(address, {"leave": "yes"})

    assert response["Location"] == reverse("study_settings", args=[study.name])
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


@pytest.mark.parametrize(
    "unfilled",
    [
        "{{%PROLIFIC_PID%}}",
        "{{PID}}",
        "[PROLIFIC_PID]",
        "${e://Field/PROLIFIC_PID}",
        "%PROLIFIC_PID%",
        "%7B%7BPROLIFIC_PID%7D%7D",
        "__PID__",
        "<id>",
        "PROLIFIC_PID",
        "ASSIGNMENT_ID_NOT_AVAILABLE",
        "undefined",
        "Null",
        "[object Object]",
    ],
)
def test_a_place_that_no_platform_filled_in_is_nobody(
    study: Study, unfilled: str
) -> None:
    Study.objects.update(crowd_is_open=True)
    link = crowd_link(study, PROLIFIC_PID=unfilled)

    assert "This link is incomplete" in text_of(Client().post(link))
    assert not Annotator.objects.exists()


@pytest.mark.parametrize("person", ["5f1c", "A1B2-c_d", "a.b+1@example.org", "_x1"])
def test_ids_with_ordinary_marks_are_people(study: Study, person: str) -> None:
    Study.objects.update(crowd_is_open=True)
    page = text_of(Client().get(crowd_link(study, PROLIFIC_PID=person)))
    assert "incomplete" not in page


def test_a_paused_study_lets_no_newcomer_in(study: Study) -> None:
    Study.objects.update(state=State.PAUSED)
    assert "This link is closed" in text_of(Client().post(join_link(study)))


# The shared link after a browser has lost its cookie


def test_a_resume_code_of_the_shared_link_continues_in_another_browser(
    study: Study,
) -> None:
    link = join_link(study)
    Client().post(link)
    annotator = study.annotators.get()
    assert annotator.resume_code

    browser = Client()
    assert "Have you begun already?" in browser.get(link).text
    given = annotator.resume_code.lower().replace("-", " ")
    assert browser.post(link, {"code": given})["Location"] == judge(study)
    assert Annotator.objects.count() == 1


def test_guesses_of_resume_codes_are_limited_for_a_network_in_a_study(
    study: Study,
) -> None:
    link = join_link(study)
    Client().post(link)
    code = study.annotators.get().resume_code
    browser = Client()
    for _ in range(RESUME_TRIES):
        refused = browser.post(link, {"code": "AAAA-2222"})
        assert "This is not your resume code" in refused.text

    assert "Too many wrong codes" in browser.post(link, {"code": code}).text
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert elsewhere.post(link, {"code": code}).status_code == 302
    assert Annotator.objects.count() == 1
