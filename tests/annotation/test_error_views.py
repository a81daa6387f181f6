"""Forms that are not accepted say why, and lead on."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Study
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db
PASSWORD = "a long and secret phrase"


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", password=PASSWORD, is_staff=True)


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def token_of(browser: Client) -> str:
    page = browser.get(reverse("login")).getvalue().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found
    return found[1]


def send(browser: Client, token: str, **headers: str) -> str:
    fields = {"csrfmiddlewaretoken": token, "username": "ann", "password": PASSWORD}
    page = browser.post(reverse("login"), fields, headers=headers, follow=True)
    return squeeze(page.getvalue().decode())


def test_a_browser_without_cookies_is_told_to_allow_them(browser: Client) -> None:
    token = token_of(browser)
    browser.cookies.clear()
    assert "Allow cookies" in send(browser, token)


def test_a_form_from_another_address_names_the_address(browser: Client) -> None:
    page = send(browser, token_of(browser), Origin="https://elsewhere.example")
    assert "another address" in page
    assert "cookie" not in page


def test_a_second_tab_with_the_login_page_is_led_on(browser: Client, ann: User) -> None:
    token = token_of(browser)
    send(browser, token)
    assert browser.session["_auth_user_id"] == str(ann.pk)

    assert "Please send the form again" not in send(browser, token)


def test_a_form_of_before_a_login_in_another_tab_says_so(
    browser: Client, ann: User
) -> None:
    token = token_of(browser)
    send(browser, token)

    old = {"csrfmiddlewaretoken": token}
    page = browser.post(reverse("sign_out_everywhere"), old).getvalue().decode()
    assert "in another tab" in squeeze(page)


def test_after_the_login_the_page_of_a_form_is_back(study: Study, ann: User) -> None:
    settings_page = reverse("study_settings", args=[study.name])
    browser = Client()
    sent = browser.post(
        settings_page, headers={"Referer": f"http://testserver{settings_page}"}
    )
    assert sent["Location"] == f"{reverse('login')}?next={settings_page}"

    elsewhere = browser.post(settings_page, headers={"Referer": "http://evil.example"})
    assert elsewhere["Location"] == f"{reverse('login')}?next={reverse('home')}"
