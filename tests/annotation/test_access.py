"""Who may see what: every address for everybody, and the cookie that makes somebody known."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.http import FileResponse, HttpResponseBase
from django.test import Client
from django.urls import URLPattern, reverse

from analysis.folder import load
from annotation import urls
from annotation.access import cookie_name
from annotation.importing import import_dataset
from annotation.models import Annotator, Image, Study, Upload
from annotation.triplets import create_study
from tests.annotation.full import SVG
from tests.folders import dataset_folder

pytestmark = pytest.mark.django_db

LOGIN = "the login page"
Outcome = int | str
OK, MOVED, FORBIDDEN, MISSING, WRONG_METHOD, FAULTY = 200, 302, 403, 404, 405, 422


@dataclass(frozen=True)
class Row:
    """What an address answers to a stranger, to an annotator's account, and to administrators."""

    method: str
    stranger: Outcome
    account: Outcome
    administrator: Outcome


OFFICE = Row("get", LOGIN, FORBIDDEN, OK)
ROWS = {
    "home": Row("get", OK, OK, MOVED),
    "join": Row("get", OK, MOVED, MOVED),
    "datasets": OFFICE,
    "upload": OFFICE,
    "upload_check": OFFICE,
    "upload_import": Row("post", LOGIN, FORBIDDEN, FAULTY),
    "upload_problems": Row("get", LOGIN, FORBIDDEN, MISSING),
    "dataset": OFFICE,
    "dataset_pairs": Row("post", LOGIN, FORBIDDEN, FAULTY),
    "dataset_delete": Row("post", LOGIN, FORBIDDEN, MOVED),
    "dataset_download": OFFICE,
    "image": Row("get", MISSING, OK, OK),
    "studies": OFFICE,
    "study_new": OFFICE,
    "study": OFFICE,
    "study_evaluate": Row("post", LOGIN, FORBIDDEN, MOVED),
    "evaluation": OFFICE,
    "study_file": OFFICE,
    "judge": Row("get", LOGIN, OK, OK),
    "cast_vote": Row("post", MOVED, MOVED, MOVED),
    "undo_vote": Row("post", LOGIN, MOVED, MOVED),
}
FORMS = (
    "join",
    "upload",
    "study_new",
    *(name for name, row in ROWS.items() if row.method == "post"),
)
Address = Callable[[str], str]


@pytest.fixture
def address(study: Study, administrator: User) -> Address:
    """The address of each page, about things that exist."""
    image = Image.objects.filter(name="dog").get()
    Image.objects.filter(pk=image.pk).update(file="dog.svg")
    study.dataset.folder.mkdir(parents=True)
    (study.dataset.folder / "dog.svg").write_text(SVG)
    upload = Upload.objects.create(
        file=ContentFile(b"no zip", "small.zip"), name="small", created_by=administrator
    )
    routes = {pattern.name: str(pattern.pattern) for pattern in urls.urlpatterns}

    def find(name: str) -> str:
        values = {
            "code": study.join_code,
            "key": upload.key,
            "pk": image.pk,
            "file": "votes.csv",
            "name": study.name if routes[name].startswith("studies/") else study.dataset.name,
        }
        wanted = {key: value for key, value in values.items() if f":{key}>" in routes[name]}
        return reverse(name, kwargs=wanted)

    return find


def browser_of(user: User, *, checks: bool = False) -> Client:
    browser = Client(enforce_csrf_checks=checks)
    browser.force_login(user)
    return browser


def outcome(response: HttpResponseBase) -> Outcome:
    if isinstance(response, FileResponse):
        response.getvalue()
    if response.status_code == MOVED and response["Location"].startswith(reverse("login")):
        return LOGIN
    return response.status_code


def test_every_address_has_a_row() -> None:
    assert all(isinstance(pattern, URLPattern) for pattern in urls.urlpatterns)
    assert {pattern.name for pattern in urls.urlpatterns} == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_strangers_see_what_they_may(name: str, address: Address) -> None:
    response = Client().generic(ROWS[name].method.upper(), address(name))
    assert outcome(response) == ROWS[name].stranger


@pytest.mark.parametrize("name", ROWS)
def test_accounts_of_annotators_see_what_they_may(
    name: str, address: Address, person: User
) -> None:
    response = browser_of(person).generic(ROWS[name].method.upper(), address(name))
    assert outcome(response) == ROWS[name].account


@pytest.mark.parametrize("name", ROWS)
def test_administrators_see_what_they_may(name: str, address: Address, administrator: User) -> None:
    response = browser_of(administrator).generic(ROWS[name].method.upper(), address(name))
    assert outcome(response) == ROWS[name].administrator


