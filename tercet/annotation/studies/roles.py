"""Give and take the roles of accounts in a study or a challenge."""

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from tercet.annotation.models import Challenge, ChallengeRole, Role, Study
from tercet.annotation.models.study import Rank
from tercet.annotation.studies.audit import log, log_site
from tercet.annotation.studies.lifecycle import NotPossible

_AnyRole = Role | ChallengeRole


@transaction.atomic
def give_role(owned: Study | Challenge, user: User, rank: str, by: User) -> _AnyRole:
    """Give an account a role, replacing the one it has; raises NotPossible."""
    owned.lock()
    role = owned.roles.filter(user=user).first()
    if role and role.rank == rank:
        return role
    _check_not_last_owner(owned, user)

    was = role and role.rank
    role, _is_new = owned.roles.update_or_create(user=user, defaults={"rank": rank})
    _log(owned, by, "gave", user=user.username, was=was, now=rank)
    return role


@transaction.atomic
def take_role(owned: Study | Challenge, user: User, by: User) -> None:
    """Remove an account's role, if it has one; raises NotPossible."""
    owned.lock()
    role = owned.roles.filter(user=user).first()
    if role is None:
        return

    _check_not_last_owner(owned, user)
    role.delete()
    _log(owned, by, "took", user=user.username, was=role.rank)


def _check_not_last_owner(owned: Study | Challenge, user: User) -> None:
    if is_only_owner(user, owned):
        message = "%(name)s is the only owner. Make another account an owner first."
        raise NotPossible(message, name=user.get_username())


def _log(owned: Study | Challenge, by: User, verb: str, **details: object) -> None:
    if isinstance(owned, Study):
        log(owned, by, f"{verb} role", **details)
    else:
        log_site(by, f"{verb} challenge role", challenge=owned.name, **details)


def is_owner(user: User | AnonymousUser, owned: Study | Challenge) -> bool:
    """Return whether an account owns a study or a challenge; staff always does."""
    if not user.is_authenticated:
        return False

    return user.is_staff or owned.roles.filter(user=user, rank=Rank.OWNER).exists()


def is_only_owner(user: User, owned: Study | Challenge) -> bool:
    """Return whether a study or a challenge has this account as its only owner."""
    owners = owned.roles.filter(rank=Rank.OWNER)
    return list(owners.values_list("user", flat=True)) == [user.pk]
