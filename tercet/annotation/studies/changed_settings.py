"""What the settings of a study change in comparison with a new one, in words."""

from collections import defaultdict
from typing import Any

from django.utils.text import Truncator

from tercet.analysis.number_texts import written
from tercet.analysis.tables.settings import Choice, Setting, Switch, Text
from tercet.analysis.tables.study_settings import STUDY_SETTINGS
from tercet.annotation.models import Study
from tercet.annotation.models.study import SWITCHES
from tercet.annotation.studies.creation import DRAFT_VALUES

MAX_LENGTH = 40
"""Characters of a value that are shown."""
TITLE, STEPS = "title", "steps"


def changed_settings(study: Study) -> dict[str, list[str]]:
    """Return what differs from a new study, by the card of the settings page.

    The title, which always differs, is left out.
    """
    changes: dict[str, list[str]] = defaultdict(list)

    for setting in STUDY_SETTINGS:
        default = DRAFT_VALUES.get(setting.name, setting.default)
        value = getattr(study, setting.name) if setting.card else default
        if value != default and setting.name != TITLE:
            changes[setting.card].append(_in_words(setting, value))

    return changes


def _in_words(setting: Setting[Any], value: Any) -> str:
    """Return a setting with its value; a switch, off in a new study, or a long text without."""
    label = setting.label
    if setting.name == STEPS:
        steps = [str(step.label) for step in SWITCHES if step in value]
        return f"{label}: {', '.join(steps) or 'none'}"

    is_long = isinstance(setting, Text) and "Markdown" in setting.unit
    if isinstance(setting, Switch) or is_long:
        return label
    if isinstance(setting, Choice):
        return f"{label}: {setting.choices[str(value)]}"
    if value is None or value == "":
        return f"{label}: {'empty'}"
    if isinstance(value, float):
        return f"{label}: {written(value, 'g')}"

    return f"{label}: {Truncator(str(value)).chars(MAX_LENGTH)}"
