import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.contrib.sessions.models import Session
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from analysis.folder import load
from annotation.access import cookie_name
from annotation.assignment import claim, vote
from annotation.importing import import_dataset
from annotation.models import Annotator, Dataset, Image, Lease, Study, Vote
from annotation.models.vote import Side, Status
from annotation.people import annotator_of, new_annotator
from annotation.triplets import create_study
from tests.annotation.full import SVG
from tests.folders import REFERENCES, dataset_folder, write_csv

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(study: Study) -> Client:
    """Somebody who came by the join link."""
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    return browser


@pytest.fixture
def somebody(browser: Client, study: Study) -> Annotator:
    """The annotator that `browser` is."""
    return study.annotators.get()


def page(browser: Client, study: Study) -> str:
    response = browser.get(reverse("judge", args=[study.name]))
    assert response.status_code == 200
    return response.getvalue().decode()


def key_in(text: str) -> str:
    found = re.search(r'name="key" value="([^"]+)"', text)
    assert found
    return found[1]


def press(browser: Client, study: Study, **fields: object) -> list[str]:
    """Send an answer; gives the messages that the next page will show."""
    response = browser.post(reverse("cast_vote", args=[study.name]), fields)
    assert response["Location"] == reverse("judge", args=[study.name])
    return [str(message) for message in get_messages(response.wsgi_request)]


def answer(browser: Client, study: Study, side: str = "left") -> str:
    key = key_in(page(browser, study))
    assert press(browser, study, key=key, side=side) == []
    return key


# The join link


@pytest.mark.parametrize("method", ["get", "head"])
def test_a_preview_of_the_join_link_makes_nobody(study: Study, method: str) -> None:
    response = getattr(Client(), method)(reverse("join", args=[study.join_code]))
    assert response.status_code == 200
    assert cookie_name(study) not in response.cookies
    assert not Annotator.objects.exists()


def test_the_join_page_tells_what_it_is_about(study: Study) -> None:
    shown = Client().get(reverse("join", args=[study.join_code])).getvalue().decode()
    assert "Small study" in shown
    assert "a sentence, A, and two others" in shown


def test_the_button_makes_an_annotator_who_can_judge(study: Study) -> None:
    browser = Client()
    response = browser.post(reverse("join", args=[study.join_code]), follow=True)
    assert response.redirect_chain == [(reverse("judge", args=[study.name]), 302)]
    assert response.status_code == 200
    assert study.annotators.get().user is None


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_joined_already_goes_on_as_the_same(browser: Client, study: Study, method: str) -> None:
    response = getattr(browser, method)(reverse("join", args=[study.join_code]))
    assert response["Location"] == reverse("judge", args=[study.name])
    assert Annotator.objects.count() == 1


def test_an_account_needs_no_button(study: Study, person: User) -> None:
    browser = Client()
    browser.force_login(person)
    response = browser.get(reverse("join", args=[study.join_code]))
    assert response["Location"] == reverse("judge", args=[study.name])
    assert study.annotators.get().user == person


# The question


def test_without_an_identity_one_logs_in_first(study: Study) -> None:
    address = reverse("judge", args=[study.name])
    assert Client().get(address)["Location"] == f"{reverse('login')}?next={address}"
    assert not Annotator.objects.exists()


def test_a_question_shows_a_and_both_candidates_by_side(
    browser: Client, somebody: Annotator, study: Study
) -> None:
    shown = page(browser, study)
    lease = somebody.leases.get()
    pair, a = lease.triplet.pair, str(lease.triplet.reference)
    b, c = pair.b.caption, pair.c.caption
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)
    places = [shown.index(text) for text in (a, "more similar to A?", f">{left}<", f">{right}<")]
    assert places == sorted(places)
    assert "Nothing judged yet" in shown


def test_a_reload_shows_the_same_question(browser: Client, study: Study) -> None:
    first, second = page(browser, study), page(browser, study)
    assert key_in(first) == key_in(second)
    assert Lease.objects.count() == 1


def test_a_question_is_never_kept_by_a_cache(browser: Client, study: Study) -> None:
    response = browser.get(reverse("judge", args=[study.name]))
    assert "no-store" in response["Cache-Control"]


def test_captions_are_never_markup(browser: Client, study: Study) -> None:
    for triplet in study.triplets.select_related("pair__b", "pair__c", "reference"):
        for row in (triplet.pair.b, triplet.pair.c, triplet.reference):
            assert row is not None
            row.caption = "<script>alert(1)</script>"
            row.save()
    assert "<script>alert" not in page(browser, study)


