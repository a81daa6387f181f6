from django import template

from annotation.access import Member, studies_of

register = template.Library()


@register.filter
def sees_results(user: Member | str) -> bool:
    """Whether there is a study whose results an account sees; an error page may know nobody."""
    return not isinstance(user, str) and (user.is_staff or studies_of(user).exists())
