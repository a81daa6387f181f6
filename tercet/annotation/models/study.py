"""A study: one protocol run over one dataset, with its settings, roles and log."""

import secrets
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q, Value

from tercet.analysis.dataset.sentence_rules import SentenceRule
from tercet.analysis.tables.languages import LANGUAGE_HINT, LANGUAGE_TAG
from tercet.analysis.tables.protocol_settings import (
    BY_IMAGE,
    BY_REFERENCE,
    RATING,
    SENTENCE,
)
from tercet.analysis.tables.schema import (
    CONTROLS,
    LONGEST_CODE,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_URL,
)
from tercet.analysis.tables.settings import MAX_VOTES
from tercet.annotation.models.base import Owned, among, once
from tercet.annotation.models.dataset import Dataset


class State(models.TextChoices):
    """New questions are given out while a study is open; votes on those given out always count."""

    DRAFT = "draft", "draft"
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


class Step(models.TextChoices):
    """What an annotator goes through, in this order; each is a switch of the study."""

    CONSENT = "consent", "Consent"
    INSTRUCTIONS = "instructions", "Instructions"
    COMPREHENSION = "comprehension", "Comprehension questions"
    PRACTICE = "practice", "Practice with feedback"
    JUDGING = "judging", "Judging"


SWITCHES = [step for step in Step if step != Step.JUDGING]
RULES = {
    SentenceRule.SHORT: "fewer words than asked for",
    SentenceRule.OPENING: "begins with “there is” or “there are”",
    SentenceRule.SPEECH: "quotation marks, “I”, “we” or “you”",
    SentenceRule.TENSE: "past or future: will, was, were, had, going to",
    SentenceRule.NAME: "a name: a capital inside the sentence",
    SentenceRule.ADDRESS: "an address of a website or of email",
    SentenceRule.REPEATED: "nearly equal to another sentence of the image or person",
    SentenceRule.LANGUAGE: "not in the language of the study",
}
LISTS: dict[str, dict[str, str]] = {
    "steps": {step.value: str(step.label) for step in SWITCHES},
    "sentence_rules": {rule.value: label for rule, label in RULES.items()},
}
"""What the settings that are lists may hold, with its names."""


class Time(models.TextChoices):
    """When a questionnaire is filled in."""

    BEFORE = "before", "Questionnaire before judging"
    AFTER = "after", "Questionnaire after judging"


class Accounts(models.TextChoices):
    """Which accounts may judge."""

    ALL = "all", "every account"
    INVITED = "invited", "invited accounts only"


class LinkUsers(models.TextChoices):
    """Who uses the shared link; only links for people anywhere limit networks."""

    UNASKED = "unasked", "not asked"
    PLACE = "place", "people at one place"
    ANYWHERE = "anywhere", "people anywhere"


class Order(models.TextChoices):
    """In which order annotators are asked the questions."""

    SAME = "same", "the same for everyone"
    SHUFFLED = "shuffled", "shuffled for each person"
    BLOCKS = "blocks", "in blocks of 50, shuffled for each person"


class CrowdProof(models.TextChoices):
    """How a link of a crowdsourcing platform proves who follows it."""

    CODE = "code", "not at all; in another browser, people enter their resume code"
    JWT = "jwt", "by a token that Prolific signs and adds (parameter prolific_token)"
    HMAC = (
        "hmac",
        "by a signature that a server of yours adds (HMAC-SHA256, parameter signature)",
    )


class RuleAction(models.TextChoices):
    """What happens to a sentence that breaks a rule; in either case its author is told."""

    MARK = "mark", "mark the sentence for the review"
    BLOCK = "block", "do not accept the sentence"


MAX_CHECK_RATE = 0.5
"""The largest share of all questions that may be gold, repeats, or both together."""
LARGEST = 2**31 - 1
"""The largest whole number that every database can store."""
_ADDRESS = r"^https?://[^\s]+\Z"


def join_code() -> str:
    return secrets.token_urlsafe(12)


def _between(least: float, most: float = LARGEST) -> list[Any]:
    return [MinValueValidator(least), MaxValueValidator(most)]


def are_steps(value: object) -> None:
    """Refuse what is not a list of steps that can be switched."""
    if not isinstance(value, list) or not all(each in SWITCHES for each in value):
        raise ValidationError(f"Give a list of steps: {', '.join(SWITCHES)}.")


def are_rules(value: object) -> None:
    """Refuse what is not a list of rules for sentences."""
    if not isinstance(value, list) or not all(each in RULES for each in value):
        raise ValidationError(f"Give a list of rules: {', '.join(SentenceRule)}.")


