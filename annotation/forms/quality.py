from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _


class ChosenForm(forms.Form):
    """Some annotators, or some votes, of a study."""

    def __init__(self, rows: "QuerySet[Any]", data: Any) -> None:
        super().__init__(data)
        self.fields["chosen"] = forms.ModelMultipleChoiceField(
            rows,
            error_messages={
                "required": _("Nothing is ticked: tick what this is about."),
                "invalid_choice": _("Something ticked is not in this study: reload the page."),
                "invalid_pk_value": _("Something ticked is not in this study: reload the page."),
            },
        )

    @property
    def faults(self) -> str:
        return " ".join(str(message) for messages in self.errors.values() for message in messages)


class ExclusionForm(ChosenForm):
    reason = forms.CharField(
        max_length=1000, error_messages={"required": _("Give a reason: it is kept for good.")}
    )
