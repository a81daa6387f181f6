"""Forms of one's own account."""

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class LoginForm(AuthenticationForm):
    """A login, which a public site refuses with the password of the demo."""

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        is_demo = self.cleaned_data["password"] == settings.DEMO_PASSWORD

        if settings.HTTPS and is_demo:
            message = _(
                "This is the password of the demo, which everybody knows. "
                "Ask an administrator for a link to set another one."
            )
            raise forms.ValidationError(message)


class AdminLoginForm(LoginForm, AdminAuthenticationForm):
    """The same for the pages of accounts."""


class TokenForm(forms.Form):
    """A code of an authenticator app, or a recovery code."""

    token = forms.CharField(
        label=gettext_lazy("code"),
        max_length=16,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True}
        ),
    )
