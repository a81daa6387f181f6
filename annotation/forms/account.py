"""Forms of one's own account."""

from django import forms
from django.utils.translation import gettext_lazy


class TokenForm(forms.Form):
    """A code of an authenticator app, or a recovery code."""

    token = forms.CharField(
        label=gettext_lazy("code"),
        max_length=16,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True}
        ),
    )
