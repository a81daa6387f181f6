"""The form of a decision on a pair."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tercet.annotation.models.participation.remark import MAX_REMARK
from tercet.annotation.models.vote import Choice


class AdjudicationForm(forms.Form):
    """A decision and its reason."""

    decision = forms.ChoiceField(
        label=_("decision"),
        choices={
            Choice.B: "B",
            Choice.C: "C",
            Choice.TIE: _("tie: both are equally good"),
        },
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label=_("reason"),
        max_length=MAX_REMARK,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("It is stored with the decision and in the log."),
    )
