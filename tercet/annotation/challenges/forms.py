"""Forms of challenges: their settings, submissions, and studies."""

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files.uploadedfile import UploadedFile

from tercet.analysis.tables.csv_injection import is_formula
from tercet.annotation.challenges.references import available_metrics, in_board_order
from tercet.annotation.challenges.submissions import Details
from tercet.annotation.models import Challenge, Dataset, Submission
from tercet.annotation.models.challenge import ALL_REFERENCES, METRICS, counts_text
from tercet.annotation.money import CURRENCY, currency_field

MAX_COUNTS, MAX_COUNT = 5, 1_000
_LONGEST_DESCRIPTION = 5_000
"""Characters of what a submitter says about a system."""
DEFAULT_SYSTEMS, DEFAULT_IMAGES, DEFAULT_VOTES, DEFAULT_WAGE = 4, 50, 3, 12
"""What a study of submissions takes unless its owner says otherwise."""
MAX_COMPARED, MAX_QUESTIONS = 20, 10_000
"""How many submissions a study compares, and about how many pairs of captions it asks."""


_FIXED = ("dataset", "development", "counts", "seed")
"""The settings that stay as they are once a challenge is created."""
GROUPS = (
    ("About", ("title", "description", "rules")),
    ("What is scored", (*_FIXED, "metrics")),
    ("When and how often", ("opens_at", "test_from", "closes_at", "per_day", "in_all")),
    (
        "Who may do and see what",
        ("submitters", "leaderboard", "scores_shown", "anonymous"),
    ),
)
"""The settings of a challenge under the headings of their page."""


