"""Settings of datasets and studies, each declared once.

The columns of the database and their validators, the fields of the settings page, the checks and
the export of dataset.json and study.json, and the data dictionary are made from
`DATASET_SETTINGS` and `STUDY_SETTINGS`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from tercet.analysis import texts
from tercet.analysis.tables.csv_tables import Problem, printable
from tercet.analysis.tables.schema import (
    CONTROLS,
    LONGEST_CODE,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_URL,
)

DATASET_FILE, STUDY_FILE = "dataset.json", "study.json"
DEFUSED = "defused"
"""The setting of dataset.json for escaped cells (`tercet.analysis.tables.csv_injection`)."""

FIRST_VERSION = "0.1"
LARGEST = 2**31 - 1
"""The largest whole number that every database can store."""
MAX_CHECK_RATE = 0.5
"""The largest share of all questions that may be gold, repeats, or both together."""

STEPS = ("consent", "instructions", "comprehension", "practice")
OUTCOMES = ("done", "failed", "screened_out", "no_work", "stopped")
_PARAMETERS = ("person_parameter", "study_parameter", "session_parameter")

ADDRESS = r"^https?://[^\s]+$"
_LANGUAGE_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"
"""A BCP 47 tag: a code of two or three letters, perhaps with a script or region."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""Characters that databases refuse."""
_NO_LIMITS = texts.verbatim("")
"""What is said of the valid values where every one is valid."""


def _(text: str) -> str:
    """Mark a text for translation where it is shown."""
    return text


@dataclass(frozen=True)
class Setting(ABC):
    """A setting of dataset.json or study.json.

    Attributes
    ----------
    name
        Its key in the file, and its column in the database.
    meaning
        A sentence for the data dictionary.
    label, help_text
        Texts of the settings page, in English.
    card
        The card of the settings page that shows it; empty where the page cannot change it.
    unit
        What the value is measured in.
    special
        What a special value means, such as "0: never".
    default
        The value of a new study, and of a study.json that lacks the setting.
    optional
        Whether the value may be null.
    former_name
        Its key in the files of earlier versions.
    since
        The version of Tercet that introduced it.
    """

    kind: ClassVar[str]

    name: str
    meaning: str
    _: KW_ONLY
    label: str = ""
    help_text: str = ""
    card: str = ""
    unit: str = ""
    special: str = ""
    default: Any = None
    optional: bool = False
    former_name: str = ""
    since: str = FIRST_VERSION

    def accepts(self, value: object) -> bool:
        """Whether the value is valid, as it is read from JSON."""
        return (self.optional and value is None) or self._fits(value)

    @abstractmethod
    def _fits(self, value: object) -> bool:
        """Whether a value other than null is valid."""

    @property
    def limits(self) -> texts.Text:
        """The valid values, for the data dictionary and for messages."""
        return _NO_LIMITS

    @property
    def allowed(self) -> texts.Text:
        """The valid values and what special ones mean."""
        special = texts.Text(self.special)
        if not self.special:
            return self.limits
        if self.limits is _NO_LIMITS:
            return special

        both = {"limits": self.limits, "special": special}
        return texts.Text("{limits}; {special}", both)


@dataclass(frozen=True)
class Text(Setting):
    """A text; `pattern` matches the whole of a valid one, and `hint` says what it asks for."""

    kind = _("text")

    _: KW_ONLY
    default: str = ""
    longest: int | None = None
    required: bool = False
    visible: bool = False
    pattern: str = ""
    hint: str = ""

    def _fits(self, value: object) -> bool:
        if not isinstance(value, str):
            return False

        refused = CONTROLS if self.visible else _UNSTORABLE
        is_short = self.longest is None or len(value) <= self.longest
        is_filled = bool(value.strip()) or not self.required
        matches = not self.pattern or re.fullmatch(self.pattern, value)

        return is_short and is_filled and bool(matches) and not refused.search(value)

    @property
    def limits(self) -> texts.Text:
        if not self.longest:
            return _NO_LIMITS
        return texts.gettext("at most {limit:,} characters", limit=self.longest)


