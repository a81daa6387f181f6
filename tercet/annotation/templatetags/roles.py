"""Template filter for what an account may see."""

from django import template

from tercet.annotation.challenges.permissions import challenges_of
from tercet.annotation.permissions import Member, studies_of

register = template.Library()


@register.filter
def sees_results(user: Member | str | None) -> bool:
    """Return whether an account may see the results of any study; error pages have no user."""
    if not user or isinstance(user, str):
        return False

    return user.is_staff or studies_of(user).exists()


@register.filter
def sees_challenges(user: Member | str | None) -> bool:
    """Return whether a visitor may see any challenge, or create one."""
    if not user or isinstance(user, str):
        return False

    rows = challenges_of(user).filter(archived_at=None)
    return user.is_staff or rows.exists()
