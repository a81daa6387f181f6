"""Teams of a challenge: whose submissions are whose, and which of them counts."""

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.models import Challenge, ChallengeRole, ChallengeTeam, Submission
from tercet.annotation.models.base import store
from tercet.annotation.permissions import Member
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import is_owner


def team_of(user: User, challenge: Challenge) -> ChallengeTeam | None:
    """Return the team of an account."""
    roles = challenge.roles.select_related("team")
    role = roles.filter(user=user).first()
    return role.team if role else None


def is_own(user: Member, submission: Submission) -> bool:
    """Return whether a submission is of an account, or of its team."""
    if not user.is_authenticated:
        return False
    if submission.team_id is None:
        return user == submission.user

    return ChallengeRole.objects.filter(user=user, team=submission.team_id).exists()


@transaction.atomic
def set_team(challenge: Challenge, user: User, name: str, by: User) -> None:
    """Put an account with a role into the team of this name, or into none if it is empty.

    What it submitted while it was in no team becomes the team's; what is a team's stays so.
    """
    locked = challenge.lock()
    roles = locked.roles.select_related("team")
    role = roles.get(user=user)
    was = role.team.name if role.team else ""
    if was == name:
        return

    team = challenge.teams.get_or_create(name=name)[0] if name else None
    store(role, team=team)
    if team:
        alone = challenge.submissions.of(user, None)
        if team.submissions.filter(final=True).exists():
            alone.update(final=False)
        alone.update(team=team)

    details = {"user": user.username, "was": was, "now": name}
    log_site(by, "changed team", challenge=challenge.name, **details)


@transaction.atomic
def choose_final(submission: Submission, is_final: bool, by: User) -> None:
    """Let a submission count alone for its team or account, or take that back; raises NotPossible.

    Only what the leaderboard shows can be chosen, so that the choice tells nothing of others.
    """
    locked = submission.challenge.lock()
    if not locked.is_open and not is_owner(by, locked):
        message = "The submission that counts is chosen while the challenge is open."
        raise NotPossible(message)

    submission.refresh_from_db()
    if is_final and not submission.can_be_final:
        message = "Only a submission on the leaderboard of the hidden split counts."
        raise NotPossible(message)

    of_challenge = locked.submissions
    own = of_challenge.of(submission.user, submission.team)
    chosen = own.filter(final=True)
    chosen.update(final=False)
    store(submission, final=is_final)