def test_annotators_see_no_sources_categories_or_names(tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    dataset_folder(folder, pairs=None)
    columns = ("pair", "image", "candidate_b", "candidate_c", "category", "source_b", "source_c")
    kinds = [(image, category) for image in ("dog", "cat") for category in ("HC", "HI", "HM", "MM")]
    rows = [
        (f"name-{n}", image, f"one {n}", f"two {n}", category, "human-source", "machine-source")
        for n, (image, category) in enumerate(kinds)
    ]
    write_csv(folder / "pairs.csv", columns, rows)
    study = create_study(Study(dataset=import_dataset(load(folder), "d", folder), title="Secret"))
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    for _ in range(study.triplets.count()):
        shown = page(browser, study)
        assert "-source" not in shown
        assert "name-" not in shown
        assert not re.search(r"\b(HC|HI|HM|MM|human|machine|winner|category)\b", shown)
        press(browser, study, key=key_in(shown), side="left")
    assert Vote.objects.count() == study.triplets.count()


def test_which_side_is_b_cannot_be_told_from_the_page(
    browser: Client, study: Study, somebody: Annotator
) -> None:
    page(browser, study)
    pages = {}
    for side in Side.values:
        Lease.objects.update(b_side=side)
        pages[side] = page(browser, study)
    pair = somebody.leases.get().triplet.pair
    swapped = (
        pages["left"]
        .replace(pair.b.caption, "\0")
        .replace(pair.c.caption, pair.b.caption)
        .replace("\0", pair.c.caption)
    )
    assert uncovered(swapped) == uncovered(pages["right"])


def uncovered(text: str) -> str:
    """A page without the token that is new each time."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)


def test_the_votes_of_others_change_nothing_on_the_page(
    browser: Client, somebody: Annotator, study: Study
) -> None:
    study.triplets.update(needed=9)
    before = page(browser, study)
    asked = somebody.leases.get().triplet
    study.triplets.exclude(pk=asked.pk).delete()
    for _ in range(4):
        lease = claim(new_annotator(study))
        assert lease is not None
        assert lease.triplet == asked
        vote(lease.key, lease.b_side)
    assert uncovered(page(browser, study)) == uncovered(before)


def test_the_end_is_told_with_thanks(browser: Client, study: Study) -> None:
    for _ in range(12):
        answer(browser, study)
    shown = page(browser, study)
    assert "Thank you" in shown
    assert "You have judged 12 questions" in shown
    assert reverse("undo_vote", args=[study.name]) in shown


def test_who_comes_when_all_is_done_is_told_so(browser: Client, study: Study) -> None:
    study.triplets.update(needed=0)
    assert "Nothing to judge" in page(browser, study)


def test_a_pairwise_question_shows_the_image_and_no_sentence_a(dataset: Dataset) -> None:
    Image.objects.update(url="https://example.org/picture.png", alt="a meadow")
    study = create_study(Study(dataset=dataset, title="Which?", protocol="pairwise"))
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    shown = page(browser, study)
    assert 'src="https://example.org/picture.png"' in shown
    assert "describes the image better?" in shown
    assert not [caption for _, caption in REFERENCES if caption in shown]


# The answer


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_answer_is_stored_and_the_next_question_shown(
    browser: Client, somebody: Annotator, study: Study, side: str
) -> None:
    key = answer(browser, study, side)
    cast = Vote.objects.get()
    assert str(cast.key) == key
    assert cast.annotator == somebody
    assert cast.choice == ("B" if cast.b_side == side else "C")
    shown = page(browser, study)
    assert key_in(shown) != key
    assert "1 judged, all saved" in shown


def test_an_answer_sent_twice_counts_once(browser: Client, study: Study) -> None:
    key = answer(browser, study)
    assert press(browser, study, key=key, side="right") == []
    assert Vote.objects.count() == 1


def test_an_answer_counts_though_the_session_is_over(study: Study, person: User) -> None:
    browser = Client()
    browser.force_login(person)
    key = key_in(page(browser, study))
    Session.objects.all().delete()
    assert press(browser, study, key=key, side="left") == []
    assert Vote.objects.get().annotator == annotator_of(study, person)


def test_an_answer_counts_though_all_cookies_are_gone(browser: Client, study: Study) -> None:
    key = key_in(page(browser, study))
    assert press(Client(), study, key=key, side="left") == []
    assert Vote.objects.count() == 1


def test_an_answer_to_a_question_never_asked_is_refused_kindly(
    browser: Client, study: Study
) -> None:
    (told,) = press(browser, study, key=uuid4(), side="left")
    assert "no longer yours" in told
    assert told in page(browser, study)
    assert not Vote.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"side": "left"},
        {"key": "x", "side": "left"},
        {"side": "B"},
        {"side": "up"},
        {"side": ""},
    ],
)
def test_what_is_no_answer_is_asked_again(
    browser: Client, study: Study, fields: dict[str, str]
) -> None:
    key = key_in(page(browser, study))
    (told,) = press(
        browser, study, **{"key": key} | fields if fields.get("side") != "left" else fields
    )
    assert "Please choose again" in told
    assert key_in(page(browser, study)) == key
    assert not Vote.objects.exists()


def test_an_answer_needs_the_token_of_its_page(study: Study) -> None:
    browser = Client(enforce_csrf_checks=True)
    shown = browser.get(reverse("join", args=[study.join_code])).getvalue().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown)
    assert token
    with_token = {"csrfmiddlewaretoken": token[1]}
    browser.post(reverse("join", args=[study.join_code]), with_token)
    key = key_in(page(browser, study))
    address = reverse("cast_vote", args=[study.name])
    assert browser.post(address, {"key": key, "side": "left"}).status_code == 403
    assert not Vote.objects.exists()
    assert browser.post(address, {"key": key, "side": "left"} | with_token).status_code == 302
    assert Vote.objects.count() == 1


# Undo


def test_undo_takes_the_last_vote_back_and_asks_again(browser: Client, study: Study) -> None:
    assert "Undo the last vote" not in page(browser, study)
    answer(browser, study)
    shown = page(browser, study)
    assert "Undo the last vote" in shown
    response = take_back(browser, study)
    assert response["Location"] == reverse("judge", args=[study.name])
    undone = Vote.objects.get()
    assert undone.status == Status.SUPERSEDED
    again = page(browser, study)
    assert str(undone.triplet.reference) in again
    assert "Nothing judged yet" in again


def test_undo_sent_twice_takes_one_vote_back(browser: Client, study: Study) -> None:
    answer(browser, study)
    answer(browser, study)
    key = str(Vote.objects.latest("pk").key)
    for _ in range(2):
        browser.post(reverse("undo_vote", args=[study.name]), {"key": key})
    assert Vote.objects.valid().count() == 1


def take_back(browser: Client, study: Study) -> HttpResponseBase:
    key = str(Vote.objects.latest("pk").key)
    response: HttpResponseBase = browser.post(reverse("undo_vote", args=[study.name]), {"key": key})
    return response


def test_a_tie_is_no_answer_where_none_is_offered(browser: Client, study: Study) -> None:
    told = press(browser, study, key=key_in(page(browser, study)), side="tie")
    assert told == ["That was not an answer to the question. Please choose again."]
    assert not Vote.objects.exists()


def test_undo_is_for_ones_own_votes(browser: Client, study: Study) -> None:
    other = Client()
    other.post(reverse("join", args=[study.join_code]))
    answer(other, study)
    take_back(browser, study)
    assert Vote.objects.get().status == Status.VALID


# Pictures


@pytest.fixture
def picture(study: Study) -> str:
    """The address of an uploaded picture."""
    study.dataset.folder.mkdir(parents=True)
    (study.dataset.folder / "dog.svg").write_text(SVG)
    Image.objects.filter(name="dog").update(file="dog.svg")
    return Image.objects.get(name="dog").source


def test_a_picture_runs_nothing_whatever_it_holds(browser: Client, picture: str) -> None:
    response = browser.get(picture)
    assert response.getvalue() == SVG.encode()
    assert response["Content-Type"] == "image/svg+xml"
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script" not in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "private" in response["Cache-Control"]


def test_a_picture_is_not_for_strangers(picture: str) -> None:
    assert Client().get(picture).status_code == 404


def test_a_tampered_cookie_shows_no_picture(browser: Client, study: Study, picture: str) -> None:
    browser.cookies[cookie_name(study)] = "1:forged"
    assert browser.get(picture).status_code == 404


def test_a_picture_belongs_to_its_dataset(
    office: Client, picture: str, study: Study, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "other")
    import_dataset(load(folder), "other", folder)
    assert office.get(picture.replace("/small/", "/other/")).status_code == 404


@pytest.mark.parametrize("file", ["", "gone.svg", "."])
def test_a_picture_that_is_not_there_is_missing(office: Client, picture: str, file: str) -> None:
    Image.objects.filter(name="dog").update(file=file)
    assert office.get(picture).status_code == 404
