"""What owners announce: on the board, on a page, and as a feed."""

from xml.etree import ElementTree as Xml

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.annotation.challenges.announcements import announce
from tercet.annotation.models import Announcement, Challenge, Event
from tercet.annotation.models.challenge import Audience, ChallengeRank
from tercet.annotation.studies.roles import give_role

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
NEWS = {"title": "A week more", "text": "It closes **on Monday**. <script>"}


def address(challenge: Challenge, page: str) -> str:
    return reverse(page, args=[challenge.name])


@pytest.fixture
def told(challenge: Challenge, administrator: User) -> Announcement:
    announcement = Announcement(challenge=challenge, **NEWS)
    announce(announcement, administrator)
    return announcement


def test_an_owner_who_is_no_administrator_announces_and_takes_it_back(
    challenge: Challenge, administrator: User, person: User, submitter: Client
) -> None:
    give_role(challenge, person, ChallengeRank.OWNER, administrator)
    new = address(challenge, "challenge_announce")
    shown = submitter.post(new, NEWS, follow=True).text
    assert "<strong>on Monday</strong>. &lt;script&gt;" in shown

    (made,) = challenge.announcements.all()
    remove = reverse("challenge_retract", args=[challenge.name, made.pk])
    shown = submitter.post(remove, follow=True).text
    assert "Nothing has been announced yet." in shown
    last = Event.objects.order_by("-pk").values_list("what", flat=True)
    assert list(last[:2]) == ["retracted", "announced"]


def test_an_announcement_needs_a_title(challenge: Challenge, office: Client) -> None:
    new = address(challenge, "challenge_announce")
    response = office.post(new, NEWS | {"title": ""})
    assert response.status_code == 422
    assert not challenge.announcements.exists()


def test_others_announce_nothing(told: Announcement, submitter: Client) -> None:
    challenge = told.challenge
    remove = reverse("challenge_retract", args=[challenge.name, told.pk])
    new = address(challenge, "challenge_announce")
    assert submitter.post(new, NEWS).status_code == 403
    assert submitter.post(remove).status_code == 403
    assert challenge.announcements.count() == 1


@pytest.mark.parametrize("page", ["challenge", "challenge_leaderboard"])
def test_the_board_and_the_overview_name_the_latest(
    told: Announcement, page: str
) -> None:
    told.challenge.announcements.create(title="And another week")
    shown = Client().get(address(told.challenge, page)).text
    assert "And another week" in shown
    assert told.title not in shown
    assert 'type="application/atom+xml"' in shown


def test_the_feed_has_what_was_announced(told: Announcement) -> None:
    response = Client().get(address(told.challenge, "challenge_feed"))
    feed = Xml.fromstring(response.content)
    entry = feed.find(f"{ATOM}entry")

    assert response["Content-Type"].startswith("application/atom+xml")
    assert feed.findtext(f"{ATOM}title") == told.challenge.title
    assert entry is not None
    assert entry.findtext(f"{ATOM}title") == told.title
    assert "<strong>on Monday</strong>" in (entry.findtext(f"{ATOM}summary") or "")
    assert entry.findtext(f"{ATOM}published")
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"http://testserver{told.get_absolute_url()}"


@pytest.mark.parametrize("page", ["challenge_feed", "challenge_announcements"])
def test_without_an_account_only_news_of_public_boards_are_read(
    told: Announcement, submitter: Client, page: str
) -> None:
    Challenge.objects.update(leaderboard=Audience.SUBMITTERS)
    shown = Client().get(address(told.challenge, page))
    assert shown.status_code == 302
    assert told.title in submitter.get(address(told.challenge, page)).text
