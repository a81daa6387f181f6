"""The settings of datasets and studies, each declared once.

The columns of the database with their types and validators, the columns that a vote loads, the
fields of the settings page, the checks and the export of dataset.json and study.json, and the data
dictionary are made from these declarations.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Literal

from tercet.analysis.number_texts import written
from tercet.analysis.tables.csv_tables import Problem
from tercet.analysis.tables.languages import with_language_code
from tercet.analysis.tables.protocol_settings import BY_IMAGE, BY_REFERENCE
from tercet.analysis.tables.schema import LONGEST_CODE, LONGEST_NAME, LONGEST_TITLE
from tercet.analysis.tables.settings import (
    Choice,
    Choices,
    Decimal,
    Exits,
    Setting,
    Switch,
    Text,
    Whole,
    declared_in,
    invalid,
    known,
)

DATASET_FILE, STUDY_FILE = "dataset.json", "study.json"

MAX_CHECK_RATE = 0.5
"""The largest share of all questions that may be gold, repeats, or both together."""

Winners = Literal["votes", "decisions"]
STEPS = ("consent", "instructions", "comprehension", "practice")
_REMOVED = ("bonus", "bonus_gold")
"""Settings of version 0.2."""
_PARAMETERS = ("person_parameter", "study_parameter", "session_parameter")
_LANGUAGE_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"
"""A BCP 47 tag: a code of two or three letters, perhaps with a script or region."""


_new_text = partial(Text, since="0.2")
_wording = partial(
    _new_text,
    card="question",
    longest=LONGEST_CODE,
    visible=True,
    special="empty: none",
)
_stated = partial(
    _new_text, longest=LONGEST_NAME, visible=True, special="empty: not stated"
)
_participation = partial(_stated, card="participation")
_recruitment = partial(_stated, card="recruitment")
_step_text = partial(
    Text, card="texts", unit="Markdown", special="empty: the standard text"
)
_questionnaire = partial(
    _new_text,
    card="questionnaires",
    unit="Markdown with fields",
    special="empty: none",
    per_vote=True,
)
_parameter = partial(Text, card="parameters", longest=LONGEST_CODE)
_described = partial(Text, longest=LONGEST_TITLE, visible=True)
_share = partial(Decimal, unit="share, 0 to 1")


class _DatasetSettings:
    """The settings of dataset.json."""

    title = _described("What the dataset is called.")
    description = _described("What the dataset is.")
    licence = _described("On which terms it may be used.")
    citation = _described("How to cite it.")
    url = _described("Where it comes from.")
    origin = _described(
        "The published datasets that its images and captions are from, such as Flickr8k.",
        since="0.4",
    )
    defused = Switch(
        "Whether cells of this folder that a spreadsheet would run as formulas were escaped: "
        "remove the first apostrophe of each cell that begins with one and continues (after more "
        "quotation marks, perhaps) with = + - @, a tab or a line end.",
        special="left out where nothing was escaped",
    )


class StudyColumns:
    """The settings of a study that are columns of its table."""

    title = Text(
        "What the study is called.",
        "title",
        "Annotators see it. Leave empty to name it after dataset and protocol.",
        card="basics",
        longest=LONGEST_TITLE,
    )
    protocol = Choice(
        "What people were asked. triplet: which of the captions B and C is more similar to the "
        "reference A (no image shown). pairwise: which describes the image shown better.",
        "protocol",
        default=BY_REFERENCE,
        choices={
            BY_REFERENCE: "Triplet: which is more similar to A?",
            BY_IMAGE: "Pairwise: which describes the image better?",
        },
        per_vote=True,
    )
    votes = Whole(
        "Votes needed for each triplet.",
        "votes per question",
        (
            "An odd number leaves fewer ties. You can add votes later, but not remove any."
        ),
        unit="votes",
        default=3,
        least=1,
        most=1_000,
    )
    references = Whole(
        "References sampled for each pair; each makes one triplet.",
        "references per pair",
        (
            "Each of them makes a triplet with the pair. Leave empty to use all references of the "
            "image. Pairwise shows the image instead. Metrics use all references in any case."
        ),
        unit="references",
        special="null: all of the image",
        least=1,
    ).or_null()
    seed = Whole(
        "Determines which references are sampled, and the order of the triplets (see "
        "question_order).",
        "seed",
        "The same seed gives the same questions.",
        default=0,
    )
    state = Choice(
        "Whether the study was collecting votes at the time of the export.",
        default="open",
        choices={
            "draft": "draft",
            "open": "open",
            "paused": "paused",
            "closed": "closed",
        },
        per_vote=True,
    )
    ties = Switch(
        "Whether “can't tell” was offered.",
        "offer “can't tell”",
        "It counts as half a vote for each side.",
        card="basics",
        per_vote=True,
    )
    max_judgments = Whole(
        "Judgments one person may give, checks included.",
        "judgments per person, at most",
        "Checks count. Leave empty for no limit.",
        card="pace",
        former_name="most",
        unit="judgments",
        special="null: no limit",
        least=1,
        per_vote=True,
    ).or_null()
    language = Text(
        "Language of the captions.",
        "language of the captions",
        (
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
        hint="Write a code such as en, de or pt-BR, not the name of a language.",
    )
    question = _wording(
        "The question that people were asked.",
        "question",
        (
            "With a question of your own, write instructions and practice questions that match "
            "it: the default ones are about captions and are not shown."
        ),
        longest=LONGEST_NAME,
        special="empty: the standard text",
    )
    question_help = _wording(
        "What stood below the question.",
        "help below the question",
        longest=LONGEST_TITLE,
    )
    label_a = _wording(
        "What A was called on the page.",
        "label of A",
        "“Original text”, for example.",
        special="empty: the letter A",
    )
    label_left = _wording(
        "What stood above the first option, whichever candidate it was.",
        "label of the first option",
        "“Translation 1”, for example.",
    )
    label_right = _wording(
        "What stood above the second option.", "label of the second option"
    )
    label_tie = _wording(
        "What the option “can't tell” was called.",
        "label of “can't tell”",
        "“Equally good”, for example.",
        special="empty: the standard text",
    )
    institution = _participation(
        "Who was responsible for the study.",
        "institution",
        "Who is responsible: “University of Example, Department of Linguistics”.",
    )
    contact = _participation(
        "Whom people could ask.",
        "contact",
        "For questions and complaints: a name and an email address.",
    )
    duration = _participation(
        "The duration stated to people.", "duration", "“About 20 minutes”, for example."
    )
    pay = _participation(
        "What people were paid.",
        "pay",
        "“9 GBP per hour”, for example; “nothing” if taking part is unpaid.",
    )
    withdrawal = _participation(
        "How people could have their data deleted.",
        "withdrawal",
        "How and until when people can have their data deleted.",
        longest=LONGEST_TITLE,
    )
    steps = Choices(
        "Steps before judging.",
        "steps before judging",
        card="texts",
        default=list(STEPS),
        choices=STEPS,
        per_vote=True,
    )
    consent = _step_text("What people agreed to.", "consent")
    instructions = _step_text("The instructions that people read.", "instructions")
    comprehension = _step_text(
        "Questions that people had to answer correctly before judging.",
        "comprehension questions",
        unit="Markdown task list",
    )
    practice = _step_text(
        "Questions that people practised with, each followed by the correct option.",
        "practice questions",
        unit="Markdown task list",
    )
    questionnaire_before = _questionnaire(
        "The questionnaire that people filled in after their consent.",
        "questionnaire before judging",
    )
    questionnaire_after = _questionnaire(
        "The questionnaire that people filled in after their last judgment.",
        "questionnaire after judging",
    )
    break_every = Whole(
        "Number of judgments after which a break was offered.",
        "judgments between breaks",
        "0: never offer a break.",
        card="pace",
        unit="judgments",
        special="0: never",
        default=50,
        per_vote=True,
    )
    offline_questions = Whole(
        "Questions that a page held for its person, so that they could be answered offline.",
        "questions loaded in advance",
        (
            "People can answer these without a connection. They are reserved for one person "
            "meanwhile, so a high number delays the end of the study."
        ),
        card="pace",
        unit="questions",
        default=4,
        least=4,
        most=50,
        since="0.2",
        per_vote=True,
    )
    skips = Switch(
        "Whether people could skip a question, with a reason.",
        "people may skip a question, with a reason",
        (
            "A skipped question goes to somebody else. Everybody can report a problem with a "
            "question."
        ),
        card="pace",
        since="0.2",
        per_vote=True,
    )
    question_order = Choice(
        "The order in which people were asked the questions. same: everyone in the same order. "
        "shuffled: each person in a random order of their own. blocks: everyone through the same "
        "blocks of 50 questions, each person in a random order within a block.",
        "order of the questions",
        (
            "One order for everyone finishes the questions one by one, but mixes up the effects "
            "of a question and of its position. Blocks are a compromise."
        ),
        card="pace",
        default="same",
        choices={
            "same": "the same for everyone",
            "shuffled": "shuffled for each person",
            "blocks": "in blocks of 50, shuffled for each person",
        },
        since="0.2",
        per_vote=True,
    )
    gold_rate = _share(
        "Share of gold questions, checks with a known answer, among all questions.",
        "share of gold questions",
        "Questions with a known answer, mixed in unnoticed. 0.05 is one in twenty.",
        card="checks",
        default=0,
        most=MAX_CHECK_RATE,
        per_vote=True,
    )
    repeat_rate = _share(
        "Share of a person's own questions that were repeated with the sides swapped.",
        "share of repeats",
        "The person's own earlier questions, repeated with the sides swapped.",
        card="checks",
        default=0,
        most=MAX_CHECK_RATE,
        per_vote=True,
    )
    min_seconds = Decimal(
        "Votes given in less time are flagged as too fast.",
        "flag votes faster than (seconds)",
        "The Quality page flags people with many such votes.",
        card="checks",
        former_name="fastest",
        unit="seconds",
        default=1,
        most=600,
    )
    enforced_seconds = Decimal(
        "Votes were not accepted before this time per question had passed.",
        "reject votes faster than (seconds)",
        (
            "Leave empty for a minimum that depends on the length of the text; 0 accepts every "
            "vote."
        ),
        card="checks",
        unit="seconds",
        special="null: from the length of the text; 0: none",
        most=60,
        per_vote=True,
    ).or_null()
    stop_early = Switch(
        "Whether a pair's triplets were no longer shown once its winner could not change.",
        "stop early once the winner can no longer change",
        "This never changes a winner, but leaves fewer votes to measure agreement.",
        card="checks",
        per_vote=True,
    )
    winners = Choice[Winners](
        "Who decided pairs in the results of the site. votes: their votes only. decisions: a "
        "person where adjudications.csv has a decision, and the votes elsewhere.",
        "winners in the results",
        (
            "Decisions on single pairs are never counted as votes. Compute the results again after "
            "a change."
        ),
        card="results",
        default="votes",
        choices={
            "votes": "by votes only",
            "decisions": "adjudicated pairs by the decision",
        },
        since="0.2",
    )
    accounts = Choice(
        "Which accounts may judge.",
        "accounts that may judge",
        "Invited accounts are those with a role on the page “Links and roles”.",
        card="access",
        default="all",
        choices={"all": "every account", "invited": "invited accounts only"},
    )
    link_is_open = Switch(
        "Whether people could join through the shared link.",
        "people can join through the shared link",
        card="access",
        default=True,
    )
    link_users = Choice(
        "Who was to use the shared link. anywhere: people of one network (an IP address, or a /48 "
        "of IPv6) gave at most max(1, (n - 1) // 2) of the n votes of a question. place, unasked: "
        "no such limit.",
        "who will use the shared link?",
        (
            "Anywhere: one network gives at most 1 of 3 votes on a question, 2 of 5, or 3 of 7, so "
            "that one person with many browsers does not decide it. At one place, such as a class "
            "or a laboratory, people share a network, and there is no such limit."
        ),
        card="access",
        default="unasked",
        choices={
            "unasked": "not asked",
            "place": "people at one place",
            "anywhere": "people anywhere",
        },
        since="0.2",
        per_vote=True,
    )
    crowd_is_open = Switch(
        "Whether people could join through the crowdsourcing link.",
        "people can join through the crowdsourcing link",
        card="access",
    )
    joins_per_hour = Whole(
        "New people without an account or a signed link who could join per IP address and hour.",
        "people per IP address and hour",
        (
            "More people behind one IP address wait in a queue. Leave empty for no limit."
        ),
        card="access",
        unit="people",
        special="null: no limit",
        default=60,
        least=1,
        most=100_000,
    ).or_null()
    person_parameter = _parameter(
        "The URL parameter with the crowdsourcing platform's id of the person.",
        "person",
        default="PROLIFIC_PID",
        required=True,
    )
    study_parameter = _parameter(
        "The URL parameter with the crowdsourcing platform's id of the study.",
        "study",
        default="STUDY_ID",
    )
    session_parameter = _parameter(
        "The URL parameter with the crowdsourcing platform's id of the session.",
        "session",
        default="SESSION_ID",
    )
    collected_elsewhere = Switch(
        "Whether the votes were imported without a study.json: texts, annotators and settings are "
        "then unknown, and no more votes are needed than there are.",
        since="0.2",
    )
    platform_study = _parameter(
        "The crowdsourcing platform's id of this study; links with another id were refused.",
        "platform's id of this study",
        "Links with another study id are refused. Leave empty to accept any.",
        since="0.2",
    )
    crowd_proof = Choice(
        "How links of the crowdsourcing platform proved who followed them.",
        "how crowdsourcing links prove who people are",
        card="proof",
        default="code",
        choices={
            "code": "not at all; in another browser, people enter their resume code",
            "jwt": (
                "by a token that Prolific signs and adds (parameter prolific_token)"
            ),
            "hmac": (
                "by a signature that a server of yours adds (HMAC-SHA256, parameter signature)"
            ),
        },
        since="0.2",
    )
    recruitment_platform = _recruitment(
        "Where people were recruited.",
        "platform",
        "“Prolific” or “a course at our university”, for example.",
    )
    countries = _recruitment(
        "From which countries people were recruited.",
        "countries",
        "“the United Kingdom and Ireland”, for example.",
    )
    approval_rate = _recruitment(
        "The rate of approved earlier work that people needed to take part.",
        "required approval rate",
        (
            "The rate of approved earlier work that the platform asked for: “at least 95 %”."
        ),
    )
    ethics_approval = _recruitment(
        "Which ethics board approved the study.",
        "ethics approval",
        (
            "Board and number: “the ethics board of the University of Example (2026-17)”."
        ),
    )
    debrief = _new_text(
        "What people read after their last judgment.",
        "text after the last judgment",
        (
            "What the study was about, for example; you can use Markdown. People who are shown a "
            "text are not redirected automatically."
        ),
        card="ending",
        unit="Markdown",
        special="empty: none",
    )


class _StudySettings(StudyColumns):
    """All settings of study.json."""

    exits = Exits("Code and address (url) that people leave with, by outcome.")


DATASET_SETTINGS = declared_in(_DatasetSettings)
DEFUSED = _DatasetSettings.defused.name
"""The setting of dataset.json for escaped cells (`tercet.analysis.tables.csv_injection`)."""
STUDY_SETTINGS = declared_in(_StudySettings)
BY_NAME = {setting.name: setting for setting in STUDY_SETTINGS}
PER_VOTE = [setting.name for setting in STUDY_SETTINGS if setting.per_vote]
"""What the site reads for every question and vote."""
MAX_VOTES = StudyColumns.votes.most
"""The largest number of votes per triplet."""


def setting_called(key: str) -> Setting[Any] | None:
    """Return the setting of a study with this name, now or in an earlier version."""
    former = {each.former_name: each for each in STUDY_SETTINGS if each.former_name}
    return BY_NAME.get(key) or former.get(key)


def names_of(settings: Iterable[Setting[Any]]) -> tuple[str, ...]:
    """Return the names of the settings, in their order."""
    return tuple(setting.name for setting in settings)


def upgraded(study: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a study.json of any version, and warnings of what is read otherwise."""
    values, warnings = with_language_code(study)
    ignored = [name for name in _REMOVED if name in values]
    if ignored:
        warnings.append(
            f"study.json: this version has no bonuses and ignores {', '.join(ignored)}"
        )

    return values, warnings


def check_settings(
    info: Mapping[str, object], study: Mapping[str, object]
) -> list[Problem]:
    """Check the settings of dataset.json and of study.json."""
    problems = [
        *invalid(DATASET_FILE, info, DATASET_SETTINGS),
        *invalid(STUDY_FILE, study, STUDY_SETTINGS),
    ]
    if problems:
        return problems

    what = "conflicts with other settings"
    settings = known(study, STUDY_SETTINGS)
    found = conflicts(settings)
    return [Problem(STUDY_FILE, what, why, column=name) for name, why in found.items()]


def conflicts(study: Mapping[str, Any]) -> dict[str, str]:
    """Check valid settings against each other: why one does not go with others, by its name."""
    found = {}

    rates = [study.get(name) or 0 for name in ("gold_rate", "repeat_rate")]
    if sum(rates) > MAX_CHECK_RATE:
        text = (
            f"Gold and repeats together may not exceed {written(MAX_CHECK_RATE, 'g')}."
        )
        found["repeat_rate"] = text

    parameters = [study[name] for name in _PARAMETERS if study.get(name)]
    if len(set(parameters)) < len(parameters):
        text = "Give the three parameters different names."
        found["session_parameter"] = text

    return found
