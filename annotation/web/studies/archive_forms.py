"""Forms that archive and delete studies and datasets."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class ArchiveForm(forms.Form):
    """Whether to archive, or to take out of the archive."""

    archived = forms.BooleanField(required=False)


class DeletionForm(forms.Form):
    """The title of what is to be deleted, typed again."""

    title = forms.CharField(
        label=gettext_lazy("Type the title to confirm"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, title: str, data: Any = None) -> None:
        super().__init__(data, auto_id="delete-%s")
        self.wanted = " ".join(title.split())

    def clean_title(self) -> str:
        """Compare the titles, without regard to spaces that a page does not show."""
        title = " ".join(self.cleaned_data["title"].split())
        if title != self.wanted:
            message = _("Nothing was deleted: the title is “%(title)s”.")
            raise forms.ValidationError(message % {"title": self.wanted})

        return title
