from django import template

from annotation.permissions import Member, studies_of

register = template.Library()


@register.filter
def sees_results(user: Member | str | None) -> bool:
    """Whether there is a study whose results an account sees; an error page knows nobody."""
    if not user or isinstance(user, str):
        return False
    return user.is_staff or studies_of(user).exists()
