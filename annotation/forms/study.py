"""Forms by which a study is set up: its settings, its gold triplets, its people."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.dataset.study_settings import MAX_VOTES, STUDY_SETTINGS, conflicts
from annotation.judging.flow import QUIZZES
from annotation.judging.quizzes import FaultyQuiz, read_quizzes
from annotation.judging.texts import usual_text
from annotation.models import Event, Exit, Study
from annotation.models.study import SWITCHES, Outcome, Rank, State, Step
from annotation.studies.creation import Leaving
from annotation.studies.gold import FaultyGold, Gold, read_gold
from annotation.studies.history import CHANGES, lines_of

LINKS_AT_ONCE = 1_000
NAME_LENGTH = 200
PASTED = 100_000
"""Characters that a list may have."""

CHANGEABLE = [setting.name for setting in STUDY_SETTINGS if setting.card]
LABELS = {setting.name: gettext_lazy(setting.label) for setting in STUDY_SETTINGS if setting.label}
HELP_TEXTS = {
    setting.name: gettext_lazy(setting.help_text) for setting in STUDY_SETTINGS if setting.help_text
}


class NewStudyForm(forms.ModelForm[Study]):
    class Meta:
        model = Study
        fields = ["dataset", "title", "protocol", "votes", "references", "seed", "ties"]
        labels = {"dataset": gettext_lazy("dataset"), **LABELS}
        help_texts = HELP_TEXTS


class StepText(forms.CharField):
    """A text of a study. The usual one, and none, are kept as empty: they are translated."""

    def __init__(self, step: Step, protocol: str) -> None:
        self.step, self.usual = step, usual_text(step, protocol)
        area = forms.Textarea(attrs={"rows": 9, "placeholder": self.usual, "dir": "auto"})
        super().__init__(label=step.label, required=False, max_length=PASTED, widget=area)

    def clean(self, value: Any) -> str:
        text: str = super().clean(value).replace("\r\n", "\n")
        if self.step in QUIZZES:
            self.check_quizzes(text)
        return "" if text == self.usual.strip() else text

    def check_quizzes(self, text: str) -> None:
        try:
            quizzes = read_quizzes(text)
        except FaultyQuiz as error:
            raise forms.ValidationError(str(error)) from None
        odd = [quiz.question for quiz in quizzes if len(quiz.options) != 2]
        if odd and self.step == Step.PRACTICE:
            raise forms.ValidationError(
                _("“%(question)s”: a practice question has two options, as judging has.")
                % {"question": odd[0]}
            )


class SettingsForm(forms.ModelForm[Study]):
    """All that may change of a study. `may_change` is false for those who only look.

    `seen` is the last change that the page has shown: who saves over a later one is told first.
    """

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
    steps = forms.MultipleChoiceField(
        choices=[(step.value, step.label) for step in SWITCHES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = Study
        fields = CHANGEABLE
        labels = LABELS
        help_texts = HELP_TEXTS
        widgets = {"accounts": forms.RadioSelect}

    def __init__(self, study: Study, data: Mapping[str, Any] | None, *, may_change: bool) -> None:
        super().__init__(data, instance=study)
        for step in SWITCHES:
            self.fields[step.value] = StepText(step, study.protocol)
            self.initial[step.value] = getattr(study, step)
        self.changes = study.events.filter(what__in=CHANGES)
        self.initial["seen"] = self.last_change()
        self.fields["title"].required = True
        self.fields["title"].help_text = _("Annotators see it.")
        self.fields["ties"].disabled = study.state != State.DRAFT
        for field in self.fields.values():
            if isinstance(field, forms.FloatField):
                field.widget.attrs["step"] = "any"
        if not may_change:
            for field in self.fields.values():
                field.disabled = True

    def last_change(self) -> int:
        return self.changes.values_list("pk", flat=True).first() or 0

    def clean_seen(self) -> None:
        """Refuse to save over changes that this page does not know; shown again, it knows them."""
        seen = self.cleaned_data["seen"]
        newer = [] if seen is None else list(self.changes.filter(pk__gt=seen))
        self.data = data = cast(QueryDict, self.data).copy()
        data["seen"] = str(self.last_change())
        for event in newer:
            self.add_error(None, meanwhile(event))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned.pop("seen", None)
        for conflict in conflicts(cleaned):
            self.add_error(conflict.setting, _(conflict.text) % conflict.values)
        return cleaned

    @property
    def cards(self) -> dict[str, list[forms.BoundField]]:
        """The fields of each card of the page, in the order of the settings."""
        cards: dict[str, list[forms.BoundField]] = defaultdict(list)
        for setting in STUDY_SETTINGS:
            if setting.card:
                cards[setting.card].append(self[setting.name])

        return dict(cards)


def meanwhile(event: Event) -> str:
    """What somebody changed while the page was open."""
    lines = [line.label if line.is_long else str(line) for line in lines_of(event)]
    words = _(
        "%(who)s changed something while this page was open: %(what)s. "
        "Save again to keep what stands below."
    )
    return words % {"who": event.by or _("somebody"), "what": "; ".join(lines)}


class ExitForm(forms.ModelForm[Exit]):
    class Meta:
        model = Exit
        fields = ["code", "url"]
        widgets = {"url": forms.TextInput(attrs={"inputmode": "url"})}

    @property
    def leaving(self) -> Leaving:
        return self.cleaned_data["code"], self.cleaned_data["url"]


def exit_forms(
    study: Study, data: Mapping[str, Any] | None, *, may_change: bool
) -> dict[Outcome, ExitForm]:
    """A form for where people leave to after each outcome."""
    known = {row.outcome: row for row in study.exits.all()}
    made = {
        outcome: ExitForm(data, instance=known.get(outcome), prefix=outcome.value)
        for outcome in Outcome
    }
    if not may_change:
        for form in made.values():
            for field in form.fields.values():
                field.disabled = True
    return made


class ForecastForm(forms.Form):
    wage = forms.FloatField(
        label=gettext_lazy("pay an hour"), min_value=0, max_value=100_000, initial=12
    )
    fee = forms.FloatField(label=gettext_lazy("fee, %"), min_value=0, max_value=1_000, initial=33)

    def __init__(self, data: Mapping[str, Any]) -> None:
        usual = {name: field.initial for name, field in self.base_fields.items()}
        super().__init__({name: data.get(name, value) for name, value in usual.items()})
        for field in self.fields.values():
            field.widget.attrs["step"] = "any"

    @property
    def values(self) -> dict[str, float]:
        """What is asked for; the usual where it is nonsense."""
        told = self.cleaned_data if self.is_valid() else {}
        return {name: told.get(name, field.initial) for name, field in self.fields.items()}


class StateForm(forms.Form):
    state = forms.ChoiceField(choices=State.choices)


class VotesForm(forms.Form):
    votes = forms.IntegerField(label=LABELS["votes"], max_value=MAX_VOTES)

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"votes": study.votes + 2})
        self.fields["votes"].widget.attrs["min"] = study.votes + 1


class GoldForm(forms.Form):
    """Gold triplets as lines of CSV."""

    lines = forms.CharField(
        label=gettext_lazy("Lines of pair, reference, answer"),
        max_length=PASTED,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.study = study

    def clean_lines(self) -> dict[int, Gold]:
        try:
            return read_gold(self.study, self.cleaned_data["lines"])
        except FaultyGold as error:
            raise forms.ValidationError(error.problems) from None


class DrawForm(forms.Form):
    count = forms.IntegerField(
        label=gettext_lazy("How many"), min_value=1, max_value=10_000, initial=20
    )


class LinksForm(forms.Form):
    names = forms.CharField(
        label=gettext_lazy("Names, one a line"),
        max_length=PASTED,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "Only researchers of this study see them. A name that is there stays."
        ),
    )

    def clean_names(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["names"].splitlines())
        names = list(dict.fromkeys(filter(None, lines)))
        if len(names) > LINKS_AT_ONCE:
            raise forms.ValidationError(_("Make 1,000 links at a time, at most."))
        long = [name for name in names if len(name) > NAME_LENGTH]
        if long:
            raise forms.ValidationError(_("A name has 200 characters, at most."))
        return names


class AccountForm(forms.Form):
    """An account by its name."""

    username = forms.CharField(
        label=gettext_lazy("Account"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def clean_username(self) -> User:
        name = self.cleaned_data["username"]
        user = User.objects.filter(username=name).first()
        if user is None:
            raise forms.ValidationError(
                _("There is no account “%(name)s”: an administrator makes it under Accounts.")
                % {"name": name}
            )
        return user


class RoleForm(AccountForm):
    rank = forms.ChoiceField(label=gettext_lazy("Role"), choices=Rank.choices)
