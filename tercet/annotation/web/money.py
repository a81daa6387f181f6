"""The currency in which costs are estimated."""

from django import forms
from django.utils.translation import gettext_lazy

CURRENCY = "USD"
"""The currency unless another one is named."""


def currency_field() -> forms.CharField:
    """Make a field for the currency of a pay per hour."""
    return forms.CharField(
        label=gettext_lazy("Currency"),
        max_length=10,
        initial=CURRENCY,
        required=False,
        empty_value=CURRENCY,
    )
