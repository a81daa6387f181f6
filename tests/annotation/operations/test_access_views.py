"""The record of logins and downloads."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.models import Access, Study
from tercet.annotation.models.accounts import AccessKind
from tercet.annotation.models.study import Rank
from tercet.annotation.studies.tokens import create_token

pytestmark = pytest.mark.django_db

PASSWORD = "tidal-walnut-93"


@pytest.fixture
def ann(study: Study) -> User:
    user = User.objects.create_user("ann", password=PASSWORD)
    study.roles.create(user=user, rank=Rank.OWNER)
    return user


@pytest.fixture
def office(db: None) -> Client:
    browser = Client(REMOTE_ADDR="198.51.100.1")
    browser.force_login(User.objects.create_user("office", is_staff=True))
    Access.objects.all().delete()

    return browser


def rows() -> set[tuple[str, str, str]]:
    return {(each.kind, each.path, each.network) for each in Access.objects.all()}


def test_logins_and_downloads_are_recorded_with_a_shortened_network(
    ann: User, study: Study, office: Client
) -> None:
    browser = Client(REMOTE_ADDR="2001:db8:7:9::42")
    wrong = {"username": "ann", "password": "wrong"}
    browser.post(reverse("login"), wrong)
    browser.post(reverse("login"), wrong | {"password": PASSWORD})

    file = reverse("study_file", args=[study.name, "votes.csv"])
    for _ in range(2):
        assert browser.get(file).status_code == 200

    browser.get(study.get_absolute_url())

    assert rows() == {
        ("login", reverse("login"), "2001:db8:7::/48"),
        ("download", file, "2001:db8:7::/48"),
    }
    assert Access.objects.count() == 2

    page = office.get(reverse("access")).content.decode()
    assert "2001:db8:7::/48" in page
    assert file in page


def test_a_download_is_recorded_again_after_an_hour(ann: User, study: Study) -> None:
    browser = Client()
    browser.force_login(ann)
    file = reverse("study_file", args=[study.name, "votes.csv"])
    browser.get(file)
    Access.objects.update(at=timezone.now() - timedelta(minutes=61))

    browser.get(file)
    assert Access.objects.filter(kind=AccessKind.DOWNLOAD).count() == 2


def test_what_is_read_with_a_token_is_recorded(
    study: Study, ann: User, office: Client
) -> None:
    token = create_token(study, ann)
    program = Client(
        REMOTE_ADDR="192.0.2.7", headers={"Authorization": f"Bearer {token}"}
    )
    address = f"/api/studies/{study.name}/votes"

    assert program.get(address).status_code == 200
    assert Client(headers={"Authorization": "Bearer x"}).get(address).status_code == 401
    assert rows() == {("api", address, "192.0.2.0/24")}
    assert f"token of {study.name}" in office.get(reverse("access")).content.decode()


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 3),
        ("who=ANN", 2),
        ("who=nobody", 0),
        ("kind=login", 1),
        ("who=ann&kind=download", 1),
        ("path=votes", 1),
        ("kind=nonsense", 3),
        ("page=nonsense", 3),
    ],
)
def test_the_record_is_filtered(
    ann: User, office: Client, query: str, count: int
) -> None:
    bo = User.objects.create_user("bo")
    for user, kind, path in (
        (ann, AccessKind.LOGIN, "/login/"),
        (ann, AccessKind.DOWNLOAD, "/votes.csv"),
        (bo, AccessKind.DOWNLOAD, "/images.csv"),
    ):
        Access.objects.create(user=user, kind=kind, path=path, network="unknown")

    page = office.get(f"{reverse('access')}?{query}").content.decode()
    assert page.count('<th scope="row">') == count
