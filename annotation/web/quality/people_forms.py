"""The form of personal links."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_MAX_LINKS = 1_000
MAX_NAME = 200
MAX_TEXT = 100_000


class LinksForm(forms.Form):
    """The names of people who shall get personal links."""

    names = forms.CharField(
        label=gettext_lazy("Names, one per line"),
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "Only owners of this study see them. Existing names keep their links."
        ),
    )

    def clean_names(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["names"].splitlines())
        names = list(dict.fromkeys(filter(None, lines)))

        if len(names) > _MAX_LINKS:
            raise forms.ValidationError(_("Create at most 1,000 links at a time."))
        if any(len(name) > MAX_NAME for name in names):
            raise forms.ValidationError(_("A name may have at most 200 characters."))

        return names
