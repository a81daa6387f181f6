"""Enrol people in a challenge by a link, which its owners open and close."""

import secrets

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.models import Challenge, ChallengeRole
from tercet.annotation.models.base import store
from tercet.annotation.models.challenge import ChallengeProgress, ChallengeRank
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.lifecycle import NotPossible

MOST_ENROLLED = 1_000
"""Accounts with a role, after which the link enrols nobody."""


@transaction.atomic
def open_link(challenge: Challenge, by: User) -> None:
    """Make a new link, the only one that works."""
    store(challenge, join_code=secrets.token_urlsafe(12))
    log_site(by, "opened enrolment", challenge=challenge.name)


@transaction.atomic
def close_link(challenge: Challenge, by: User) -> None:
    """Let nobody enrol any more. Who has enrolled keeps the role. Idempotent."""
    if not challenge.lock().join_code:
        return

    store(challenge, join_code="")
    log_site(by, "closed enrolment", challenge=challenge.name)


@transaction.atomic
def enrol(challenge: Challenge, user: User, code: str) -> None:
    """Make an account that follows the link a submitter; owners stay owners.

    A new account is saved, too. Raises NotPossible if the link has been closed meanwhile, or too
    many have enrolled.
    """
    current = challenge.lock()
    if not opens(current, code):
        raise NotPossible("This link has been closed.")
    if current.roles.count() >= MOST_ENROLLED:
        raise NotPossible("No more accounts can take part.")

    if user.pk is None:
        user.save()
        log_site(user, "created own account", user=user.username)
    role, is_new = ChallengeRole.objects.get_or_create(
        challenge=current, user=user, defaults={"rank": ChallengeRank.SUBMITTER}
    )
    if is_new:
        log_site(user, "enrolled", challenge=current.name, now=role.rank)


def opens(challenge: Challenge, code: str) -> bool:
    """Return whether a code belongs to the open link of a challenge that is not over."""
    expected = challenge.join_code.encode()
    is_same = secrets.compare_digest(expected, code.encode())
    is_over = challenge.archived_at or challenge.progress == ChallengeProgress.CLOSED
    return bool(expected) and is_same and not is_over
