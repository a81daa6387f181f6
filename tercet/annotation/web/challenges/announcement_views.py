"""Announcements of a challenge: a page, and an Atom feed."""

from datetime import datetime

from django.contrib.syndication.views import Feed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tercet.annotation.challenges.announcements import announce, retract
from tercet.annotation.challenges.permissions import owners_only, visible_to_visitors
from tercet.annotation.models import Announcement, Challenge
from tercet.annotation.requests import UserRequest
from tercet.annotation.templatetags.markdown import markdown
from tercet.annotation.web.challenges.forms import AnnouncementForm
from tercet.annotation.web.challenges.pages import challenge_page
from tercet.annotation.web.responses import form_on, safe_page, show_success

_IN_FEED = 50
"""Announcements of a feed."""


@visible_to_visitors
@safe_page
def challenge_announcements(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """List the announcements of a challenge; owners find a form for another one."""
    return _page(request, challenge, AnnouncementForm())


def _page(
    request: UserRequest, challenge: Challenge, form: AnnouncementForm
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    context = {"form": form, "announcements": challenge.announcements.all()}
    page = "announcements/announcements"
    return challenge_page(request, page, challenge, context, status)


@owners_only
@form_on("challenge_announcements")
def challenge_announce(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Announce something."""
    new = Announcement(challenge=challenge)
    form = AnnouncementForm(request.POST, instance=new)
    if not form.is_valid():
        return _page(request, challenge, form)

    announcement = form.save(commit=False)
    announce(announcement, request.user)
    show_success(request, _("Announced."))
    return redirect("challenge_announcements", challenge.name)


@owners_only
@require_POST
def challenge_retract(
    request: UserRequest, challenge: Challenge, number: int
) -> HttpResponse:
    """Remove an announcement."""
    announcement = get_object_or_404(challenge.announcements, pk=number)
    retract(announcement, request.user)
    show_success(request, _("The announcement is removed."))
    return redirect("challenge_announcements", challenge.name)


class _AnnouncementFeed(Feed[Announcement, Challenge]):
    feed_type = Atom1Feed

    def get_object(
        self, request: HttpRequest, *args: object, **kwargs: Challenge
    ) -> Challenge:
        return kwargs["challenge"]

    def title(self, challenge: Challenge) -> str:
        return challenge.title

    def link(self, challenge: Challenge) -> str:
        return reverse("challenge_announcements", args=[challenge.name])

    def items(self, challenge: Challenge) -> list[Announcement]:
        rows = challenge.announcements.select_related("challenge")
        return list(rows[:_IN_FEED])

    def item_title(self, item: Announcement) -> str:
        return item.title

    def item_description(self, item: Announcement) -> str:
        return markdown(item.text)

    def item_pubdate(self, item: Announcement) -> datetime:
        return item.created_at

    def item_updateddate(self, item: Announcement) -> datetime:
        return item.created_at


_feed = _AnnouncementFeed()


@visible_to_visitors
@safe_page
def challenge_feed(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Send the announcements as an Atom feed."""
    return _feed(request, challenge=challenge)
