"""Database columns for the settings of studies, made from their declarations."""

from functools import partial
from typing import Any, TypeVar

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models

from tercet.analysis.tables.settings import (
    FIRST_VERSION,
    Choice,
    Choices,
    Decimal,
    Setting,
    Switch,
    Text,
    Whole,
    declared_in,
)
from tercet.analysis.tables.study_settings import StudyColumns

_CHOICE_LENGTH = 10
"""Characters of a choice, at most."""

Model = TypeVar("Model", bound=models.Model)
Column = models.Field[Any, Any]


def with_setting_columns(model: type[Model]) -> type[Model]:
    """Add a column for each setting of a study that is not in a model of its own."""
    for setting in declared_in(StudyColumns):
        model.add_to_class(setting.name, column(setting))

    return model


def column(setting: Setting[Any]) -> Column:
    """Make the column of a setting, with its default and its validators.

    Columns that the first version did not have get their default in the database as well, so that
    processes of an earlier version can still insert rows.
    """
    options = {}
    if setting.default not in (None, ""):
        options["default"] = setting.default

    if setting.optional:
        options |= {"null": True, "blank": True}
    elif setting.since != FIRST_VERSION:
        options["default"] = options["db_default"] = setting.default

    return _column(setting, options)


def _column(setting: Setting[Any], options: dict[str, Any]) -> Column:
    match setting:
        case Text():
            return _text(setting, options)
        case Whole():
            limits = [MinValueValidator(setting.least), MaxValueValidator(setting.most)]
            return models.PositiveIntegerField(validators=limits, **options)
        case Decimal():
            limits = [MinValueValidator(0), MaxValueValidator(setting.most)]
            return models.FloatField(validators=limits, **options)
        case Switch():
            return models.BooleanField(**options)
        case Choice(choices=labels):
            choices = [(value, labels[value]) for value in labels]
            return models.CharField(
                max_length=_CHOICE_LENGTH, choices=choices, **options
            )
        case Choices():
            return models.JSONField(default=partial(list, setting.default), blank=True)

    raise TypeError(f"{setting.name}: a {setting.kind} has no column")


def _text(setting: Text, options: dict[str, Any]) -> Column:
    options["blank"] = not setting.required
    if setting.pattern:
        hint = setting.hint if setting.hint else None
        options["validators"] = [RegexValidator(setting.pattern, hint)]

    if setting.longest is None:
        return models.TextField(**options)
    return models.CharField(max_length=setting.longest, **options)