@dataclass(frozen=True)
class Whole(Setting):
    """A whole number from `least` to `most`."""

    kind = _("whole number")

    _: KW_ONLY
    least: int = 0
    most: int = LARGEST

    def _fits(self, value: object) -> bool:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return is_whole and self.least <= value <= self.most  # type: ignore[operator]

    @property
    def limits(self) -> texts.Text:
        if self.most == LARGEST:
            return texts.gettext("from {least}", least=self.least)
        return texts.gettext(
            "from {least} to {most:,}", least=self.least, most=self.most
        )


@dataclass(frozen=True)
class Decimal(Setting):
    """A number from 0 to `most`."""

    kind = _("decimal number")

    _: KW_ONLY
    most: float

    def _fits(self, value: object) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and 0 <= value <= self.most  # type: ignore[operator]

    @property
    def limits(self) -> texts.Text:
        return texts.gettext("from 0 to {most:g}", most=self.most)


@dataclass(frozen=True)
class Switch(Setting):
    """True or false."""

    kind = _("true or false")

    _: KW_ONLY
    default: bool = False

    def _fits(self, value: object) -> bool:
        return isinstance(value, bool)

    @property
    def limits(self) -> texts.Text:
        return texts.verbatim("true, false")


@dataclass(frozen=True)
class Choice(Setting):
    """One of `choices`: values with their labels on pages."""

    kind = _("choice")

    _: KW_ONLY
    choices: Mapping[str, str]

    def _fits(self, value: object) -> bool:
        return isinstance(value, str) and value in self.choices

    @property
    def limits(self) -> texts.Text:
        return texts.verbatim(", ".join(self.choices))


@dataclass(frozen=True)
class Choices(Setting):
    """Any number of `choices`, as a list."""

    kind = _("list of choices")

    _: KW_ONLY
    choices: tuple[str, ...]

    def _fits(self, value: object) -> bool:
        return isinstance(value, list) and all(each in self.choices for each in value)

    @property
    def limits(self) -> texts.Text:
        return texts.verbatim(", ".join(self.choices))


@dataclass(frozen=True)
class Exits(Setting):
    """For each outcome, the code and the address (url) that annotators leave with."""

    kind = _("object")

    _: KW_ONLY
    default: dict[str, dict[str, str]] = field(default_factory=dict)

    def _fits(self, value: object) -> bool:
        return isinstance(value, dict) and all(
            outcome in OUTCOMES and _is_exit(exit_) for outcome, exit_ in value.items()
        )

    @property
    def limits(self) -> texts.Text:
        return texts.verbatim(", ".join(OUTCOMES))


_EXIT = {
    "code": Text("code", "", longest=LONGEST_CODE),
    "url": Text("url", "", longest=LONGEST_URL, visible=True, pattern=f"({ADDRESS})?"),
}


