"""The texts of a study: its own, or the default ones for its protocol."""

from collections.abc import Callable

from django.conf import settings
from django.utils.translation import get_supported_language_variant, override
from django.utils.translation import gettext_lazy as _

from tercet.annotation.judging.kinds import KINDS, kind_of
from tercet.annotation.judging.questionnaires import read_aspects, read_questionnaire
from tercet.annotation.models import Study
from tercet.annotation.models.study import Accounts, CrowdProof, Rank, Step, Time
from tercet.annotation.participation.quizzes import Quiz, read_quizzes

CONSENT = _("""This is a study of how people compare descriptions of images. You will read short \
sentences and choose the one that fits better.

- Taking part is voluntary. You can stop at any time, without giving a reason.
- We store your choices and how long they took, under a pseudonym. If you came through a platform \
or a personal link, the identifier it gave us is stored separately and is not published.
- Your choices may be published, so that others can check our results.
- Your IP address is not stored with your choices.
""")

_ADDRESS_CODE = _(
    "If you join by a shared link or through a platform, we keep a code that is made from your IP "
    "address with your pseudonym, to notice when one person takes part many times. Codes are not "
    "published. The secret key of the codes is destroyed when the study closes; after that, a code "
    "does not lead to an address."
)
_WRONG_PASSWORD = _(
    "If a wrong password is entered at the login, we keep the IP address for a few days at most."
)

_OWN_BEGINNING = _(
    "This is a study of how people compare texts. You will read texts, and answer the same "
    "question about two of them at a time."
)
"""The first paragraph of the consent where the study has a question of its own."""

_FACTS = {
    "institution": _("Institution"),
    "contact": _("Contact"),
    "duration": _("Duration"),
    "pay": _("Pay"),
    "withdrawal": _("Withdrawal"),
}
"""What ethics boards want a consent to state: settings, and what they are called in the text."""

_ASKS_QUESTIONNAIRE = _(
    "You are also asked to fill in a questionnaire. Your answers are stored apart from your "
    "choices."
)

EXAMPLES = {
    Time.BEFORE: _("""A few questions about you. Your answers are stored apart from your choices.

How old are you?
[age: number, 18 to 120, required]

How often do you read or write descriptions of images?
[experience: choice, required]
- every day
- now and then
- never

What is your first language?
[language: text]
"""),
    Time.AFTER: _("""Thank you. Two last questions:

How difficult was it to decide?
[difficulty: choice]
- easy
- neither easy nor difficult
- difficult

Was anything unclear?
[unclear: text]
"""),
}
"""Questionnaires to start from; names and kinds of fields are not translated."""

READERS: dict[str, Callable[[str], object]] = {
    "comprehension": read_quizzes,
    "practice": read_quizzes,
    "questionnaire_before": read_questionnaire,
    "questionnaire_after": read_questionnaire,
    "aspects": read_aspects,
}
"""What reads the texts that have a syntax; each raises FaultyText."""


def default_text(step: str, protocol: str) -> str:
    """Return the default text of a step for a protocol, in the reader's language."""
    default = CONSENT if step == Step.CONSENT else ""
    return str(KINDS[protocol].texts.get(Step(step), default))


def default_text_of(study: Study, step: str) -> str:
    """Return the text of a step where the study has none of its own.

    The default texts are about captions, and in their language where the site has it. So a study
    with a question of its own has a consent that begins differently, instructions that are the
    question, and no quizzes.
    """
    with override(language_of_defaults(study)):
        if step == Step.CONSENT:
            return _default_consent(study)
        if study.question:
            own = f"**{study.question}**\n\n{study.question_help}".strip()
            return own if step == Step.INSTRUCTIONS else ""

        return default_text(step, study.protocol)