@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("home", "image", "join")])
def test_annotators_of_a_join_link_see_no_more_than_strangers_but_for_judging(
    name: str, address: Address
) -> None:
    browser = Client()
    browser.post(address("join"))
    response = browser.generic(ROWS[name].method.upper(), address(name))
    judging = {"judge": OK, "undo_vote": MOVED}
    assert outcome(response) == judging.get(name, ROWS[name].stranger)


@pytest.mark.parametrize("name", ROWS)
def test_only_a_form_changes_anything(name: str, address: Address, administrator: User) -> None:
    wrong = "GET" if ROWS[name].method == "post" else "DELETE"
    response = browser_of(administrator).generic(wrong, address(name))
    assert outcome(response) == WRONG_METHOD


@pytest.mark.parametrize("name", FORMS)
def test_a_form_of_another_site_changes_nothing(
    name: str, address: Address, administrator: User
) -> None:
    browser = browser_of(administrator, checks=True)
    response = browser.post(address(name))
    assert response.status_code == FORBIDDEN
    assert "Please send that again" in response.getvalue().decode()


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.stranger == LOGIN])
def test_login_leads_back_to_the_page(name: str, address: Address) -> None:
    response = Client().generic(ROWS[name].method.upper(), address(name))
    back = address(name) if ROWS[name].method == "get" else BACK.get(name, reverse("home"))
    assert response["Location"].startswith(f"{reverse('login')}?next={back}")


BACK = {"undo_vote": "/studies/"}
"""Where a login leads from an address that only takes a POST, if not to the start page."""


@pytest.mark.parametrize("name", ["dataset", "study", "evaluation", "judge"])
def test_what_does_not_exist_is_missing(name: str, office: Client) -> None:
    assert office.get(reverse(name, args=["nothing"])).status_code == MISSING


def test_an_unknown_join_link_is_missing(study: Study) -> None:
    assert Client().get(reverse("join", args=["nonsense"])).status_code == MISSING


def test_a_person_without_rights_is_told_in_words(person: User, study: Study) -> None:
    response = browser_of(person).get(study.get_absolute_url())
    assert response.status_code == FORBIDDEN
    assert "This page is not for you" in response.getvalue().decode()


def test_pages_are_safe_from_frames_and_guesses_of_type(office: Client) -> None:
    response = office.get(reverse("studies"))
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"


# The cookie of a join link


@pytest.fixture
def joined(study: Study) -> Client:
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    return browser


def judges(browser: Client, study: Study) -> bool:
    return outcome(browser.get(reverse("judge", args=[study.name]))) == OK


def test_the_cookie_is_the_annotator(joined: Client, study: Study) -> None:
    assert judges(joined, study)
    assert Annotator.objects.count() == 1


def test_the_cookie_is_out_of_reach_of_scripts_and_lasts(joined: Client, study: Study) -> None:
    cookie = joined.cookies[cookie_name(study)]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] >= 30 * 24 * 3600


@pytest.mark.parametrize("change", [lambda text: f"9{text}", lambda text: text[:-1], lambda _: "1"])
def test_a_cookie_that_was_tampered_with_is_nobody(
    joined: Client, study: Study, change: Callable[[str], str]
) -> None:
    cookie = joined.cookies[cookie_name(study)]
    joined.cookies[cookie_name(study)] = change(cookie.value)
    assert not judges(joined, study)


def test_the_cookie_of_one_study_is_nobody_in_another(joined: Client, study: Study) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other"))
    joined.cookies[cookie_name(other)] = joined.cookies[cookie_name(study)].value
    assert not judges(joined, other)


def test_the_cookie_of_somebody_who_is_gone_is_nobody(joined: Client, study: Study) -> None:
    Annotator.objects.all().delete()
    assert not judges(joined, study)


def test_a_person_who_joined_before_logging_in_stays_the_same_annotator(
    joined: Client, study: Study, person: User
) -> None:
    joined.force_login(person)
    assert judges(joined, study)
    assert Annotator.objects.get().user is None


def test_images_are_for_the_studies_of_their_dataset(
    joined: Client, study: Study, address: Address, tmp_path: Path
) -> None:
    assert outcome(joined.get(address("image"))) == OK
    folder = dataset_folder(tmp_path / "other")
    other = create_study(
        Study(dataset=import_dataset(load(folder), "other", folder), title="Other")
    )
    guest = Client()
    guest.post(reverse("join", args=[other.join_code]))
    assert judges(guest, other)
    assert outcome(guest.get(address("image"))) == MISSING
