"""The filter of the record of logins and downloads."""

from django import forms
from django.db.models import Q
from django.utils.translation import gettext_lazy

from tercet.annotation.models.accounts.access import AccessKind


class AccessForm(forms.Form):
    """Which logins and downloads to show; what is not understood is ignored."""

    who = forms.CharField(
        label=gettext_lazy("Account or study"), max_length=150, required=False
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("What"),
        choices=[("", gettext_lazy("everything")), *AccessKind.choices],
        required=False,
    )
    path = forms.CharField(
        label=gettext_lazy("Address contains"), max_length=100, required=False
    )

    def condition(self) -> Q:
        """Return what the rows to show fulfil."""
        self.full_clean()
        given = self.cleaned_data
        condition = Q(path__icontains=given.get("path", ""))
        if kind := given.get("kind"):
            condition &= Q(kind=kind)
        if who := given.get("who"):
            condition &= Q(user__username__icontains=who) | Q(study__name=who)
        return condition
