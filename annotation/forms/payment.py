"""The rule by which people get a bonus."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.studies.payment import BonusRule


class BonusForm(forms.Form):
    """A bonus rule in the URL of the pay list; empty fields keep their defaults."""

    amount = forms.DecimalField(
        label=gettext_lazy("bonus per person"),
        min_value=0,
        max_value=1_000,
        decimal_places=2,
        initial=Decimal("0.00"),
    )
    gold = forms.IntegerField(
        label=gettext_lazy("gold triplets right, % at least"),
        min_value=0,
        max_value=100,
        initial=80,
    )

    def __init__(self, data: Mapping[str, Any]) -> None:
        defaults = {
            name: field.initial for name, field in self.base_fields.items()
        }
        super().__init__(
            {name: data.get(name, value) for name, value in defaults.items()}
        )

    @property
    def rule(self) -> BonusRule:
        """The rule of the form; no bonus where it is not valid."""
        if not self.is_valid():
            return BonusRule()

        values = self.cleaned_data
        return BonusRule(values["amount"], values["gold"] / 100)
