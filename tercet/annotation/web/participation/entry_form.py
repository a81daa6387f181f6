"""Forms of people who enter a study."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tercet.annotation.judging.annotators import TooManyTries
from tercet.annotation.models import Annotator


class ResumeForm(forms.Form):
    """The resume code of a person who continues in another browser."""

    code = forms.CharField(
        label=gettext_lazy("Resume code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters"}
        ),
    )

    def __init__(
        self,
        find: Callable[[str], Annotator | None],
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Take what returns the person of a code; it raises TooManyTries."""
        super().__init__(data)
        self.find = find

    def clean_code(self) -> Annotator:
        try:
            annotator = self.find(self.cleaned_data["code"])
        except TooManyTries:
            raise forms.ValidationError(
                _("Too many wrong codes. Wait a few minutes and try again.")
            ) from None

        if annotator is None:
            raise forms.ValidationError(
                _("This is not your resume code. Check it and try again.")
            )

        return annotator
