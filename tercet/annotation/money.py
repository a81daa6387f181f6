"""The currency in which costs are estimated."""

from django import forms

CURRENCY = "USD"
"""The currency unless another one is named."""


def currency_field() -> forms.CharField:
    """Make a field for the currency of a pay per hour."""
    return forms.CharField(
        label="Currency",
        max_length=10,
        initial=CURRENCY,
        required=False,
        empty_value=CURRENCY,
    )
