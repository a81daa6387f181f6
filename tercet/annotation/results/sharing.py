"""Views of the results that owners share with people who have no account."""

import secrets

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from tercet.annotation.models import Lease, SharedView, Study
from tercet.annotation.models.study import State
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible

MAX_VIEWS = 50
"""Views of one study."""


@transaction.atomic
def share_view(study: Study, title: str, query: str, by: User) -> SharedView:
    """Give a view of the results an address that cannot be guessed; raises NotPossible."""
    locked = study.lock()
    if locked.state != State.CLOSED:
        message = "Results can be shared when the study is closed."
        raise NotPossible(message)
    if locked.shared_views.count() >= MAX_VIEWS:
        message = "A study has at most %(most)s shared views. Take one back first."
        raise NotPossible(message, most=MAX_VIEWS)

    code = secrets.token_urlsafe(18)
    values = {"title": title, "query": query, "code": code}
    view: SharedView = locked.shared_views.create(created_by=by, **values)
    log(locked, by, "shared view", view=title)
    return view


@transaction.atomic
def take_view_back(view: SharedView, by: User) -> None:
    """Make its address lead nowhere. Idempotent."""
    locked = view.study.lock()
    deleted, _rows = locked.shared_views.filter(pk=view.pk).delete()
    if deleted:
        log(locked, by, "took view back", view=view.title)


def is_readable(study: Study) -> bool:
    """Return whether nobody can judge any more: it is closed, and no question is assigned."""
    now = timezone.now()
    assigned = Lease.objects.filter(live=True, expires_at__gt=now)
    is_assigned = assigned.filter(annotator__study=study).exists()
    return study.state == State.CLOSED and not is_assigned