def _is_exit(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= _EXIT.keys():
        return False
    return all(_EXIT[name].accepts(text) for name, text in value.items())


DATASET_SETTINGS: tuple[Setting, ...] = (
    Text("title", "What the dataset is called.", longest=LONGEST_TITLE, visible=True),
    Text("description", "What the dataset is.", longest=LONGEST_TITLE, visible=True),
    Text(
        "licence", "On which terms it may be used.", longest=LONGEST_TITLE, visible=True
    ),
    Text("citation", "How to cite it.", longest=LONGEST_TITLE, visible=True),
    Text("url", "Where it comes from.", longest=LONGEST_TITLE, visible=True),
    Switch(
        DEFUSED,
        "Whether cells of this folder that a spreadsheet would run as formulas were escaped: "
        "remove the first apostrophe of each cell that begins with one and continues (after more "
        "quotation marks, perhaps) with = + - @, a tab or a line end.",
        special=_("left out where nothing was escaped"),
    ),
)

STUDY_SETTINGS: tuple[Setting, ...] = (
    Text(
        "title",
        "What the study is called.",
        label=_("title"),
        help_text=_(
            "Annotators see it. Leave empty to name it after dataset and protocol."
        ),
        card="basics",
        longest=LONGEST_TITLE,
    ),
    Choice(
        "protocol",
        "What people were asked. triplet: which of the captions B and C is more similar to the "
        "reference A (no image shown). pairwise: which describes the image shown better.",
        label=_("protocol"),
        default="triplet",
        choices={
            "triplet": _("Triplet: which is more similar to A?"),
            "pairwise": _("Pairwise: which describes the image better?"),
        },
    ),
    Whole(
        "votes",
        "Votes needed for each triplet.",
        label=_("votes per question"),
        help_text=_(
            "An odd number leaves fewer ties. You can add votes later, but not remove any."
        ),
        unit="votes",
        default=3,
        least=1,
        most=1_000,
    ),
    Whole(
        "references",
        "References sampled for each pair; each makes one triplet.",
        label=_("references per pair"),
        help_text=_(
            "Each of them makes a triplet with the pair. Leave empty to use all references of the "
            "image. Pairwise shows the image instead. Metrics use all references in any case."
        ),
        unit="references",
        special=_("null: all of the image"),
        least=1,
        optional=True,
    ),
    Whole(
        "seed",
        "Determines which references are sampled, and the order of the triplets (see "
        "question_order).",
        label=_("seed"),
        help_text=_("The same seed gives the same questions."),
        default=0,
    ),
    Choice(
        "state",
        "Whether the study was collecting votes at the time of the export.",
        default="open",
        choices={
            "draft": _("draft"),
            "open": _("open"),
            "paused": _("paused"),
            "closed": _("closed"),
        },
    ),
    Switch(
        "ties",
        "Whether “can't tell” was offered.",
        label=_("offer “can't tell”"),
        help_text=_("It counts as half a vote for each side."),
        card="basics",
    ),
    Whole(
        "max_judgments",
        "Judgments one person may give, checks included.",
        label=_("judgments per person, at most"),
        help_text=_("Checks count. Leave empty for no limit."),
        card="pace",
        former_name="most",
        unit="judgments",
        special=_("null: no limit"),
        least=1,
        optional=True,
    ),
    Text(
        "language",
        "Language of the captions.",
        label=_("language of the captions"),
        help_text=_(
            "A code such as en, de or pt-BR. Screen readers pronounce the captions in it, the "
            "default texts for annotators are in it where Tercet has them (English elsewhere), and "
            "the results name the metrics that are made for English."
        ),
        card="basics",
        unit="BCP 47 language tag",
        default="en",
        longest=35,
        required=True,
        pattern=_LANGUAGE_TAG,
        hint=_("Write a code such as en, de or pt-BR, not the name of a language."),
    ),
    Text(
        "question",
        "The question that people were asked.",
        label=_("question"),
        help_text=_(
            "With a question of your own, write instructions and practice questions that match "
            "it: the default ones are about captions and are not shown."
        ),
        card="question",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: the standard text"),
        since="0.2",
    ),
    Text(
        "question_help",
        "What stood below the question.",
        label=_("help below the question"),
        card="question",
        longest=LONGEST_TITLE,
        visible=True,
        special=_("empty: none"),
        since="0.2",
    ),
    Text(
        "label_a",
        "What A was called on the page.",
        label=_("label of A"),
        help_text=_("“Original text”, for example."),
        card="question",
        longest=LONGEST_CODE,
        visible=True,
        special=_("empty: the letter A"),
        since="0.2",
    ),
    Text(
        "label_left",
        "What stood above the first option, whichever candidate it was.",
        label=_("label of the first option"),
        help_text=_("“Translation 1”, for example."),
        card="question",
        longest=LONGEST_CODE,
        visible=True,
        special=_("empty: none"),
        since="0.2",
    ),
    Text(
        "label_right",
        "What stood above the second option.",
        label=_("label of the second option"),
        card="question",
        longest=LONGEST_CODE,
        visible=True,
        special=_("empty: none"),
        since="0.2",
    ),
    Text(
        "label_tie",
        "What the option “can't tell” was called.",
        label=_("label of “can't tell”"),
        help_text=_("“Equally good”, for example."),
        card="question",
        longest=LONGEST_CODE,
        visible=True,
        special=_("empty: the standard text"),
        since="0.2",
    ),
    Text(
        "institution",
        "Who was responsible for the study.",
        label=_("institution"),
        help_text=_(
            "Who is responsible: “University of Example, Department of Linguistics”."
        ),
        card="participation",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "contact",
        "Whom people could ask.",
        label=_("contact"),
        help_text=_("For questions and complaints: a name and an email address."),
        card="participation",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "duration",
        "The duration stated to people.",
        label=_("duration"),
        help_text=_("“About 20 minutes”, for example."),
        card="participation",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "pay",
        "What people were paid.",
        label=_("pay"),
        help_text=_(
            "“9 GBP per hour”, for example; “nothing” if taking part is unpaid."
        ),
        card="participation",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "withdrawal",
        "How people could have their data deleted.",
        label=_("withdrawal"),
        help_text=_("How and until when people can have their data deleted."),
        card="participation",
        longest=LONGEST_TITLE,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Choices(
        "steps",
        "Steps before judging.",
        label=_("steps before judging"),
        card="texts",
        default=list(STEPS),
        choices=STEPS,
    ),
    Text(
        "consent",
        "What people agreed to.",
        label=_("consent"),
        card="texts",
        unit="Markdown",
        special=_("empty: the standard text"),
    ),
    Text(
        "instructions",
        "The instructions that people read.",
        label=_("instructions"),
        card="texts",
        unit="Markdown",
        special=_("empty: the standard text"),
    ),
    Text(
        "comprehension",
        "Questions that people had to answer correctly before judging.",
        label=_("comprehension questions"),
        card="texts",
        unit="Markdown task list",
        special=_("empty: the standard text"),
    ),
    Text(
        "practice",
        "Questions that people practised with, each followed by the correct option.",
        label=_("practice questions"),
        card="texts",
        unit="Markdown task list",
        special=_("empty: the standard text"),
    ),
    Text(
        "questionnaire_before",
        "The questionnaire that people filled in after their consent.",
        label=_("questionnaire before judging"),
        card="questionnaires",
        unit="Markdown with fields",
        special=_("empty: none"),
        since="0.2",
    ),
    Text(
        "questionnaire_after",
        "The questionnaire that people filled in after their last judgment.",
        label=_("questionnaire after judging"),
        card="questionnaires",
        unit="Markdown with fields",
        special=_("empty: none"),
        since="0.2",
    ),
    Whole(
        "break_every",
        "Number of judgments after which a break was offered.",
        label=_("judgments between breaks"),
        help_text=_("0: never offer a break."),
        card="pace",
        unit="judgments",
        special=_("0: never"),
        default=50,
    ),
    Whole(
        "offline_questions",
        "Questions that a page held for its person, so that they could be answered offline.",
        label=_("questions loaded in advance"),
        help_text=_(
            "People can answer these without a connection. They are reserved for one person "
            "meanwhile, so a high number delays the end of the study."
        ),
        card="pace",
        unit="questions",
        default=4,
        least=4,
        most=50,
        since="0.2",
    ),
    Switch(
        "skips",
        "Whether people could skip a question, with a reason.",
        label=_("people may skip a question, with a reason"),
        help_text=_(
            "A skipped question goes to somebody else. Everybody can report a problem with a "
            "question."
        ),
        card="pace",
        since="0.2",
    ),
    Choice(
        "question_order",
        "The order in which people were asked the questions. same: everyone in the same order. "
        "shuffled: each person in a random order of their own. blocks: everyone through the same "
        "blocks of 50 questions, each person in a random order within a block.",
        label=_("order of the questions"),
        help_text=_(
            "One order for everyone finishes the questions one by one, but mixes up the effects "
            "of a question and of its position. Blocks are a compromise."
        ),
        card="pace",
        default="same",
        choices={
            "same": _("the same for everyone"),
            "shuffled": _("shuffled for each person"),
            "blocks": _("in blocks of 50, shuffled for each person"),
        },
        since="0.2",
    ),
    Decimal(
        "gold_rate",
        "Share of gold questions, checks with a known answer, among all questions.",
        label=_("share of gold questions"),
        help_text=_(
            "Questions with a known answer, mixed in unnoticed. 0.05 is one in twenty."
        ),
        card="checks",
        unit="share, 0 to 1",
        default=0,
        most=MAX_CHECK_RATE,
    ),
    Decimal(
        "repeat_rate",
        "Share of a person's own questions that were repeated with the sides swapped.",
        label=_("share of repeats"),
        help_text=_(
            "The person's own earlier questions, repeated with the sides swapped."
        ),
        card="checks",
        unit="share, 0 to 1",
        default=0,
        most=MAX_CHECK_RATE,
    ),
    Decimal(
        "min_seconds",
        "Votes given in less time are flagged as too fast.",
        label=_("flag votes faster than (seconds)"),
        help_text=_("The Quality page flags people with many such votes."),
        card="checks",
        former_name="fastest",
        unit="seconds",
        default=1,
        most=600,
    ),
    Decimal(
        "enforced_seconds",
        "Votes were not accepted before this time per question had passed.",
        label=_("reject votes faster than (seconds)"),
        help_text=_(
            "Leave empty for a minimum that depends on the length of the text; 0 accepts every "
            "vote."
        ),
        card="checks",
        unit="seconds",
        special="null: from the length of the text; 0: none",
        most=60,
        optional=True,
    ),
    Switch(
        "stop_early",
        "Whether a pair's triplets were no longer shown once its winner could not change.",
        label=_("stop early once the winner can no longer change"),
        help_text=_(
            "This never changes a winner, but leaves fewer votes to measure agreement."
        ),
        card="checks",
    ),
    Choice(
        "winners",
        "Who decided pairs in the results of the site. votes: their votes only. decisions: a "
        "person where adjudications.csv has a decision, and the votes elsewhere.",
        label=_("winners in the results"),
        help_text=_(
            "Decisions on single pairs are never counted as votes. Compute the results again after "
            "a change."
        ),
        card="results",
        default="votes",
        choices={
            "votes": _("by votes only"),
            "decisions": _("adjudicated pairs by the decision"),
        },
        since="0.2",
    ),
    Choice(
        "accounts",
        "Which accounts may judge.",
        label=_("accounts that may judge"),
        help_text=_(
            "Invited accounts are those with a role on the page “Links and roles”."
        ),
        card="access",
        default="all",
        choices={"all": _("every account"), "invited": _("invited accounts only")},
    ),
    Switch(
        "link_is_open",
        "Whether people could join through the shared link.",
        label=_("people can join through the shared link"),
        card="access",
        default=True,
    ),
    Choice(
        "link_users",
        "Who was to use the shared link. anywhere: people of one network (an IP address, or a /64 "
        "of IPv6) gave at most max(1, (n - 1) // 2) of the n votes of a question. place, unasked: "
        "no such limit.",
        label=_("who will use the shared link?"),
        help_text=_(
            "Anywhere: one network gives at most 1 of 3 votes on a question, 2 of 5, or 3 of 7, so "
            "that one person with many browsers does not decide it. At one place, such as a class "
            "or a laboratory, people share a network, and there is no such limit."
        ),
        card="access",
        default="unasked",
        choices={
            "unasked": _("not asked"),
            "place": _("people at one place"),
            "anywhere": _("people anywhere"),
        },
        since="0.2",
    ),
    Switch(
        "crowd_is_open",
        "Whether people could join through the crowdsourcing link.",
        label=_("people can join through the crowdsourcing link"),
        card="access",
    ),
    Whole(
        "joins_per_hour",
        "New people without an account or a signed link who could join per IP address and hour.",
        label=_("people per IP address and hour"),
        help_text=_(
            "More people behind one IP address wait in a queue. Leave empty for no limit."
        ),
        card="access",
        unit="people",
        special="null: no limit",
        default=60,
        least=1,
        most=100_000,
        optional=True,
    ),
    Text(
        "person_parameter",
        "The URL parameter with the crowdsourcing platform's id of the person.",
        label=_("person"),
        card="parameters",
        default="PROLIFIC_PID",
        longest=LONGEST_CODE,
        required=True,
    ),
    Text(
        "study_parameter",
        "The URL parameter with the crowdsourcing platform's id of the study.",
        label=_("study"),
        card="parameters",
        default="STUDY_ID",
        longest=LONGEST_CODE,
    ),
    Text(
        "session_parameter",
        "The URL parameter with the crowdsourcing platform's id of the session.",
        label=_("session"),
        card="parameters",
        default="SESSION_ID",
        longest=LONGEST_CODE,
    ),
    Switch(
        "collected_elsewhere",
        "Whether the votes were imported without a study.json: texts, annotators and settings are "
        "then unknown, and no more votes are needed than there are.",
        since="0.2",
    ),
    Text(
        "platform_study",
        "The crowdsourcing platform's id of this study; links with another id were refused.",
        label=_("platform's id of this study"),
        help_text=_(
            "Links with another study id are refused. Leave empty to accept any."
        ),
        card="parameters",
        longest=LONGEST_CODE,
        since="0.2",
    ),
    Choice(
        "crowd_proof",
        "How links of the crowdsourcing platform proved who followed them.",
        label=_("how crowdsourcing links prove who people are"),
        card="proof",
        default="code",
        choices={
            "code": _("not at all; in another browser, people enter their resume code"),
            "jwt": _(
                "by a token that Prolific signs and adds (parameter prolific_token)"
            ),
            "hmac": _(
                "by a signature that a server of yours adds (HMAC-SHA256, parameter signature)"
            ),
        },
        since="0.2",
    ),
    Text(
        "recruitment_platform",
        "Where people were recruited.",
        label=_("platform"),
        help_text=_("“Prolific” or “a course at our university”, for example."),
        card="recruitment",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "countries",
        "From which countries people were recruited.",
        label=_("countries"),
        help_text=_("“the United Kingdom and Ireland”, for example."),
        card="recruitment",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "approval_rate",
        "The rate of approved earlier work that people needed to take part.",
        label=_("required approval rate"),
        help_text=_(
            "The rate of approved earlier work that the platform asked for: “at least 95 %”."
        ),
        card="recruitment",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "ethics_approval",
        "Which ethics board approved the study.",
        label=_("ethics approval"),
        help_text=_(
            "Board and number: “the ethics board of the University of Example (2026-17)”."
        ),
        card="recruitment",
        longest=LONGEST_NAME,
        visible=True,
        special=_("empty: not stated"),
        since="0.2",
    ),
    Text(
        "debrief",
        "What people read after their last judgment.",
        label=_("text after the last judgment"),
        help_text=_(
            "What the study was about, for example; you can use Markdown. People who are shown a "
            "text are not redirected automatically."
        ),
        card="ending",
        unit="Markdown",
        special=_("empty: none"),
        since="0.2",
    ),
    Decimal(
        "bonus",
        "Bonus of each person who finished, was not excluded, and gave enough right answers to "
        "gold questions (see bonus_gold).",
        label=_("bonus per person"),
        help_text=_("In the currency of the platform, to the cent; 0 for no bonus."),
        card="bonus",
        unit="currency of the platform",
        special=_("0: none"),
        default=0,
        most=1_000,
        since="0.2",
    ),
    Decimal(
        "bonus_gold",
        "Least share of gold questions answered right for the bonus.",
        label=_("share of gold questions right for the bonus, at least"),
        help_text=_(
            "0.8 is 80 %. Who answered no gold question gets no bonus, unless the share is 0."
        ),
        card="bonus",
        unit="share, 0 to 1",
        default=0.8,
        most=1,
        since="0.2",
    ),
    Exits("exits", "Code and address (url) that people leave with, by outcome."),
)

BY_NAME = {setting.name: setting for setting in STUDY_SETTINGS}
MAX_VOTES: int = BY_NAME["votes"].most  # type: ignore[attr-defined]
"""The largest number of votes per triplet."""


def setting_called(key: str) -> Setting | None:
    """The setting of a study with this name, now or in an earlier version."""
    names = {each.name: each for each in STUDY_SETTINGS}
    former = {each.former_name: each for each in STUDY_SETTINGS if each.former_name}
    return names.get(key) or former.get(key)


def names_of(settings: Iterable[Setting]) -> tuple[str, ...]:
    """The names of the settings, in their order."""
    return tuple(setting.name for setting in settings)


def known(values: Mapping[str, object], settings: Iterable[Setting]) -> dict[str, Any]:
    """The values of known settings, under their present names."""
    keys = {setting.name: _key(setting, values) for setting in settings}
    return {name: values[key] for name, key in keys.items() if key is not None}


def check_settings(
    info: Mapping[str, object], study: Mapping[str, object]
) -> list[Problem]:
    """Check the settings of dataset.json and of study.json."""
    invalid = [
        *_invalid(DATASET_FILE, info, DATASET_SETTINGS),
        *_invalid(STUDY_FILE, study, STUDY_SETTINGS),
    ]
    if invalid:
        return invalid

    return [
        Problem(
            STUDY_FILE,
            None,
            found.setting,
            "",
            texts.gettext("conflicts with other settings"),
            found.text,
        )
        for found in conflicts(known(study, STUDY_SETTINGS))
    ]


@dataclass(frozen=True)
class _Conflict:
    """Why the value of a setting does not go with the others."""

    setting: str
    text: texts.Text


def conflicts(study: Mapping[str, Any]) -> list[_Conflict]:
    """Check valid settings of a study against each other."""
    found = []

    rates = [study.get(name) or 0 for name in ("gold_rate", "repeat_rate")]
    if sum(rates) > MAX_CHECK_RATE:
        text = texts.gettext(
            "Gold and repeats together may not exceed {limit:g}.", limit=MAX_CHECK_RATE
        )
        found.append(_Conflict("repeat_rate", text))

    parameters = [study[name] for name in _PARAMETERS if study.get(name)]
    if len(set(parameters)) < len(parameters):
        text = texts.gettext("Give the three parameters different names.")
        found.append(_Conflict("session_parameter", text))

    return found


def _key(setting: Setting, values: Mapping[str, object]) -> str | None:
    """The key under which a file has the setting, or None."""
    keys = (setting.name, setting.former_name)
    return next((key for key in keys if key in values), None)


def _invalid(
    file: str, values: Mapping[str, object], settings: Iterable[Setting]
) -> Iterable[Problem]:
    """One problem for each setting of a file that has an invalid value."""
    for setting in settings:
        key = _key(setting, values)
        if key is None or setting.accepts(values[key]):
            continue

        value = printable(str(values[key]))
        what = texts.gettext("is not a valid setting")
        yield Problem(file, None, key, value, what, _remedy(setting))


def _remedy(setting: Setting) -> texts.Text:
    """What to do about an invalid value."""
    if isinstance(setting, Text) and setting.hint:
        return texts.Text(setting.hint)

    kind = texts.Text(setting.kind)
    if setting.allowed is _NO_LIMITS:
        return texts.gettext(
            "Give a value of the type {kind}, or remove the setting", kind=kind
        )
    return texts.gettext(
        "Give a value of the type {kind} ({allowed}), or remove the setting",
        kind=kind,
        allowed=setting.allowed,
    )
