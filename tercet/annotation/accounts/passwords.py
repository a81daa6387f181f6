"""Links to set a new password where the site sends no mail, and the password of the demo."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

DEMO_LOGINS = {"researcher": True, "annotator": False}
"""The accounts of the demo, and whether they are staff."""


class _LinkTokens(PasswordResetTokenGenerator):
    """Tokens of links, which end when the account may do something else than when they were made.

    Who was given the link of an account that could do little is not to get one that can do more.
    """

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        in_studies = user.study_roles.order_by("study").values_list("study", "rank")
        of_challenges = user.challenge_roles.order_by("challenge")
        in_challenges = of_challenges.values_list("challenge", "rank")
        rights = user.is_staff, user.is_superuser, [*in_studies], [*in_challenges]
        return super()._make_hash_value(user, timestamp) + repr(rights)


link_tokens = _LinkTokens()


def password_link(user: User) -> str:
    """Return the path of a page to set a new password.

    It can be used once, for 24 hours, and until the rights of the account change.
    """
    key = urlsafe_base64_encode(force_bytes(user.pk))
    token = link_tokens.make_token(user)
    return reverse("password_reset_confirm", args=[key, token])


def accounts_of_the_demo() -> list[str]:
    """Return the names of the demo's accounts that still have its password."""
    accounts = User.objects.filter(username__in=DEMO_LOGINS)
    password = settings.DEMO_PASSWORD
    return [each.username for each in accounts if each.check_password(password)]


class DemoPasswordValidator:
    """Refuse the password of the demo as a new password."""

    def validate(self, password: str, user: object = None) -> None:
        if password == settings.DEMO_PASSWORD:
            message = _("This password is the one of the demo: choose another one.")
            raise ValidationError(message)

    def get_help_text(self) -> str:
        return ""
