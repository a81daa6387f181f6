"""What browsers may send: bodies are limited before anything reads them."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

pytestmark = pytest.mark.django_db

PAGES = ["login", "upload", "admin:login"]


def send(browser: Client, page: str, size: int) -> int:
    file = SimpleUploadedFile("large.zip", b"x" * size)
    return browser.post(reverse(page), {"file": file}).status_code


@pytest.fixture
def office(db: None) -> Client:
    browser = Client()
    browser.force_login(User.objects.create_user("ada", is_staff=True))
    return browser


@pytest.mark.parametrize("page", PAGES)
def test_nobody_but_staff_sends_files_of_any_size(
    settings: Settings, page: str
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    assert send(Client(), page, 10_000) == 413
    assert send(Client(), page, 5_000) != 413


def test_staff_sends_files_up_to_the_limit_of_uploads(
    settings: Settings, office: Client
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.UPLOAD_LIMIT = 10_000, 50_000
    assert send(office, "upload", 49_000) == 302
    assert send(office, "upload", 60_000) == 413


def test_a_body_without_a_length_is_not_read() -> None:
    answer = Client().post(
        reverse("login"), b"x" * 100, "text/plain", CONTENT_LENGTH=""
    )

    assert answer.status_code == 200
