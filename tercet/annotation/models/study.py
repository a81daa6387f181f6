"""A study: one protocol run over one dataset, with its settings, roles and log."""

import secrets
from enum import StrEnum

from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from tercet.analysis.tables.schema import LONGEST_CODE, LONGEST_URL
from tercet.analysis.tables.settings import ADDRESS
from tercet.analysis.tables.study_settings import StudyColumns
from tercet.annotation.models.base import Owned, among, once
from tercet.annotation.models.dataset import Dataset
from tercet.annotation.models.setting_columns import with_setting_columns


class State(StrEnum):
    """New questions are given out while a study is open; votes on those given out always count."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Step(models.TextChoices):
    """What an annotator goes through, in this order; each is a switch of the study."""

    CONSENT = "consent", "Consent"
    INSTRUCTIONS = "instructions", "Instructions"
    COMPREHENSION = "comprehension", "Comprehension questions"
    PRACTICE = "practice", "Practice with feedback"
    JUDGING = "judging", "Judging"


SWITCHES = [step for step in Step if step != Step.JUDGING]


class Time(models.TextChoices):
    """When a questionnaire is filled in."""

    BEFORE = "before", "Questionnaire before judging"
    AFTER = "after", "Questionnaire after judging"


class Accounts(StrEnum):
    """Which accounts may judge."""

    ALL = "all"
    INVITED = "invited"


class LinkUsers(StrEnum):
    """Who uses the shared link; only links for people anywhere limit networks."""

    UNASKED = "unasked"
    PLACE = "place"
    ANYWHERE = "anywhere"


class Order(StrEnum):
    """In which order annotators are asked the questions."""

    SAME = "same"
    SHUFFLED = "shuffled"
    BLOCKS = "blocks"


class CrowdProof(StrEnum):
    """How a link of a crowdsourcing platform proves who follows it."""

    CODE = "code"
    JWT = "jwt"
    HMAC = "hmac"


def join_code() -> str:
    return secrets.token_urlsafe(12)


@with_setting_columns
class Study(StudyColumns, Owned):
    """A study. The columns of its settings are made from `StudyColumns`."""

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="studies")
    name = models.SlugField(max_length=120, unique=True)

    crowd_key = models.TextField(
        blank=True, editable=False, help_text="Verifies signed links; never exported."
    )
    network_key = models.CharField(
        max_length=64,
        db_default="",
        default="",
        editable=False,
        help_text="Makes codes of networks; destroyed when the study closes.",
    )
    crowd_code = models.CharField(
        max_length=20, default=join_code, db_default="", editable=False
    )
    join_code = models.CharField(
        max_length=20, unique=True, default=join_code, editable=False
    )
    is_example = models.BooleanField(
        default=False,
        editable=False,
        help_text="Everybody may see its result on the start page.",
    )

    class Meta(Owned.Meta):
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(votes__gte=1), name="study_votes_from_1"
            ),
            among("study_state", "state", State),
            once("crowd_code_once", "crowd_code", where=~Q(crowd_code="")),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        return self.state == State.OPEN

    @property
    def is_underway(self) -> bool:
        """Whether votes may still be changed: it is open or paused, and not in the archive."""
        in_progress = self.state in {State.OPEN, State.PAUSED}
        return in_progress and self.archived_at is None


class Outcome(models.TextChoices):
    """How an annotator's way through a study ended."""

    DONE = "done", "done"
    FAILED = "failed", "failed the comprehension questions"
    SCREENED_OUT = "screened_out", "did not consent"
    NO_WORK = "no_work", "no questions left"
    STOPPED = "stopped", "stopped early"


class Exit(models.Model):
    """Where people leave to after one outcome, and with which code; empty: a code of their own."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="exits")
    outcome = models.CharField(max_length=12, choices=Outcome)
    code = models.CharField("code", max_length=LONGEST_CODE, blank=True)
    url = models.CharField(
        "address to go on to",
        max_length=LONGEST_URL,
        blank=True,
        validators=[
            RegexValidator(ADDRESS, "Give a whole address that begins with https://.")
        ],
    )

    class Meta:
        constraints = [once("exit_once", "study", "outcome")]

    def __str__(self) -> str:
        return f"{self.study}: {self.outcome}"


class Rank(models.TextChoices):
    """What an account may do in one study."""

    OWNER = "owner", "owner"
    ADJUDICATOR = "adjudicator", "adjudicator"
    RESEARCHER = "researcher", "researcher"
    ANNOTATOR = "annotator", "annotator"


class Role(models.Model):
    study = models.ForeignKey(Study, models.CASCADE, related_name="roles")
    user = models.ForeignKey(User, models.PROTECT, related_name="study_roles")
    rank = models.CharField(max_length=20, choices=Rank)

    class Meta:
        constraints = [
            once("role_once", "study", "user"),
            among("role_rank", "rank", Rank.values),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.rank} of {self.study}"


class Event(models.Model):
    """One line of the audit log: what was done to a study, when and by whom.

    Without a study, it is about a dataset or about a study that was deleted.
    Never edited, except that erasing a person replaces their names.
    An account that stands in it cannot be deleted, only made inactive.
    """

    study = models.ForeignKey(Study, models.CASCADE, null=True, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    what = models.CharField(max_length=40)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.what}"
