"""Forms for creating a study and changing its settings."""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any, cast

from django import forms
from django.http import QueryDict

from tercet.analysis.tables.protocol_settings import RATING
from tercet.analysis.tables.settings import MAX_VOTES
from tercet.annotation.judging.kinds import hidden_settings
from tercet.annotation.judging.kinds.rating_texts import PRESETS
from tercet.annotation.judging.questionnaires import FaultyText
from tercet.annotation.models import Answer, Dataset, Event, Exit, Study
from tercet.annotation.models.study import (
    LISTS,
    SWITCHES,
    CrowdProof,
    LinkUsers,
    Outcome,
    State,
    Step,
    Time,
)
from tercet.annotation.money import currency_field
from tercet.annotation.participation.crowd import InvalidKey, check_key
from tercet.annotation.participation.quizzes import read_quizzes
from tercet.annotation.participation.texts import READERS, default_text_of
from tercet.annotation.studies.announced import announced_minutes, announced_pay
from tercet.annotation.studies.audit import CHANGES, lines_of
from tercet.annotation.studies.changed_settings import CARDS
from tercet.annotation.studies.creation import (
    StudySize,
    Unsuitable,
    caption_language,
    plan_of,
)
from tercet.annotation.studies.settings import ExitValues
from tercet.annotation.studies.study_file import SETTINGS, conflicts

MAX_TEXT = 100_000
"""Characters of a text, at most."""

_CATEGORY_HELP = (
    "Pairs may have a category, which names a group of them: HC, HI, HM and MM, or any name of "
    "yours. Results show the accuracy of metrics for each category by itself."
)

PLANNED = ("dataset", "protocol", "votes", "references")
"""What decides how many questions and votes a study has."""
_NOT_PLANNED = {field.name for field in Study._meta.fields} - {*PLANNED}


class NewStudyForm(forms.ModelForm[Study]):
    """A new study. Its language is guessed from the captions of the chosen dataset.

    `guessed` is what the page guessed, so that a language nobody changed is guessed again for
    another dataset.
    """

    guessed = forms.CharField(required=False, widget=forms.HiddenInput)
    preset = forms.ChoiceField(
        label="scale of ratings",
        choices=[(name, name) for name in PRESETS],
        required=False,
        help_text="For ratings only. Its questions can be changed until the first answer.",
    )

    class Meta:
        model = Study
        fields = [
            "dataset",
            "language",
            "title",
            "protocol",
            "votes",
            "references",
            "seed",
            "ties",
        ]
        help_texts = {"dataset": _CATEGORY_HELP}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)

        datasets = cast("forms.ModelChoiceField[Dataset]", self.fields["dataset"])
        datasets.queryset = Dataset.objects.filter(archived_at=None, challenges=None)
        datasets.empty_label = "choose a dataset"

        self.fields["language"].required = False
        guess = self._language_of_chosen(datasets)
        self.initial.update(language=guess, guessed=guess)

    def _language_of_chosen(self, datasets: "forms.ModelChoiceField[Dataset]") -> str:
        """Guess the language of the dataset that is chosen beforehand; empty without one."""
        try:
            dataset = datasets.clean(self.initial.get("dataset"))
        except forms.ValidationError:
            return ""

        return caption_language(cast(Dataset, dataset))

    @property
    def plan(self) -> StudySize | str:
        """What the study would ask as the form stands, or why it cannot; empty while unclear."""
        study = Study()
        try:
            for name in PLANNED:
                value = self.fields[name].clean(self[name].value())
                setattr(study, name, value)
            study.clean_fields(exclude=_NOT_PLANNED)
        except forms.ValidationError:
            return ""

        try:
            return plan_of(study)
        except Unsuitable as error:
            return str(error)

    def clean(self) -> dict[str, Any]:
        """Guess a language that was left empty, or as the page guessed it."""
        cleaned = super().clean() or self.cleaned_data
        guessed = cleaned.pop("guessed", "")
        if cleaned.get("protocol") == RATING:
            self.instance.aspects = PRESETS.get(cleaned.get("preset", ""), "")
        dataset = cleaned.get("dataset")

        if dataset and cleaned.get("language") in ("", guessed):
            cleaned["language"] = caption_language(dataset)

        return cleaned


