"""A challenge: hidden references, to which people submit the captions of their systems."""

import uuid
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.models.base import Owned, among, once
from tercet.annotation.models.computation import Computation, JobState
from tercet.annotation.models.dataset import Dataset
from tercet.annotation.models.study import Study

HIDDEN, DEVELOPMENT = "hidden", "development"
"""The splits of a challenge: the references of the first are never shown."""
_LONGEST_SYSTEM = 80
LONGEST_TEAM = 80
PER_DAY = 5
"""Submissions per account and day, unless owners choose another number: scores tell a little."""
METRICS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D")
"""The metrics of the COCO caption evaluation, which a challenge may have."""

ALL_REFERENCES = "all"
"""How people write the reference count None."""


def counts_text(counts: Iterable[int | None]) -> str:
    """Return reference counts as they are typed."""
    words = [ALL_REFERENCES if count is None else str(count) for count in counts]
    return ", ".join(words)


class Submitters(models.TextChoices):
    """Which accounts may submit."""

    ALL = "all", "every account"
    INVITED = "invited", "accounts with a role in this challenge"


class ScoresShown(models.TextChoices):
    """From when scores are shown to others than the owners."""

    AT_ONCE = "at_once", "at once"
    AFTER_END = "after_end", "after the end"


class Audience(models.TextChoices):
    """Who sees the leaderboard, besides the owners."""

    PUBLIC = "public", "everybody, without an account"
    SUBMITTERS = "submitters", "accounts that may submit"
    OWNERS = "owners", "nobody else"


class ChallengeRank(models.TextChoices):
    """What an account may do in one challenge."""

    OWNER = "owner", "owner"
    SUBMITTER = "submitter", "submitter"


class ChallengeProgress(models.TextChoices):
    """Whether a challenge takes submissions now."""

    PLANNED = "planned", "not open yet"
    DEVELOPMENT = "development", "development phase"
    OPEN = "open", "open"
    CLOSED = "closed", "closed"


