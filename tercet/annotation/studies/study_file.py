"""study.json: written from the settings of a study, read back through them, and explained."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.text import capfirst

from tercet.analysis.dataset.dictionary import (
    CHOICE,
    DECIMAL,
    SWITCH,
    TEXT,
    WHOLE,
    DictionaryEntry,
)
from tercet.analysis.dataset.folder import Reading
from tercet.analysis.number_texts import written
from tercet.analysis.tables.csv_tables import Problem
from tercet.analysis.tables.settings import STUDY_FILE, invalid_setting
from tercet.annotation.judging.questionnaires import FaultyText
from tercet.annotation.models import Exit, Study
from tercet.annotation.models.study import (
    LARGEST,
    LISTS,
    MAX_CHECK_RATE,
    Outcome,
    StudySettings,
)
from tercet.annotation.participation.texts import READERS

Setting = models.Field[Any, Any]


def _described(setting: Setting) -> tuple[str, str]:
    """Return the type and the valid values of a setting in words."""
    if setting.choices:
        labels = [f"{value}: {label}" for value, label in setting.flatchoices]
        return CHOICE, "; ".join(labels)
    if isinstance(setting, models.JSONField):
        return "list of choices", ", ".join(LISTS[setting.name])
    if isinstance(setting, models.BooleanField):
        return SWITCH, "true, false"
    if isinstance(setting, models.PositiveIntegerField | models.FloatField):
        kind = DECIMAL if isinstance(setting, models.FloatField) else WHOLE
        bounds: list[Any] = setting.validators
        least, most = (each.limit_value for each in bounds)
        return kind, f"from {least}" + (f" to {most:,}" if most < LARGEST else "")

    longest = setting.max_length
    return TEXT, f"at most {longest:,} characters" if longest else ""


def _entry(setting: Setting) -> DictionaryEntry:
    label = capfirst(setting.verbose_name)
    end = "" if label.endswith("?") else "."
    meaning = f"{label}{end} {setting.help_text}".strip()
    kind, allowed = _described(setting)
    unit = "Markdown" if isinstance(setting, models.TextField) else ""
    empty = "; null: empty" if setting.null else ""
    return DictionaryEntry(setting.name, meaning, kind, unit, allowed + empty)


SETTINGS: dict[str, Setting] = {
    each.name: each for each in StudySettings._meta.local_fields
}
"""The settings of a study by their names, in the order of study.json."""
EXITS = "exits"
"""The key of study.json that is no setting: the codes and addresses by outcome."""
ENTRIES = {name: _entry(setting) for name, setting in SETTINGS.items()}
ENTRIES[EXITS] = DictionaryEntry(
    EXITS,
    "Code and address (url) that people leave with, by outcome.",
    "object",
    allowed=", ".join(Outcome.values),
)
"""The keys of study.json, explained for the data dictionary."""
_FORMER_NAMES = {"most": "max_judgments", "fastest": "min_seconds"}
_PARAMETERS = ("person_parameter", "study_parameter", "session_parameter")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""Characters that databases refuse."""


def setting_called(name: str) -> Setting | None:
    """Return the setting with this name, now or in an earlier version."""
    return SETTINGS.get(_FORMER_NAMES.get(name, name))


def study_settings(study: Study) -> dict[str, object]:
    """Return the contents of study.json."""
    values = {name: getattr(study, name) for name in SETTINGS}
    for name, value in values.items():
        if isinstance(value, float) and value.is_integer():
            values[name] = int(value)  # to be written without a decimal point

    order = Outcome.values.index
    exits = sorted(study.exits.all(), key=lambda row: order(row.outcome))
    fields = {row.outcome: {"code": row.code, "url": row.url} for row in exits}
    return values | {EXITS: fields}


@dataclass
class StudyFile:
    """What a study.json says: settings, unsaved exits, and what is wrong or unknown."""

    values: dict[str, Any] = field(default_factory=dict)
    exits: list[Exit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_study_file(contents: Mapping[str, Any]) -> StudyFile:
    """Read the contents of a study.json through the fields of its settings."""
    read = StudyFile()
    names = {key: _FORMER_NAMES.get(key, key) for key in contents}
    for key, name in names.items():
        if name not in ENTRIES or (name != key and name in names):
            continue
        value = contents[key]
        try:
            if name == EXITS:
                read.exits = _exits(value)
            else:
                read.values[name] = _cleaned(name, value)
        except ValidationError:
            entry = ENTRIES[name]
            allowed = f" ({entry.allowed})" if entry.allowed else ""
            remedy = (
                f"Give a value of the type {entry.type}{allowed}, or remove the setting"
            )
            read.problems.append(invalid_setting(STUDY_FILE, key, value, remedy))
        except FaultyText as error:
            what, remedy = str(error).rstrip("."), "Correct the text and import again"
            read.problems.append(Problem(STUDY_FILE, what, remedy, column=key))

    for name, why in conflicts(read.values).items():
        what = "conflicts with other settings"
        read.problems.append(Problem(STUDY_FILE, what, why, column=name))
    unknown = [key for key, name in names.items() if name not in ENTRIES]
    if unknown:
        read.warnings.append(
            f"{STUDY_FILE}: ignored unknown keys: {', '.join(unknown)}"
        )
    return read


def _cleaned(name: str, value: Any) -> Any:
    """Return a setting's value as it is stored; raises ValidationError, or FaultyText.

    `full_clean` alone skips empty values of optional fields, such as null for a text, and reads
    "5" as a number.
    """
    if isinstance(value, str) and _UNSTORABLE.search(value):
        raise ValidationError("unstorable")
    try:
        cleaned = SETTINGS[name].clean(value, None)
    except OverflowError:
        raise ValidationError("too large") from None
    if cleaned != value:
        raise ValidationError("of another type")
    if name in READERS:
        READERS[name](cleaned)
    return cleaned


def _exits(value: Any) -> list[Exit]:
    """Return the exits of a study.json, unsaved; raises ValidationError."""
    if not isinstance(value, dict):
        raise ValidationError("no exits")

    exits = []
    for outcome, fields in value.items():
        is_known = isinstance(fields, dict) and fields.keys() <= {"code", "url"}
        if not is_known or not all(isinstance(text, str) for text in fields.values()):
            raise ValidationError("no exit")
        row = Exit(outcome=outcome, **fields)
        row.clean_fields(exclude=["study"])
        exits.append(row)
    return exits


def with_checked_settings(reading: Reading) -> Reading:
    """Add what is wrong or unknown in the study.json of a folder to what was read of it."""
    read = read_study_file(reading.dataset.study)
    told = {each.column for each in reading.problems if each.file == STUDY_FILE}
    new = [each for each in read.problems if each.column not in told]
    return replace(
        reading,
        problems=[*reading.problems, *new],
        warnings=[*reading.warnings, *read.warnings],
        faulty_lines={} if new else reading.faulty_lines,
    )


def conflicts(values: Mapping[str, Any]) -> dict[str, str]:
    """Check valid settings against each other: why one does not go with others, by its name."""
    found = {}

    rates = [values.get(name) or 0 for name in ("gold_rate", "repeat_rate")]
    if sum(rates) > MAX_CHECK_RATE:
        most = written(MAX_CHECK_RATE, "g")
        found["repeat_rate"] = f"Gold and repeats together may not exceed {most}."

    parameters = [values[name] for name in _PARAMETERS if values.get(name)]
    if len(set(parameters)) < len(parameters):
        found["session_parameter"] = "Give the three parameters different names."

    return found