class _LongText(forms.CharField):
    """A text of several lines, which browsers send with CRLF at their ends."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return text.replace("\r\n", "\n")


class _StudyText(_LongText):
    """A text of a study in the syntax of its setting; what cannot be read is refused."""

    def __init__(self, setting: str, label: Any, **attrs: str) -> None:
        self.setting = setting
        area = forms.Textarea(attrs={"rows": 9, **attrs, "dir": "auto"})
        super().__init__(label=label, required=False, max_length=MAX_TEXT, widget=area)

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        try:
            if self.setting in READERS:
                READERS[self.setting](text)
        except FaultyText as error:
            raise forms.ValidationError(str(error)) from None

        if self.setting == Step.PRACTICE:
            _check_practice(text)
        return text


def _check_practice(text: str) -> None:
    """Refuse a practice question that has not exactly two options."""
    for quiz in read_quizzes(text):
        if len(quiz.options) != 2:
            message = "“%(question)s”: give a practice question exactly two options."
            raise forms.ValidationError(message % {"question": quiz.question})


def _several(setting: str) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=SETTINGS[setting].verbose_name,
        choices=LISTS[setting],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=SETTINGS[setting].help_text,
    )


class SettingsForm(forms.ModelForm[Study]):
    """Settings of a study: those in `only`, which may also name exits, as the log does.

    `may_change` is false for researchers who are not owners. `seen` is the last change that the
    page knows: saving over a later one of the same settings is refused once.
    """

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
    steps = _several("steps")
    sentence_rules = _several("sentence_rules")

    crowd_key = forms.CharField(
        label="key for signed links",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=(
            "Needed only for signed links. For Prolific, paste the key set from its "
            "address /.well-known/study/jwks.json. For a server of yours, choose a secret of at "
            "least 32 characters, with which it signs links. The key is never shown again; leave "
            "this empty to keep it."
        ),
    )

    class Meta:
        model = Study
        fields = [*chain.from_iterable(CARDS.values())]
        widgets = {
            "accounts": forms.RadioSelect,
            "rule_action": forms.RadioSelect,
            "winners": forms.RadioSelect,
            "link_users": forms.RadioSelect,
            "crowd_proof": forms.RadioSelect,
            "debrief": forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
        }
        field_classes = {"debrief": _LongText}

    def __init__(
        self,
        study: Study,
        data: Mapping[str, Any] | None,
        only: Collection[str],
        *,
        may_change: bool,
    ) -> None:
        super().__init__(data, instance=study)
        self.only = frozenset(only)

        for step in SWITCHES:
            default = default_text_of(study, step)
            text = _StudyText(step.value, step.label, placeholder=default)
            self.fields[step.value] = text
            self.initial[step.value] = getattr(study, step)
        for name in (*(f"questionnaire_{time}" for time in Time), "aspects"):
            self.fields[name] = _StudyText(name, SETTINGS[name].verbose_name)
        self.fields["aspects"].required = True
        self.fields["aspects"].help_text = SETTINGS["aspects"].help_text
        answers = Answer.objects.filter(question__study=study)
        self.fields["aspects"].disabled = answers.exists()

        self.changes = study.events.filter(what__in=CHANGES)
        self.initial["seen"] = self._last_change()

        self.fields["title"].required = True
        self.fields["title"].help_text = "Annotators see it."
        for name in ("ties", "scale"):
            self.fields[name].disabled = study.state != State.DRAFT
        self._ask_link_users()

        for field in self.fields.values():
            field.disabled = field.disabled or not may_change
            if isinstance(field, forms.FloatField):
                field.widget.attrs["step"] = "any"

        shown = {*only, "seen"} - hidden_settings(study)
        for name in self.fields.keys() - shown:
            del self.fields[name]

    def _ask_link_users(self) -> None:
        """Offer the two answers; the question may stay open while the link is closed."""
        field = cast(forms.ChoiceField, self.fields["link_users"])
        choices = Study._meta.get_field("link_users").flatchoices
        field.choices = [each for each in choices if each[0] != LinkUsers.UNASKED]
        field.required = False
        if self.initial["link_users"] == LinkUsers.UNASKED:
            self.initial["link_users"] = ""

    def _last_change(self) -> int:
        return self.changes.values_list("pk", flat=True).first() or 0

    def clean_title(self) -> str:
        """Refuse a title that another study has."""
        title: str = self.cleaned_data["title"]
        others = Study.objects.exclude(pk=self.instance.pk)
        if "title" in self.changed_data and others.filter(title=title):
            message = "Another study has this title. Choose a different one."
            raise forms.ValidationError(message)

        return title

    def clean_link_users(self) -> str:
        """Keep the stored answer where there is none; require one to open the shared link."""
        answer: str = self.cleaned_data["link_users"] or self.instance.link_users
        is_open = self.cleaned_data["link_is_open"]
        is_opened = is_open and "link_is_open" in self.changed_data
        if is_opened and answer == LinkUsers.UNASKED:
            message = "Choose one of the two to open the shared link."
            raise forms.ValidationError(message)

        return answer

    def clean_shows_image(self) -> bool:
        """Refuse to show images that have no picture."""
        shows: bool = self.cleaned_data["shows_image"]
        bare = self.instance.dataset.images.filter(file="", url="").count()
        if shows and "shows_image" in self.changed_data and bare:
            message = "%(count)s images have no picture. Give a file or url for each in images.csv."
            raise forms.ValidationError(message % {"count": bare})

        return shows

    def clean_seen(self) -> None:
        """Refuse to save over changes that this page does not show yet; then show them."""
        seen = self.cleaned_data["seen"]
        later = [] if seen is None else self.changes.filter(pk__gt=seen)
        newer = [event for event in later if self.only & event.details.keys()]
        self.data = data = cast(QueryDict, self.data).copy()
        data["seen"] = str(self._last_change())

        for event in newer:
            self.add_error(None, _change_message(event))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned.pop("seen", None)
        self._clean_crowd_key(cleaned)
        self._clean_default_texts(cleaned)

        for name, why in conflicts(cleaned).items():
            self.add_error(name, str(why))

        return cleaned

    def _clean_crowd_key(self, cleaned: dict[str, Any]) -> None:
        """Check a new key; an empty one keeps the stored key."""
        proof = cleaned.get("crowd_proof", CrowdProof.CODE)
        key = cleaned.pop("crowd_key", "") or self.instance.crowd_key
        if proof == CrowdProof.CODE:
            return

        try:
            check_key(proof, key)
        except InvalidKey:
            message = "Paste the key that verifies the platform's links."
            self.add_error("crowd_key", message)
        cleaned["crowd_key"] = key

    def _clean_default_texts(self, cleaned: dict[str, Any]) -> None:
        """Store default texts as empty, so that they are translated."""
        for step in SWITCHES:
            default = default_text_of(self.instance, step).strip()
            if cleaned.get(step) == default:
                cleaned[step] = ""

    @property
    def cards(self) -> dict[str, list[forms.BoundField]]:
        """The fields of each card, in the order of the settings."""
        cards = {}
        for card, names in CARDS.items():
            if shown := [self[name] for name in names if name in self.fields]:
                cards[card] = shown

        return cards


def _change_message(event: Event) -> str:
    """Return what somebody changed while the page was open."""
    lines = [line.label if line.is_long else str(line) for line in lines_of(event)]
    message = (
        "%(who)s changed the settings while this page was open: %(what)s. "
        "Save again to keep your values."
    )
    return message % {"who": event.by or "Somebody", "what": "; ".join(lines)}


class ExitForm(forms.ModelForm[Exit]):
    class Meta:
        model = Exit
        fields = ["code", "url"]
        labels = {"url": "redirect URL"}
        widgets = {"url": forms.TextInput(attrs={"inputmode": "url"})}

    @property
    def exit_values(self) -> ExitValues:
        return self.cleaned_data["code"], self.cleaned_data["url"]


def exit_forms(
    study: Study, data: Mapping[str, Any] | None, *, may_change: bool
) -> dict[Outcome, ExitForm]:
    """Return a form for the completion code and redirect URL of each outcome."""
    existing = {row.outcome: row for row in study.exits.all()}

    exits = {}
    for outcome in Outcome:
        form = ExitForm(data, instance=existing.get(outcome), prefix=outcome.value)
        for field in form.fields.values():
            field.disabled = not may_change
        exits[outcome] = form

    return exits


class ForecastForm(forms.Form):
    """What the cost of a study is estimated from."""

    wage = forms.FloatField(
        label="pay per hour", min_value=0, max_value=100_000, initial=12
    )
    fee = forms.FloatField(label="fee, %", min_value=0, max_value=1_000, initial=33)
    currency = currency_field()

    def __init__(self, study: Study, data: Mapping[str, Any]) -> None:
        """Take what the study announces where `data` has no other values."""
        defaults = {name: field.initial for name, field in self.base_fields.items()}
        pay = announced_pay(study)
        wage = pay.hourly(announced_minutes(study)) if pay else None
        if pay and wage is not None:
            defaults |= {"wage": round(wage, 2), "currency": pay.currency}
        values = {name: data.get(name, value) for name, value in defaults.items()}
        super().__init__(values)

        for name in ("wage", "fee"):
            self.fields[name].widget.attrs["step"] = "any"

        self.defaults = defaults

    @property
    def values(self) -> dict[str, Any]:
        """The values of the form, the defaults where they are not valid."""
        return self.defaults | self.cleaned_data if self.is_valid() else self.defaults


class StateForm(forms.Form):
    state = forms.ChoiceField(choices=[(state, state) for state in State])


class VotesForm(forms.Form):
    votes = forms.IntegerField(
        label=SETTINGS["votes"].verbose_name, max_value=MAX_VOTES
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"votes": study.votes + 2})
        self.fields["votes"].widget.attrs["min"] = study.votes + 1
