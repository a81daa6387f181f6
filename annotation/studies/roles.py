"""Who may do what in a study: giving and taking roles."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Role, Study
from annotation.models.study import Rank
from annotation.studies.audit import log
from annotation.studies.lifecycle import NotPossible, lock_study


@transaction.atomic
def give_role(study: Study, user: User, rank: Rank, by: User) -> None:
    """Give an account a role in a study, instead of the one it has."""
    lock_study(study)
    role = study.roles.filter(user=user).first()
    if role and role.rank == rank:
        return
    if role:
        keep_an_owner(role)
    Role.objects.update_or_create(study=study, user=user, defaults={"rank": rank})
    log(study, by, "gave role", user=user.username, was=role and role.rank, now=rank)


@transaction.atomic
def take_role(study: Study, user: User, by: User) -> None:
    """Take an account's role away; where it has none, nothing changes."""
    lock_study(study)
    role = study.roles.filter(user=user).first()
    if role is None:
        return
    keep_an_owner(role)
    role.delete()
    log(study, by, "took role", user=user.username, was=role.rank)


def keep_an_owner(role: Role) -> None:
    """Raise NotPossible where this role is that of the only owner."""
    others = role.study.roles.filter(rank=Rank.OWNER).exclude(pk=role.pk)
    if role.rank == Rank.OWNER and not others.exists():
        raise NotPossible(
            _("%(name)s is the only owner: make somebody else an owner first.")
            % {"name": role.user.get_username()}
        )
