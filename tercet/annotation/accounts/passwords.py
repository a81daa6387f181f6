"""Links to set a new password where the site sends no mail, and the password of the demo."""

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

DEMO_LOGINS = {"researcher": True, "annotator": False}
"""The accounts of the demo, and whether they are staff."""


def password_link(user: User) -> str:
    """Return the path of a page to set a new password; it can be used once, for 24 hours."""
    key = urlsafe_base64_encode(force_bytes(user.pk))
    token = default_token_generator.make_token(user)
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
