"""Give and take the roles of accounts in a challenge."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from tercet.annotation.challenges.locks import lock_challenge
from tercet.annotation.models import Challenge, ChallengeRole
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.lifecycle import NotPossible


@transaction.atomic
def give_role(challenge: Challenge, user: User, rank: ChallengeRank, by: User) -> None:
    """Give an account a role, replacing the one it has; raises NotPossible."""
    lock_challenge(challenge)
    role = challenge.roles.filter(user=user).first()
    if role and role.rank == rank:
        return
    if role:
        _check_not_last_owner(role)

    ChallengeRole.objects.update_or_create(
        challenge=challenge, user=user, defaults={"rank": rank}
    )
    log_site(
        by,
        "gave challenge role",
        challenge=challenge.name,
        user=user.username,
        was=role and role.rank,
        now=rank,
    )


@transaction.atomic
def take_role(challenge: Challenge, user: User, by: User) -> None:
    """Remove an account's role, if it has one; raises NotPossible."""
    lock_challenge(challenge)
    role = challenge.roles.filter(user=user).first()
    if role is None:
        return

    _check_not_last_owner(role)
    role.delete()
    log_site(
        by,
        "took challenge role",
        challenge=challenge.name,
        user=user.username,
        was=role.rank,
    )


def _check_not_last_owner(role: ChallengeRole) -> None:
    owners = role.challenge.roles.filter(rank=ChallengeRank.OWNER)
    if role.rank == ChallengeRank.OWNER and owners.count() == 1:
        message = _("%(name)s is the only owner. Make another account an owner first.")
        raise NotPossible(message % {"name": role.user.get_username()})
