"""The form that a questionnaire becomes."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from tercet.annotation.judging.questionnaires import (
    Field,
    FormKind,
    Part,
    read_questionnaire,
)
from tercet.annotation.models.participation import MAX_REMARK

_MAX_RADIOS = 8
"""A choice with more options is a list to unfold."""


class QuestionnaireForm(forms.Form):
    """The fields of a questionnaire; `prefix` keeps their names from meeting others."""

    def __init__(
        self,
        text: str,
        data: Mapping[str, Any] | None = None,
        prefix: str = "questionnaire",
    ) -> None:
        super().__init__(data, prefix=prefix)

        self.read: list[Part] = read_questionnaire(text)
        for part in self.read:
            if isinstance(part, Field):
                self.fields[part.name] = _form_field(part)

    @property
    def parts(self) -> Iterator[str | forms.BoundField]:
        """Markdown and fields, in their order."""
        for part in self.read:
            yield self[part.name] if isinstance(part, Field) else part

    @property
    def answers(self) -> dict[str, str]:
        """What was filled in, as text."""
        return {
            name: f"{value:f}" if isinstance(value, Decimal) else value
            for name, value in self.cleaned_data.items()
            if value not in (None, "")
        }


def _form_field(field: Field) -> forms.Field:
    label = field.question
    if not field.required:
        label = _("%(question)s (optional)") % {"question": label}

    make = _FIELDS[field.kind]
    made = make(field)
    made.label = label
    made.required = field.required
    made.widget.is_required = field.required
    return made


def _choice(field: Field) -> forms.Field:
    choices = [(option, option) for option in field.options]
    if len(choices) <= _MAX_RADIOS:
        return forms.ChoiceField(choices=choices, widget=forms.RadioSelect)

    return forms.ChoiceField(choices=[("", _("Choose one")), *choices])


def _number(field: Field) -> forms.Field:
    least, most = field.limits or (None, None)
    made = forms.DecimalField(min_value=least, max_value=most, max_digits=15)
    made.widget.attrs["step"] = "any"
    return made


def _text(field: Field) -> forms.Field:
    attributes = {"rows": 2, "dir": "auto"}
    area = forms.Textarea(attrs=attributes)
    return forms.CharField(max_length=MAX_REMARK, widget=area)


_FIELDS = {FormKind.CHOICE: _choice, FormKind.NUMBER: _number, FormKind.TEXT: _text}