class _CountsField(forms.CharField):
    """Reference counts, comma separated, such as `5, 40`; `all` stands for all references."""

    def prepare_value(self, value: Any) -> Any:
        return counts_text(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[int | None]:
        return read_counts(super().clean(value))


def read_counts(text: str) -> list[int | None]:
    """Return the reference counts that are written; raises ValidationError."""
    counts = list(dict.fromkeys(map(_count, text.split(","))))
    if len(counts) > MAX_COUNTS:
        message = "Give at most %(most)s reference counts."
        raise forms.ValidationError(message % {"most": MAX_COUNTS})

    return counts


def _count(text: str) -> int | None:
    text = text.strip().lower()
    if text == ALL_REFERENCES:
        return None
    if text.isdecimal() and 0 < int(text) < MAX_COUNT:
        return int(text)

    message = (
        "“%(text)s” is no reference count. Write whole numbers above 0, or all, separated by "
        "commas."
    )
    raise forms.ValidationError(message % {"text": text})


def _time_input() -> forms.DateTimeInput:
    return forms.DateTimeInput({"type": "datetime-local"}, "%Y-%m-%dT%H:%M")


class ChallengeForm(forms.ModelForm[Challenge]):
    """The settings of a challenge. Its references stay as they are, its metrics once they score."""

    metrics = forms.MultipleChoiceField(
        label="Metrics",
        choices=lambda: [(name, name) for name in available_metrics()],
        initial=list(METRICS),
        widget=forms.CheckboxSelectMultiple,
        help_text=(
            "The leaderboard is first ordered by the last of its metrics: CIDEr-D, unless one "
            "from outside is chosen."
        ),
    )

    class Meta:
        model = Challenge
        fields = [name for _, names in GROUPS for name in names if name not in _FIXED]
        widgets = {
            "description": forms.Textarea(attrs={"rows": 3}),
            "rules": forms.Textarea(attrs={"rows": 8}),
            "opens_at": _time_input(),
            "test_from": _time_input(),
            "closes_at": _time_input(),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        is_new = self.instance.pk is None
        if not is_new and self.instance.submissions.exists():
            del self.fields["metrics"]
        if not (is_new or self.instance.development):
            del self.fields["test_from"]

    def clean_metrics(self) -> list[str]:
        return in_board_order(self.cleaned_data["metrics"])

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """Yield the headings of the page, each with its fields that the form has."""
        for title, names in GROUPS:
            fields = [self[name] for name in names if name in self.fields]
            if fields:
                yield str(title), fields


class NewChallengeForm(ChallengeForm):
    """A new challenge of a dataset."""

    counts = _CountsField(
        label="Reference counts",
        initial=ALL_REFERENCES,
        help_text=(
            "Comma separated, such as 5, 40. Each has a leaderboard of its own; “all” uses all "
            "references of an image."
        ),
    )

    class Meta(ChallengeForm.Meta):
        fields = [name for _, names in GROUPS for name in names]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        current = Dataset.objects.filter(archived_at=None)
        public = Challenge.objects.exclude(development=None).values("development")
        compared = current.filter(studies__comparison__isnull=False)

        unused = current.filter(studies=None)
        hidden = unused.exclude(pk__in=public)
        not_hidden = current.filter(challenges=None)
        shown = not_hidden.exclude(pk__in=compared)
        fields: dict[str, Any] = self.fields
        fields["dataset"].queryset = hidden
        fields["dataset"].empty_label = "choose a dataset"
        fields["development"].queryset = shown
        fields["development"].empty_label = "none"


class SubmissionForm(forms.ModelForm[Submission]):
    """The captions of a system, and what its submitter says about it."""

    file = forms.FileField(
        label="Result file",
        help_text=(
            "COCO results (JSON), a CSV file with the columns image and caption, or a zip of such "
            "files."
        ),
        widget=forms.FileInput(attrs={"accept": ".json,.csv,.zip"}),
    )
    description = forms.CharField(
        label="Description",
        max_length=_LONGEST_DESCRIPTION,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    class Meta:
        model = Submission
        fields = ["file", "system", "description", "link", "training"]
        field_classes = {"link": partial(forms.URLField, assume_scheme="https")}
        widgets = {"training": forms.TextInput()}

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.SUBMISSION_LIMIT:
            message = "The file is larger than %(limit)s MB."
            limit = intcomma(settings.SUBMISSION_LIMIT // 2**20)
            raise forms.ValidationError(message % {"limit": limit})

        return file

    def clean_system(self) -> str:
        name = " ".join(self.cleaned_data["system"].split())
        if not name.isprintable():
            message = "The name has characters that cannot be seen."
            raise forms.ValidationError(message)
        if is_formula(name):
            raise forms.ValidationError(
                "A spreadsheet would run this name as a formula. Begin with a letter or a digit."
            )

        return name

    def details(self) -> Details:
        """Return what a submitter says about a system, in a valid form."""
        return Details(
            **{each.name: self.cleaned_data[each.name] for each in fields(Details)}
        )


class DetailsForm(SubmissionForm):
    """What is said about a submission, to change it."""

    file = None  # type: ignore[assignment]

    class Meta(SubmissionForm.Meta):
        fields = ["system", "description", "link", "training"]


class ComparisonForm(forms.Form):
    """Which submissions people compare, on how many images. Without data, it has defaults."""

    submissions_chosen = forms.ModelMultipleChoiceField(
        label="Submissions",
        queryset=Submission.objects.none(),
        widget=forms.CheckboxSelectMultiple,
    )
    human = forms.BooleanField(
        label="Compare them with a human caption, too",
        required=False,
        help_text="The last reference of each image. People who judge see it.",
    )
    images = forms.IntegerField(
        label="Images, chosen at random", min_value=1, max_value=5_000
    )
    votes = forms.IntegerField(label="Votes per question", min_value=1, max_value=99)
    wage = forms.FloatField(
        label="Pay per hour, to estimate the cost", min_value=0, max_value=10_000
    )
    currency = currency_field()

    def __init__(self, challenge: Challenge, data: Any = None) -> None:
        listed = challenge.submissions.scored().listed()
        hidden = [each.pk for each in listed if each.is_hidden_scored]
        comparable = listed.filter(pk__in=hidden)
        self.submissions = comparable.order_by("number")
        super().__init__(self._defaults(challenge) if data is None else data)

        field: Any = self.fields["submissions_chosen"]
        field.queryset = self.submissions

    def _defaults(self, challenge: Challenge) -> dict[str, Any]:
        latest_first = self.submissions.order_by("-number")
        newest = latest_first[:DEFAULT_SYSTEMS]
        images = challenge.dataset.images.count()
        return {
            "submissions_chosen": [each.pk for each in newest],
            "images": min(DEFAULT_IMAGES, images),
            "votes": DEFAULT_VOTES,
            "wage": DEFAULT_WAGE,
            "currency": CURRENCY,
        }

    def clean(self) -> dict[str, Any]:
        """Refuse a study of one source, or too large to be created while its owner waits."""
        if self.errors:
            return self.cleaned_data

        chosen = self.cleaned_data["submissions_chosen"]
        sources = len(chosen)
        sources += self.cleaned_data["human"]
        questions = self.cleaned_data["images"] * sources * (sources - 1) // 2
        if sources < 2:
            message = "Choose two submissions, or one and the human caption."
            self.add_error("submissions_chosen", message)
        elif sources > MAX_COMPARED:
            message = "Choose at most %(most)s submissions."
            self.add_error("submissions_chosen", message % {"most": MAX_COMPARED})
        elif questions > MAX_QUESTIONS:
            message = (
                "These are %(questions)s questions; a study has at most %(most)s. Choose fewer "
                "images or submissions."
            )
            sizes = {"questions": intcomma(questions), "most": intcomma(MAX_QUESTIONS)}
            self.add_error("images", message % sizes)
        return self.cleaned_data
