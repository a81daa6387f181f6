"""Forms for excluding and readmitting annotators and votes."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

_NOT_IN_STUDY = _(
    "One of the selected rows is not in this study. Reload the page and try again."
)


class ChosenForm(forms.Form):
    """Selected annotators or votes of a study."""

    def __init__(self, rows: "QuerySet[Any]", data: Any) -> None:
        super().__init__(data)
        self.fields["chosen"] = forms.ModelMultipleChoiceField(
            rows,
            error_messages={
                "required": _("Select at least one row."),
                "invalid_choice": _NOT_IN_STUDY,
                "invalid_pk_value": _NOT_IN_STUDY,
            },
        )

    @property
    def error_text(self) -> str:
        """All errors in one line."""
        return " ".join(
            str(error) for errors in self.errors.values() for error in errors
        )


class ErasureForm(forms.Form):
    """What becomes of the votes of a person who is erased."""

    votes = forms.ChoiceField(
        label=_("votes"),
        choices={
            "keep": _("keep their votes under a new pseudonym"),
            "withdraw": _("no longer count their votes"),
        },
        initial="keep",
        widget=forms.RadioSelect,
    )
    confirmed = forms.BooleanField(
        label=_("Erase this person for good; this cannot be undone")
    )


class ExclusionForm(ChosenForm):
    """Rows to exclude, with a reason."""

    reason = forms.CharField(
        max_length=1000,
        error_messages={"required": _("Give a reason; it is stored in the audit log.")},
    )
