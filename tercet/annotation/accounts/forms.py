"""Forms of one's own account."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import authenticate
from django.contrib.auth.forms import (
    AuthenticationForm,
    BaseUserCreationForm,
    PasswordChangeForm,
    SetPasswordForm,
)
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

LONGEST_NAME = 150
"""Characters of a username, as Django has them."""
LONGEST_PASSWORD = 1_000


def _password_rules() -> str:
    """Return the rules of a password as sentences; the forms of Django have them as HTML."""
    return " ".join(filter(None, password_validators_help_texts()))


class LoginForm(AuthenticationForm):
    """A login, which a public site refuses with the password of the demo."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        longest = MaxLengthValidator(LONGEST_NAME)
        self.fields["username"].validators.append(longest)

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


class NewPasswordForm(PasswordChangeForm):
    """A new password; guesses of the old one are limited as those of a login."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.fields["new_password1"].help_text = _password_rules()

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        name = self.user.get_username()
        if not authenticate(self.request, username=name, password=password):
            message = self.error_messages["password_incorrect"]
            raise forms.ValidationError(message, code="password_incorrect")
        return password


class FirstPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """A password that is set with a link, without the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password1"].help_text = _password_rules()


class NewAccountForm(BaseUserCreationForm[User]):
    """An account of one's own.

    It has no email address: nobody has verified it, and a login through OpenID Connect would find
    the account by it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = _password_rules()


class TokenForm(forms.Form):
    """A code of an authenticator app, or a recovery code."""

    token = forms.CharField(
        label=gettext_lazy("code"),
        max_length=16,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True}
        ),
    )


class EraseAccountForm(forms.Form):
    """The confirmation that an account is to be erased; owners also give their password."""

    name = forms.CharField(max_length=LONGEST_NAME, strip=False)
    password = forms.CharField(
        label=gettext_lazy("your password"),
        max_length=LONGEST_PASSWORD,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(
        self, request: HttpRequest, account: User, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.account = account
        label = _("type %(name)s to confirm that this account is to be erased")
        self.fields["name"].label = label % {"name": account.get_username()}
        if request.user != account or not account.has_usable_password():
            del self.fields["password"]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.account.get_username():
            raise forms.ValidationError(_("This is not the name."))
        return name

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        name = self.account.get_username()
        if not authenticate(self.request, username=name, password=password):
            raise forms.ValidationError(_("This is not your password."))
        return password