class Challenge(Owned):
    """A challenge. `counts` are reference counts; None in them means all references.

    `revision` grows with everything that changes the leaderboard, `board_revision` is the one
    that the stored leaderboard was computed for, at `board_at`. `board_people` is the state of
    the studies that its human column was computed from.
    """

    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    rules = models.TextField("rules (Markdown)", blank=True)

    dataset = models.ForeignKey(
        Dataset,
        models.PROTECT,
        related_name="challenges",
        verbose_name="hidden references",
        help_text="A dataset without studies: studies show references to people.",
    )
    development = models.ForeignKey(
        Dataset,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="public development split",
        help_text="Optional: submitters may download this dataset, and have captions of its "
        "images scored, too.",
    )
    metrics = models.JSONField(default=list)
    counts = models.JSONField(default=list)
    seed = models.PositiveIntegerField(
        default=0,
        help_text="Of random captions, intervals and tests; it also decides which images people "
        "judge.",
    )

    opens_at = models.DateTimeField(
        "opens (UTC)", null=True, blank=True, help_text="Leave empty to open at once."
    )
    test_from = models.DateTimeField(
        "test phase begins (UTC)",
        null=True,
        blank=True,
        help_text="Until then, in a development phase, only captions of the development split "
        "are taken. Leave empty for none.",
    )
    closes_at = models.DateTimeField(
        "closes (UTC)", null=True, blank=True, help_text="Leave empty for no end."
    )
    per_day = models.PositiveIntegerField(
        "submissions per account or team and day",
        null=True,
        blank=True,
        default=PER_DAY,
        help_text="Leave empty for any number. A day begins at midnight UTC.",
    )
    in_all = models.PositiveIntegerField(
        "submissions per account or team in all",
        null=True,
        blank=True,
        help_text="Leave empty for any number.",
    )
    submitters = models.CharField(
        "who may submit", max_length=10, choices=Submitters, default=Submitters.ALL
    )
    join_code = models.CharField(
        max_length=40,
        blank=True,
        db_default="",
        default="",
        editable=False,
        help_text="of the link by which accounts enrol; empty while it is closed",
    )

    scores_shown = models.CharField(
        "scores are shown",
        max_length=10,
        choices=ScoresShown,
        default=ScoresShown.AT_ONCE,
    )
    leaderboard = models.CharField(
        "who sees the leaderboard",
        max_length=10,
        choices=Audience,
        default=Audience.PUBLIC,
    )
    anonymous = models.BooleanField(
        "hide the names of systems",
        default=False,
        help_text="Others see “System 1” instead, until you switch this off.",
    )

    revision = models.PositiveIntegerField(default=0)
    board_revision = models.PositiveIntegerField(default=0)
    board_people = models.TextField(blank=True, editable=False)
    board_at = models.DateTimeField(null=True, editable=False)

    class Meta(Owned.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(per_day__gte=1) & Q(in_all__gte=1),
                name="challenge_limits_from_1",
            ),
            models.CheckConstraint(
                condition=Q(opens_at__lt=F("closes_at")),
                name="challenge_opens_before_it_closes",
            ),
            models.CheckConstraint(
                condition=Q(test_from=None)
                | Q(development__isnull=False)
                & (Q(opens_at=None) | Q(opens_at__lt=F("test_from")))
                & (Q(closes_at=None) | Q(test_from__lt=F("closes_at"))),
                name="challenge_test_phase_between",
            ),
            models.CheckConstraint(
                condition=Q(submitters__in=Submitters.values)
                & Q(scores_shown__in=ScoresShown.values)
                & Q(leaderboard__in=Audience.values),
                name="challenge_choices",
            ),
            models.CheckConstraint(
                condition=~Q(dataset=F("development")), name="challenge_two_datasets"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        """Check that its phases follow each other, in words."""
        if self.opens_at and self.closes_at and self.opens_at >= self.closes_at:
            message = "A challenge closes after it opens."
            raise ValidationError({"closes_at": message})
        if fault := self._test_phase_fault():
            raise ValidationError({"test_from": fault})

    def _test_phase_fault(self) -> str:
        """Return why the test phase cannot begin when it should, or nothing."""
        if self.test_from is None:
            return ""
        if self.development is None:
            return "Only a challenge with a development split has two phases."
        if self.opens_at and self.opens_at >= self.test_from:
            return "The test phase begins after the challenge opens."
        if self.closes_at and self.closes_at <= self.test_from:
            return "The test phase begins before the challenge closes."
        return ""

    @property
    def progress(self) -> ChallengeProgress:
        now = timezone.now()
        if self.opens_at and now < self.opens_at:
            return ChallengeProgress.PLANNED
        if self.closes_at and now >= self.closes_at:
            return ChallengeProgress.CLOSED
        if self.test_from and now < self.test_from:
            return ChallengeProgress.DEVELOPMENT
        return ChallengeProgress.OPEN

    @property
    def phase(self) -> str:
        """What its progress is called: after a development phase, it is open for the test phase."""
        progress = self.progress
        if progress == ChallengeProgress.OPEN and self.test_from:
            return "test phase"
        return str(progress.label)

    @property
    def is_open(self) -> bool:
        is_listed = self.archived_at is None and self.purge_at is None
        takes_files = self.progress in (
            ChallengeProgress.DEVELOPMENT,
            ChallengeProgress.OPEN,
        )
        return takes_files and is_listed

    @property
    def shows_scores(self) -> bool:
        """Whether scores on the hidden split are shown to others than the owners."""
        is_over = self.progress == ChallengeProgress.CLOSED
        return self.scores_shown == ScoresShown.AT_ONCE or is_over

    @property
    def splits(self) -> dict[str, Dataset]:
        """The datasets of its splits, the hidden one first."""
        splits = {HIDDEN: self.dataset}
        if self.development:
            splits[DEVELOPMENT] = self.development
        return splits

    @property
    def splits_taken(self) -> dict[str, Dataset]:
        """The splits that submissions have captions of now; they must have the first."""
        splits = self.splits
        if self.progress == ChallengeProgress.DEVELOPMENT:
            del splits[HIDDEN]
        return splits

    @property
    def splits_closed(self) -> set[str]:
        """The splits that submissions have no captions of now."""
        return self.splits.keys() - self.splits_taken.keys()

    @property
    def folder(self) -> Path:
        """The folder of scores and leaderboards."""
        return settings.MEDIA_ROOT / "challenges" / str(self.pk)

    @property
    def counts_text(self) -> str:
        return counts_text(self.counts)

    def board_file(self, split: str) -> Path:
        return self.folder / f"board-{split}.json"


class ChallengeTeam(models.Model):
    """Accounts that submit together: what one submits is of all, and limits are of the team."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="teams")
    name = models.CharField(max_length=LONGEST_TEAM)

    class Meta:
        constraints = [once("challenge_team_once", "challenge", "name")]

    def __str__(self) -> str:
        return self.name

    @property
    def members(self) -> list[str]:
        """The names of its accounts."""
        names = self.roles.values_list("user__username", flat=True)
        return list(names.order_by("user__username"))


class ChallengeRole(models.Model):
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="roles")
    user = models.ForeignKey(User, models.PROTECT, related_name="challenge_roles")
    rank = models.CharField(max_length=10, choices=ChallengeRank)
    team = models.ForeignKey(
        ChallengeTeam, models.CASCADE, null=True, related_name="roles"
    )

    class Meta:
        constraints = [
            once("challenge_role_once", "challenge", "user"),
            among("challenge_role_rank", "rank", ChallengeRank.values),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.rank} of {self.challenge}"


class _SubmissionQuerySet(models.QuerySet["Submission"]):
    def counted(self) -> "_SubmissionQuerySet":
        """Those that use up an attempt: all but those whose scoring failed."""
        return self.exclude(state=JobState.FAILED)

    def scored(self) -> "_SubmissionQuerySet":
        return self.filter(state=JobState.DONE)

    def listed(self) -> "_SubmissionQuerySet":
        """Those that neither owners hide nor their submitters have withdrawn."""
        return self.filter(shown=True, withdrawn=False)

    def of(self, user: User, team: ChallengeTeam | None) -> "_SubmissionQuerySet":
        """Select the submissions of a team, or of an account that is in none."""
        return self.filter(team=team) if team else self.filter(user=user, team=None)


def file_path(submission: "Submission", name: str) -> str:
    """Return where the file of a submission is kept."""
    suffix = Path(name).suffix.lower()
    return f"challenges/{submission.challenge_id}/{submission.key}{suffix}"


class Submission(Computation):
    """The captions of one system. `number` counts the submissions of a challenge from 1."""

    challenge = models.ForeignKey(Challenge, models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField()
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, models.PROTECT, related_name="submissions")
    team = models.ForeignKey(
        ChallengeTeam, models.PROTECT, null=True, related_name="submissions"
    )

    system = models.CharField("name of the system", max_length=_LONGEST_SYSTEM)
    description = models.TextField(blank=True)
    link = models.URLField("link to a paper or to code", blank=True)
    training = models.CharField("what it was trained on", max_length=500, blank=True)

    file = models.FileField(upload_to=file_path)
    file_name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    signature = models.TextField(blank=True)
    splits = models.JSONField(default=list)
    shown = models.BooleanField(default=True, help_text="Its owners do not hide it.")
    withdrawn = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its submitter has taken it off the leaderboard.",
    )
    final = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its team or account is ranked with it alone.",
    )
    on_board = models.BooleanField(
        default=False, help_text="It stands on the stored leaderboard."
    )

    objects = _SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        constraints = [
            once("submission_number_once", "challenge", "number"),
            models.CheckConstraint(
                condition=Q(number__gte=1), name="submission_number_from_1"
            ),
            once("submission_final_of_team", "team", where=Q(final=True)),
            once(
                "submission_final_of_account",
                "challenge",
                "user",
                where=Q(final=True, team=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} ({self.number})"

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.challenge.name, self.key])

    @property
    def is_listed(self) -> bool:
        """Whether neither owners hide it nor its submitter has withdrawn it."""
        return self.shown and not self.withdrawn

    @property
    def is_hidden_scored(self) -> bool:
        """Whether it has captions of the hidden split."""
        return HIDDEN in self.splits

    @property
    def can_be_final(self) -> bool:
        """Whether it stands on the leaderboard of the hidden split, and so may count alone."""
        return self.on_board and self.is_listed and self.is_hidden_scored

    @property
    def entrant(self) -> tuple[int | None, int | None]:
        """The team that it is of, or the account."""
        return self.team_id, None if self.team_id else self.user_id

    @property
    def row(self) -> str:
        """The name of its row on the leaderboard."""
        return str(self.number)

    @property
    def alias(self) -> str:
        """Its name while names are hidden."""
        return str(f"System {self.number}")

    def scores_file(self, split: str) -> Path:
        return self.challenge.folder / f"{self.key}-{split}.npz"

    def captions_file(self, split: str) -> Path:
        """The captions as they were read, in the order of the images, as JSON."""
        return self.challenge.folder / f"{self.key}-{split}-captions.json"


class FileCheck(models.Model):
    """An account had a result file checked; kept to limit how often."""

    user = models.ForeignKey(User, models.CASCADE, related_name="file_checks")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Check of a file by {self.user} at {self.created_at}"


class _ComparisonManager(models.Manager["ChallengeStudy"]):
    """Hides the comparisons whose studies are deleted."""

    def get_queryset(self) -> models.QuerySet["ChallengeStudy"]:
        rows = super().get_queryset()
        return rows.filter(study__purge_at=None)


class ChallengeStudy(models.Model):
    """A study in which people compare submissions of a challenge."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="comparisons")
    study = models.OneToOneField(Study, models.CASCADE, related_name="comparison")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = _ComparisonManager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.challenge}: {self.study}"


class ChallengeToken(models.Model):
    """With which programs submit for an account; only its SHA-256 digest is stored."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="tokens")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [once("challenge_token_once", "challenge", "user")]

    def __str__(self) -> str:
        return f"Challenge token {self.pk}"