_no_controls = RegexValidator(
    CONTROLS, "Remove the control characters.", inverse_match=True
)

# Columns that version 0.1 did not have keep their default in the database, so that processes of an
# earlier version can still insert rows.
_NEW_TEXT: dict[str, Any] = {"blank": True, "default": "", "db_default": ""}
_LONG_LINE: dict[str, Any] = {
    **_NEW_TEXT,
    "max_length": LONGEST_TITLE,
    "validators": [_no_controls],
}
_LINE = {**_LONG_LINE, "max_length": LONGEST_NAME}
_LABEL = {**_LONG_LINE, "max_length": LONGEST_CODE}


class StudySettings(models.Model):
    """The settings of a study: its fields are the keys of study.json, in this order.

    The settings page, the checks of study.json, its export and its data dictionary are made from
    them (`tercet.annotation.studies.study_file`).
    """

    title = models.CharField(
        max_length=LONGEST_TITLE,
        blank=True,
        help_text="Annotators see it. Leave empty to name it after dataset and protocol.",
    )
    protocol = models.CharField(
        max_length=10,
        choices=[
            (BY_REFERENCE, "Triplet: which is more similar to A?"),
            (BY_IMAGE, "Pairwise: which describes the image better?"),
            (RATING, "Rating: how good is a caption?"),
            (SENTENCE, "Sentence: people describe the image"),
        ],
        default=BY_REFERENCE,
    )
    votes = models.PositiveIntegerField(
        "votes per question",
        validators=_between(1, MAX_VOTES),
        default=3,
        help_text="An odd number leaves fewer ties. You can add votes later, but not remove any.",
    )
    references = models.PositiveIntegerField(
        "references per pair",
        validators=_between(1),
        null=True,
        blank=True,
        help_text=(
            "Each of them makes a triplet with the pair. Leave empty to use all references of the "
            "image. Pairwise shows the image instead. Metrics use all references in any case."
        ),
    )
    seed = models.PositiveIntegerField(
        validators=_between(0),
        default=0,
        help_text="The same seed gives the same questions.",
    )
    state = models.CharField(
        max_length=10,
        choices=State,
        default=State.OPEN,
        help_text="Whether the study is collecting votes.",
    )
    ties = models.BooleanField(
        "offer “can't tell”",
        default=False,
        help_text=(
            "Of a choice, it counts as half a vote for each side; of a rating, as no rating."
        ),
    )
    scale = models.PositiveSmallIntegerField(
        "points of the scale",
        choices=[
            (2, "two: one of the captions"),
            (5, "five: much better, better, equal"),
        ],
        default=2,
        db_default=2,
        help_text=(
            "Five points also say how much better a caption is, and offer “equal” instead of "
            "“can't tell”. Winners count choices all the same."
        ),
    )
    max_judgments = models.PositiveIntegerField(
        "judgments per person, at most",
        validators=_between(1),
        null=True,
        blank=True,
        help_text="Checks count. Leave empty for no limit.",
    )
    min_words = models.PositiveIntegerField(
        "fewest words of a sentence",
        validators=_between(1, 50),
        default=8,
        db_default=8,
        help_text="COCO asked for 8. In scripts without spaces, characters are counted.",
    )
    sentence_rules = models.JSONField(
        "rules for sentences",
        default=partial(list, [*LISTS["sentence_rules"]]),
        db_default=Value([*LISTS["sentence_rules"]], models.JSONField()),
        validators=[are_rules],
        blank=True,
        help_text=(
            "Rules of wording (opening, speech, tense) are known for English, German, Spanish, "
            "French and Chinese; in other languages no sentence breaks them."
        ),
    )
    rule_action = models.CharField(
        "what a broken rule does",
        max_length=5,
        choices=RuleAction,
        default=RuleAction.MARK,
        db_default=RuleAction.MARK,
        help_text="The person is told what to change before the sentence is saved.",
    )
    language = models.CharField(
        "language of the captions",
        max_length=35,
        validators=[RegexValidator(LANGUAGE_TAG, LANGUAGE_HINT)],
        default="en",
        help_text=(
            "A code such as en, de or pt-BR. Screen readers pronounce the captions in it, the "
            "default texts for annotators are in it where Tercet has them (English elsewhere), "
            "and the results name the metrics that are made for English."
        ),
    )
    question = models.CharField(
        help_text=(
            "With a question of your own, write instructions and practice questions that match "
            "it: the default ones are about captions and are not shown."
        ),
        **_LINE,
    )
    question_help = models.CharField(
        "help below the question",
        help_text="A line that stands below the question.",
        **_LONG_LINE,
    )
    label_a = models.CharField(
        "label of A", help_text="“Original text”, for example.", **_LABEL
    )
    label_left = models.CharField(
        "label of the first option", help_text="“Translation 1”, for example.", **_LABEL
    )
    label_right = models.CharField(
        "label of the second option",
        help_text="“Translation 2”, for example.",
        **_LABEL,
    )
    label_tie = models.CharField(
        "label of “can't tell”", help_text="“Equally good”, for example.", **_LABEL
    )
    aspects = models.TextField(
        "aspects and scales",
        help_text=(
            "1 to 8 questions, each with its scale below it, such as [correctness: grades, 1 to 5] "
            "or [overall: slider, 0 to 100], and labels for both ends or every grade."
        ),
        **_NEW_TEXT,
    )
    shows_image = models.BooleanField(
        "show the image beside the caption", default=False, db_default=False
    )
    shows_references = models.BooleanField(
        "show the references of the image beside the caption",
        default=False,
        db_default=False,
    )
    institution = models.CharField(
        help_text="Who is responsible: “University of Example, Department of Linguistics”.",
        **_LINE,
    )
    contact = models.CharField(
        help_text="For questions and complaints: a name and an email address.", **_LINE
    )
    duration = models.CharField(help_text="“About 20 minutes”, for example.", **_LINE)
    pay = models.CharField(
        help_text="“9 GBP per hour”, for example; “nothing” if taking part is unpaid.",
        **_LINE,
    )
    withdrawal = models.CharField(
        help_text="How and until when people can have their data deleted.", **_LONG_LINE
    )
    steps = models.JSONField(
        "steps before judging",
        default=partial(list, SWITCHES),
        validators=[are_steps],
        blank=True,
    )
    consent = models.TextField("consent", blank=True, help_text="What people agree to.")
    instructions = models.TextField(
        "instructions", blank=True, help_text="The instructions that people read."
    )
    comprehension = models.TextField(
        "comprehension questions",
        blank=True,
        help_text="Questions that people answer correctly before they judge.",
    )
    practice = models.TextField(
        "practice questions",
        blank=True,
        help_text="Questions that people practise with; each is followed by the correct option.",
    )
    questionnaire_before = models.TextField("questionnaire before judging", **_NEW_TEXT)
    questionnaire_after = models.TextField("questionnaire after judging", **_NEW_TEXT)
    break_every = models.PositiveIntegerField(
        "judgments between breaks",
        validators=_between(0),
        default=50,
        help_text="0: never offer a break.",
    )
    offline_questions = models.PositiveIntegerField(
        "questions loaded in advance",
        validators=_between(4, 50),
        default=4,
        db_default=4,
        help_text=(
            "People can answer these without a connection. They are reserved for one person "
            "meanwhile, so a high number delays the end of the study."
        ),
    )
    skips = models.BooleanField(
        "people may skip a question, with a reason",
        default=False,
        db_default=False,
        help_text=(
            "A skipped question goes to somebody else. Everybody can report a problem with a "
            "question."
        ),
    )
    question_order = models.CharField(
        "order of the questions",
        max_length=10,
        choices=Order,
        default=Order.SAME,
        db_default=Order.SAME,
        help_text=(
            "One order for everyone finishes the questions one by one, but mixes up the effects "
            "of a question and of its position. Blocks are a compromise."
        ),
    )
    gold_rate = models.FloatField(
        "share of gold questions",
        validators=_between(0, MAX_CHECK_RATE),
        default=0,
        help_text="Questions with a known answer, mixed in unnoticed. 0.05 is one in twenty.",
    )
    repeat_rate = models.FloatField(
        "share of repeats",
        validators=_between(0, MAX_CHECK_RATE),
        default=0,
        help_text="The person's own earlier questions, repeated with the sides swapped.",
    )
    min_seconds = models.FloatField(
        "flag votes faster than (seconds)",
        validators=_between(0, 600),
        default=1,
        help_text="The Quality page flags people with many such votes.",
    )
    enforced_seconds = models.FloatField(
        "reject votes faster than (seconds)",
        validators=_between(0, 60),
        null=True,
        blank=True,
        help_text=(
            "Leave empty for a minimum that depends on the length of the text; 0 accepts every "
            "vote."
        ),
    )
    stop_early = models.BooleanField(
        "stop early once the winner can no longer change",
        default=False,
        help_text="This never changes a winner, but leaves fewer votes to measure agreement.",
    )
    winners = models.CharField(
        "winners in the results",
        max_length=10,
        choices=[
            ("votes", "by votes only"),
            ("decisions", "adjudicated pairs by the decision"),
        ],
        default="votes",
        db_default="votes",
        help_text=(
            "Decisions on single pairs are never counted as votes. Compute the results again "
            "after a change."
        ),
    )
    accounts = models.CharField(
        "accounts that may judge",
        max_length=10,
        choices=Accounts,
        default=Accounts.ALL,
        help_text="Invited accounts are those with a role on the page “Links and roles”.",
    )
    link_is_open = models.BooleanField(
        "people can join through the shared link", default=True
    )
    link_users = models.CharField(
        "who will use the shared link?",
        max_length=10,
        choices=LinkUsers,
        default=LinkUsers.UNASKED,
        db_default=LinkUsers.UNASKED,
        help_text=(
            "Anywhere: one network gives at most 1 of 3 votes on a question, 2 of 5, or 3 of 7, "
            "so that one person with many browsers does not decide it. At one place, such as a "
            "class or a laboratory, people share a network, and there is no such limit."
        ),
    )
    crowd_is_open = models.BooleanField(
        "people can join through the crowdsourcing link", default=False
    )
    joins_per_hour = models.PositiveIntegerField(
        "people per IP address and hour",
        validators=_between(1, 100_000),
        default=60,
        null=True,
        blank=True,
        help_text="More people behind one IP address wait in a queue. Leave empty for no limit.",
    )
    person_parameter = models.CharField(
        "person",
        max_length=LONGEST_CODE,
        default="PROLIFIC_PID",
        help_text="The URL parameter with the crowdsourcing platform's id of the person.",
    )
    study_parameter = models.CharField(
        "study",
        max_length=LONGEST_CODE,
        blank=True,
        default="STUDY_ID",
        help_text="The URL parameter with the crowdsourcing platform's id of the study.",
    )
    session_parameter = models.CharField(
        "session",
        max_length=LONGEST_CODE,
        blank=True,
        default="SESSION_ID",
        help_text="The URL parameter with the crowdsourcing platform's id of the session.",
    )
    collected_elsewhere = models.BooleanField(
        default=False,
        db_default=False,
        help_text=(
            "Whether the votes were imported without a study.json: texts, annotators and settings "
            "are then unknown, and no more votes are needed than there are."
        ),
    )
    platform_study = models.CharField(
        "platform's id of this study",
        max_length=LONGEST_CODE,
        help_text="Links with another study id are refused. Leave empty to accept any.",
        **_NEW_TEXT,
    )
    crowd_proof = models.CharField(
        "how crowdsourcing links prove who people are",
        max_length=10,
        choices=CrowdProof,
        default=CrowdProof.CODE,
        db_default=CrowdProof.CODE,
    )
    recruitment_platform = models.CharField(
        "platform",
        help_text="“Prolific” or “a course at our university”, for example.",
        **_LINE,
    )
    countries = models.CharField(
        help_text="“the United Kingdom and Ireland”, for example.", **_LINE
    )
    approval_rate = models.CharField(
        "required approval rate",
        help_text=(
            "The rate of approved earlier work that the platform asked for: “at least 95 %”."
        ),
        **_LINE,
    )
    ethics_approval = models.CharField(
        help_text="Board and number: “the ethics board of the University of Example (2026-17)”.",
        **_LINE,
    )
    debrief = models.TextField(
        "text after the last judgment",
        help_text=(
            "What the study was about, for example; you can use Markdown. People who are shown a "
            "text are not redirected automatically."
        ),
        **_NEW_TEXT,
    )

    class Meta:
        abstract = True


class Study(StudySettings, Owned):
    """A study."""

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
    def offers_tie(self) -> bool:
        """Whether annotators may choose neither caption."""
        return self.ties or self.scale != 2

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
    """The redirect URL and the completion code after one outcome; empty: a random code."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="exits")
    outcome = models.CharField(max_length=12, choices=Outcome)
    code = models.CharField(
        max_length=LONGEST_CODE, blank=True, validators=[_no_controls]
    )
    url = models.CharField(
        "address to go on to",
        max_length=LONGEST_URL,
        blank=True,
        validators=[
            RegexValidator(_ADDRESS, "Give a whole address that begins with https://."),
            _no_controls,
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
