"""The form of a new webhook."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tercet.analysis.tables.schema import LONGEST_URL


class WebhookForm(forms.Form):
    """The address of a webhook."""

    url = forms.CharField(
        label=_("address"),
        max_length=LONGEST_URL,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
