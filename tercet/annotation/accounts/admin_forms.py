"""Forms of the pages of accounts."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from tercet.annotation.models import Study
from tercet.annotation.models.study import Rank


class InvitationForm(forms.ModelForm[User]):
    """A new account; its owner sets the password."""

    by_mail = forms.BooleanField(label="send the link by email", required=False)

    class Meta:
        model = User
        fields = ("username", "email", "is_staff")
        labels = {
            "username": "username",
            "email": "email address",
            "is_staff": "administrator",
        }
        help_texts = {
            "username": "Letters, digits and @/./+/-/_ only.",
            "email": "Needed to send links by email.",
            "is_staff": "May import datasets, change all studies, and manage accounts.",
        }
        widgets = {
            "username": forms.TextInput(
                attrs={"autocapitalize": "none", "autocomplete": "off"}
            )
        }

    def __init__(self, *args: Any, has_mail: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_mail:
            del self.fields["by_mail"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("by_mail") and not cleaned.get("email"):
            self.add_error("email", "Give the email address to send the link to.")
        return cleaned


class StudyRoleForm(forms.Form):
    """A role of an account in one study, or none."""

    study = forms.ModelChoiceField(
        Study.objects.order_by("title"),
        label="Study",
        to_field_name="name",
        empty_label="choose a study",
    )
    rank = forms.ChoiceField(
        label="Role", choices=[*Rank.choices, ("", "no role")], required=False
    )
