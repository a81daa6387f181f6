"""What the settings of a study change in comparison with a new one, in words."""

from collections import defaultdict
from typing import Any

from django.db import models
from django.utils.text import Truncator

from tercet.analysis.number_texts import written
from tercet.annotation.judging.kinds import hidden_settings
from tercet.annotation.models import Study
from tercet.annotation.models.study import LISTS
from tercet.annotation.studies.creation import DRAFT_VALUES
from tercet.annotation.studies.study_file import SETTINGS, Setting

MAX_LENGTH = 40
"""Characters of a value that are shown."""
TITLE, STEPS = "title", "steps"


_CARDS = {
    "basics": "title ties scale language",
    "participation": "institution contact duration pay withdrawal",
    "question": "aspects shows_image shows_references question question_help label_a "
    "label_left label_right label_tie",
    "sentences": "min_words sentence_rules rule_action",
    "texts": "steps consent instructions comprehension practice",
    "questionnaires": "questionnaire_before questionnaire_after",
    "pace": "max_judgments break_every offline_questions skips question_order",
    "checks": "gold_rate repeat_rate min_seconds enforced_seconds stop_early",
    "results": "winners",
    "access": "accounts link_is_open link_users crowd_is_open joins_per_hour",
    "parameters": "person_parameter study_parameter session_parameter platform_study",
    "proof": "crowd_proof",
    "recruitment": "recruitment_platform countries approval_rate ethics_approval",
    "ending": "debrief",
}
CARDS = {card: names.split() for card, names in _CARDS.items()}
"""The cards of the settings pages: the settings that can be changed, in the order of each card."""


def changed_settings(study: Study) -> dict[str, list[str]]:
    """Return what differs from a new study, by the card of the settings page.

    The title, which always differs, is left out.
    """
    changes: dict[str, list[str]] = defaultdict(list)

    hidden = hidden_settings(study)
    for card, names in CARDS.items():
        for name in names:
            if name in hidden:
                continue
            setting, value = SETTINGS[name], getattr(study, name)
            default = DRAFT_VALUES.get(name, setting.get_default())
            if value != default and name != TITLE:
                changes[card].append(_in_words(setting, value))

    return changes


def _in_words(setting: Setting, value: Any) -> str:
    """Return a setting with its value; a switch, off in a new study, or a long text without."""
    label = str(setting.verbose_name)
    if setting.name in LISTS:
        chosen = [each for name, each in LISTS[setting.name].items() if name in value]
        return f"{label}: {', '.join(chosen) or 'none'}"

    if isinstance(setting, models.BooleanField | models.TextField):
        return label
    if setting.choices:
        return f"{label}: {dict(setting.flatchoices)[value]}"
    if value is None or value == "":
        return f"{label}: {'empty'}"
    if isinstance(value, float):
        return f"{label}: {written(value, 'g')}"

    return f"{label}: {Truncator(str(value)).chars(MAX_LENGTH)}"
