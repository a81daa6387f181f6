"""Database columns for the settings of studies, made from their declarations."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tercet.analysis.tables.study_settings import (
    BY_NAME,
    FIRST_VERSION,
    STUDY_SETTINGS,
    Choice,
    Choices,
    Decimal,
    Exits,
    Setting,
    Switch,
    Text,
    Whole,
)

_CHOICE_LENGTH = 10
"""Characters of a choice, at most."""

Model = TypeVar("Model", bound=models.Model)
Column = models.Field[Any, Any]


def with_setting_columns(model: type[Model]) -> type[Model]:
    """Add a column for each setting of a study to a model.

    The model annotates those that its users need to know the types of. Exits have a model of
    their own.
    """
    for setting in STUDY_SETTINGS:
        if not isinstance(setting, Exits):
            model.add_to_class(setting.name, column(setting))

    return model


def choice_label(setting: str, value: str) -> Promise:
    """Translate the label of one choice of a setting."""
    declared = BY_NAME[setting]
    assert isinstance(declared, Choice)
    return gettext_lazy(declared.choices[value])


def column(setting: Setting) -> Column:
    """Make the column of a setting, with its default and its validators.

    Columns that the first version did not have get their default in the database as well, so that
    processes of an earlier version can still insert rows.
    """
    made = _COLUMNS[type(setting)](setting)
    if setting.since != FIRST_VERSION and not setting.optional:
        made.default = made.db_default = setting.default

    return made


def _text(setting: Text) -> Column:
    options: dict[str, Any] = {"blank": not setting.required}
    if setting.default:
        options["default"] = setting.default
    if setting.pattern:
        hint = gettext_lazy(setting.hint) if setting.hint else None
        options["validators"] = [RegexValidator(setting.pattern, hint)]

    if setting.longest is None:
        return models.TextField(**options)
    return models.CharField(max_length=setting.longest, **options)


def _whole(setting: Whole) -> Column:
    limits = [MinValueValidator(setting.least), MaxValueValidator(setting.most)]
    if setting.optional:
        default = {} if setting.default is None else {"default": setting.default}
        return models.PositiveIntegerField(
            null=True, blank=True, validators=limits, **default
        )
    return models.PositiveIntegerField(default=setting.default, validators=limits)


def _decimal(setting: Decimal) -> Column:
    limits = [MinValueValidator(0), MaxValueValidator(setting.most)]
    if setting.optional:
        return models.FloatField(null=True, blank=True, validators=limits)
    return models.FloatField(default=setting.default, validators=limits)


def _switch(setting: Switch) -> Column:
    return models.BooleanField(default=setting.default)


def _choice(setting: Choice) -> Column:
    choices = [(value, gettext_lazy(label)) for value, label in setting.choices.items()]
    return models.CharField(
        max_length=_CHOICE_LENGTH, choices=choices, default=setting.default
    )


def _choices(setting: Choices) -> Column:
    return models.JSONField(default=partial(list, setting.default), blank=True)


_COLUMNS: dict[type[Setting], Callable[[Any], Column]] = {
    Text: _text,
    Whole: _whole,
    Decimal: _decimal,
    Switch: _switch,
    Choice: _choice,
    Choices: _choices,
}