def _default_consent(study: Study) -> str:
    """Return the default consent, with what is stored about people who take part this way."""
    text = default_text(Step.CONSENT, study.protocol)
    if study.question:
        _captions, rest = text.split("\n\n", maxsplit=1)
        text = f"{_OWN_BEGINNING}\n\n{rest}"

    is_unsigned = study.crowd_proof == CrowdProof.CODE
    if study.link_is_open or (study.crowd_is_open and is_unsigned):
        text += f"- {_ADDRESS_CODE}\n"

    invited = study.roles.filter(rank=Rank.ANNOTATOR)
    if study.accounts == Accounts.ALL or invited.exists():
        text += f"- {_WRONG_PASSWORD}\n"

    return text


def language_of_text(study: Study, step: str) -> str:
    """Return the language of the text of a step, as a code; an own one is like the captions."""
    is_own = _has_own_text(study, step)
    return study.language if is_own else language_of_defaults(study)


def _has_own_text(study: Study, step: str) -> bool:
    """Return whether a text is the study's own; instructions may be its own question."""
    text = str(getattr(study, step)).strip()
    return bool(text or (step == Step.INSTRUCTIONS and study.question))


def language_of_defaults(study: Study) -> str:
    """Return the language of the default texts: that of the captions, or English."""
    return _site_language(study.language) or settings.LANGUAGE_CODE


def _site_language(code: str) -> str:
    """Return the language of the site that a code means, such as de for de-AT; empty if none."""
    try:
        return get_supported_language_variant(code.lower())
    except LookupError:
        return ""


def steps_in_english(study: Study) -> list[str]:
    """Return what the steps are called whose default text is not in the captions' language."""
    if _site_language(study.language):
        return []

    default = [step for step in study.steps if not _has_own_text(study, step)]
    return [str(Step(step).label) for step in default if default_text_of(study, step)]


def steps_without_text(study: Study) -> list[str]:
    """Return what the steps are called that annotators skip, as they have no text."""
    return [str(Step(step).label) for step in study.steps if not text_of(study, step)]


def text_of(study: Study, step: str) -> str:
    """Return the text of a step of the study; that of the consent ends with its facts."""
    own = str(getattr(study, step)).strip()
    text = own or default_text_of(study, step)

    if step != Step.CONSENT:
        return text
    with override(language_of_defaults(study)):
        return f"{text}\n{_facts(study)}"


def _facts(study: Study) -> str:
    """Return what the study states about taking part, as a list in Markdown."""
    stated = {label: getattr(study, name) for name, label in _FACTS.items()}
    facts = [f"**{label}:** {fact}" for label, fact in stated.items() if fact]
    if study.questionnaire_before or study.questionnaire_after:
        facts.append(str(_ASKS_QUESTIONNAIRE))

    return "".join(f"\n* {fact}" for fact in facts)


def missing_facts(study: Study) -> list[str]:
    """Return what the consent does not state; nothing where people are not asked for consent."""
    if Step.CONSENT not in study.steps:
        return []

    return [str(label) for name, label in _FACTS.items() if not getattr(study, name)]


def text_of_questionnaire(study: Study, time: str) -> str:
    """Return the text of a questionnaire of the study, empty where it has none."""
    text: str = getattr(study, f"questionnaire_{time}")
    return text.strip()


def quizzes_of(study: Study, step: str) -> list[Quiz]:
    """Return the quizzes of a step of the study."""
    return read_quizzes(text_of(study, step))


def questions_of(study: Study) -> list[str]:
    """Return what annotators are asked at once: the question of each aspect, or the only one."""
    return kind_of(study).asked(study) or [wording_of(study)["question"]]


def wording_of(study: Study) -> dict[str, str]:
    """Return what a question says besides the captions; empty labels are not shown.

    `language` is that of the question, `tie_language` that of the label of a tie.
    """
    default = language_of_defaults(study)
    with override(default):
        question = str(kind_of(study).question)
        tie = str(_("I can't tell"))

    return {
        "question": study.question or question,
        "help": study.question_help,
        "a": study.label_a,
        "left": study.label_left,
        "right": study.label_right,
        "tie": study.label_tie or tie,
        "language": study.language if study.question else default,
        "tie_language": study.language if study.label_tie else default,
    }
