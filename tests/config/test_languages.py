"""Annotators read their pages in more languages than researchers do."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("browser", "language", "button"),
    [
        ("es-MX", "es", "Iniciar sesión"),
        ("fr", "fr", "Se connecter"),
        ("zh-CN", "zh-hans", "登录"),
        ("de", "de", "Anmelden"),
    ],
)
def test_pages_of_annotators_speak_the_language_of_the_browser(
    client: Client, browser: str, language: str, button: str
) -> None:
    page = client.get("/login/", headers={"Accept-Language": browser})

    assert page.headers["Content-Language"] == language
    assert f'lang="{language}"' in page.content.decode()
    assert button in page.content.decode()
    assert ("Français" in page.content.decode()) == (language != "fr")


@pytest.mark.parametrize(("browser", "language"), [("fr", "en"), ("de", "en")])
def test_pages_of_researchers_are_english_where_they_are_not_translated(
    client: Client, browser: str, language: str
) -> None:
    client.force_login(User.objects.create_user("owner", is_staff=True))
    page = client.get("/studies/", headers={"Accept-Language": browser})

    assert page.headers["Content-Language"] == language
    assert f'lang="{language}"' in page.content.decode()
    assert "Français" not in page.content.decode()


def test_a_partial_language_does_not_stay_for_the_next_request(client: Client) -> None:
    client.force_login(User.objects.create_user("owner", is_staff=True))
    client.get("/studies/", headers={"Accept-Language": "fr"})
    page = client.get("/account/", headers={"Accept-Language": "fr"})

    assert page.headers["Content-Language"] == "fr"
