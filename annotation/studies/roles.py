"""Give and take the roles of accounts in a study."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from tercet.annotation.judging.quotas import lock_study
from tercet.annotation.models import Role, Study
from tercet.annotation.models.study import Rank
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible


@transaction.atomic
def give_role(study: Study, user: User, rank: Rank, by: User) -> None:
    """Give an account a role in a study, replacing the one it has; raises NotPossible."""
    lock_study(study)
    role = study.roles.filter(user=user).first()
    if role and role.rank == rank:
        return
    if role:
        _check_not_last_owner(role)

    Role.objects.update_or_create(study=study, user=user, defaults={"rank": rank})
    log(study, by, "gave role", user=user.username, was=role and role.rank, now=rank)


@transaction.atomic
def take_role(study: Study, user: User, by: User) -> None:
    """Remove an account's role, if it has one; raises NotPossible."""
    lock_study(study)
    role = study.roles.filter(user=user).first()
    if role is None:
        return

    _check_not_last_owner(role)
    role.delete()
    log(study, by, "took role", user=user.username, was=role.rank)


def _check_not_last_owner(role: Role) -> None:
    others = role.study.roles.filter(rank=Rank.OWNER).exclude(pk=role.pk)

    if role.rank == Rank.OWNER and not others.exists():
        message = _("%(name)s is the only owner. Make another account an owner first.")
        raise NotPossible(message % {"name": role.user.get_username()})
