"""Forms of people who enter a study."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tercet.annotation.judging.annotators import TooManyTries, try_resume_code
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
        self, annotator: Annotator, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data)
        self.annotator = annotator

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]

        try:
            is_right = try_resume_code(self.annotator, code)
        except TooManyTries:
            raise forms.ValidationError(
                _("Too many wrong codes. Wait a few minutes and try again.")
            ) from None

        if not is_right:
            raise forms.ValidationError(
                _("This is not your resume code. Check it and try again.")
            )

        return code
