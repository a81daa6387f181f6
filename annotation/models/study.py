"""A study: one protocol run over one dataset, with its flow, its checks and its doors."""

import secrets

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from analysis.dataset.study_settings import LARGEST, MOST_CHECKS, MOST_VOTES
from annotation.models.dataset import Dataset


class Protocol(models.TextChoices):
    TRIPLET = "triplet", _("Triplet: which is more similar to A?")
    PAIRWISE = "pairwise", _("Pairwise: which describes the image better?")


class State(models.TextChoices):
    """New questions are given out while a study is open; votes on those given out always count."""

    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")


class Step(models.TextChoices):
    """What an annotator goes through, in this order; each is a switch of the study."""

    CONSENT = "consent", _("Consent")
    INSTRUCTIONS = "instructions", _("Instructions")
    COMPREHENSION = "comprehension", _("Comprehension questions")
    PRACTICE = "practice", _("Practice with feedback")
    JUDGING = "judging", _("Judging")


SWITCHES = [step for step in Step if step != Step.JUDGING]


class Accounts(models.TextChoices):
    """Which accounts may judge."""

    ALL = "all", _("every account")
    INVITED = "invited", _("invited accounts only")


COUNT = [MinValueValidator(1), MaxValueValidator(LARGEST)]
VOTES = [MinValueValidator(1), MaxValueValidator(MOST_VOTES)]
RATE = [MinValueValidator(0), MaxValueValidator(MOST_CHECKS)]
LANGUAGE_TAG = RegexValidator(
    r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
    _("Use a language tag such as en, de, ar or zh-Hans."),
)


def join_code() -> str:
    return secrets.token_urlsafe(12)


def all_steps() -> list[str]:
    return [step.value for step in SWITCHES]


class Study(models.Model):
    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="studies")
    name = models.SlugField(max_length=120, unique=True)
    title = models.CharField(
        _("title"),
        max_length=2000,
        blank=True,
        help_text=_("Annotators see it. Empty: named after the dataset and the protocol."),
    )
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    protocol = models.CharField(
        _("protocol"), max_length=10, choices=Protocol, default=Protocol.TRIPLET
    )
    votes = models.PositiveIntegerField(_("votes a triplet"), default=3, validators=VOTES)
    references = models.PositiveIntegerField(
        _("references a pair"),
        null=True,
        blank=True,
        validators=COUNT,
        help_text=_("So many are drawn for each pair. Empty: all that its image has."),
    )
    seed = models.PositiveIntegerField(
        _("seed"), default=0, validators=[MaxValueValidator(LARGEST)]
    )
    ties = models.BooleanField(
        _("offer “can't tell”"),
        default=False,
        help_text=_("It counts as half a vote for each side."),
    )
    most = models.PositiveIntegerField(
        _("judgments a person may give"),
        null=True,
        blank=True,
        validators=COUNT,
        help_text=_("Checks included. Empty: as many as there are."),
    )
    language = models.CharField(
        _("language of the captions"), max_length=35, default="en", validators=[LANGUAGE_TAG]
    )

    steps = models.JSONField(_("steps before judging"), default=all_steps, blank=True)
    consent = models.TextField(_("consent"), blank=True)
    instructions = models.TextField(_("instructions"), blank=True)
    comprehension = models.TextField(_("comprehension questions"), blank=True)
    practice = models.TextField(_("practice questions"), blank=True)
    break_every = models.PositiveIntegerField(
        _("offer a break every so many judgments"),
        default=50,
        validators=[MaxValueValidator(LARGEST)],
        help_text=_("0: never."),
    )

    gold_rate = models.FloatField(
        _("share of gold triplets"),
        default=0,
        validators=RATE,
        help_text=_("Questions with a known answer, mixed in unseen: 0.05 is one in twenty."),
    )
    repeat_rate = models.FloatField(
        _("share of repeats"),
        default=0,
        validators=RATE,
        help_text=_("The person's own earlier questions, asked again with the sides swapped."),
    )
    fastest = models.FloatField(
        _("speed floor in seconds"),
        default=1,
        validators=[MinValueValidator(0), MaxValueValidator(600)],
        help_text=_("A vote given faster was hardly read."),
    )
    stop_early = models.BooleanField(
        _("stop a pair once its lead exceeds what is left"),
        default=False,
        help_text=_("This never changes a winner; it leaves fewer votes to study agreement with."),
    )

    accounts = models.CharField(
        _("accounts that may judge"), max_length=10, choices=Accounts, default=Accounts.ALL
    )
    link_is_open = models.BooleanField(_("the shared link lets people in"), default=True)
    crowd_is_open = models.BooleanField(_("the crowd link lets people in"), default=False)
    person_parameter = models.CharField(_("person"), max_length=60, default="PROLIFIC_PID")
    study_parameter = models.CharField(_("study"), max_length=60, default="STUDY_ID", blank=True)
    session_parameter = models.CharField(
        _("session"), max_length=60, default="SESSION_ID", blank=True
    )
    join_code = models.CharField(max_length=20, unique=True, default=join_code, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=Q(votes__gte=1), name="study_votes_from_1"),
            models.CheckConstraint(
                condition=Q(protocol__in=Protocol.values), name="study_protocol"
            ),
            models.CheckConstraint(condition=Q(state__in=State.values), name="study_state"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.name])

    @property
    def shows_image(self) -> bool:
        return self.protocol == Protocol.PAIRWISE

    @property
    def is_open(self) -> bool:
        return self.state == State.OPEN


class Outcome(models.TextChoices):
    """How an annotator's way through a study ended."""

    DONE = "done", _("done")
    FAILED = "failed", _("failed the comprehension questions")
    SCREENED_OUT = "screened_out", _("did not consent")
    NO_WORK = "no_work", _("found no question left")


class Exit(models.Model):
    """Where people leave to after one outcome, and with which code; empty: a code of their own."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="exits")
    outcome = models.CharField(max_length=12, choices=Outcome)
    code = models.CharField(_("code"), max_length=60, blank=True)
    url = models.CharField(
        _("address to go on to"),
        max_length=2000,
        blank=True,
        validators=[
            RegexValidator(
                r"^https?://[^\s]+$", _("Give a whole address that begins with https://.")
            )
        ],
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "outcome"], name="exit_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.outcome}"


class Rank(models.TextChoices):
    """What an account may do in one study."""

    OWNER = "owner", _("owner")
    RESEARCHER = "researcher", _("researcher")
    ANNOTATOR = "annotator", _("annotator")


class Role(models.Model):
    study = models.ForeignKey(Study, models.CASCADE, related_name="roles")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="study_roles")
    rank = models.CharField(max_length=10, choices=Rank)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="role_once"),
            models.CheckConstraint(condition=Q(rank__in=Rank.values), name="role_rank"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.rank} of {self.study}"


class Event(models.Model):
    """One line of the audit log: what was done to a study, when and by whom. Never edited.

    An account that stands in it cannot be deleted, only made inactive.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    what = models.CharField(max_length=40)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.what}"
