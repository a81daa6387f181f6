"""Replace the identifiers of one person in all free texts of their study."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import CharField, JSONField, Model, Q, QuerySet, TextField

from tercet.annotation.models import (
    Adjudication,
    Annotator,
    Answer,
    Challenge,
    ChallengeTeam,
    Dataset,
    Event,
    FilledQuestionnaire,
    Remark,
    Study,
    Submission,
    Upload,
)
from tercet.annotation.models.base import store
from tercet.annotation.studies.study_file import SETTINGS

_Scrub = Callable[[str], str]
Column = tuple[type[Model], str, str]
"""A model, the path from it to the study, and a column."""

LONG = 6
"""Characters from which an identifier is found inside words and in any case."""
_SETTING_TEXTS = [
    name
    for name, setting in SETTINGS.items()
    if isinstance(setting, CharField | TextField)
    and not setting.choices
    and name != "language"
]
_ABOUT_PEOPLE: list[Column] = [
    (Annotator, "study", "excluded_reason"),
    (Answer, "question__study", "status_reason"),
    (Adjudication, "study", "reason"),
    (Adjudication, "study", "adjudicator"),
    (Remark, "annotator__study", "text"),
    (FilledQuestionnaire, "annotator__study", "answers"),
]
"""Texts in which people are named; short identifiers are found here only, as whole words."""
_OF_DATASETS = ("title", "description", "licence", "citation", "url", "origin")
OTHER: list[Column] = [
    *((Study, "pk", name) for name in _SETTING_TEXTS),
    (Upload, "dataset__studies", "result"),
    *((Dataset, "studies", name) for name in _OF_DATASETS),
]
"""Texts that a short identifier, such as a first name, would damage."""
_OF_CHALLENGES: list[Column] = [
    (Challenge, "pk", name) for name in ("title", "description", "rules")
]
_OF_ACCOUNTS: list[Column] = [
    *(
        (Submission, "pk", name)
        for name in ("system", "description", "link", "training", "file_name")
    ),
    (ChallengeTeam, "pk", "name"),
    (LogEntry, "pk", "object_repr"),
    (LogEntry, "pk", "change_message"),
]
"""Texts outside of studies that name accounts."""
WORD = r"(?<![\w@+-])(?<!\w\.){}(?![\w@+-]|\.\w)"
"""The pattern of a whole user name: ann is not in ann-marie, but at the end of a sentence."""
NAMING = {"annotator", "links", "reason", "user"}
"""Details of the log that may name people."""


def scrub_study(person: Annotator, replacement: str) -> set[str]:
    """Replace all identifiers of a person; return the tables that have changed."""
    study = person.study
    names, ids = _scrubbers(person, replacement)
    columns = [(column, names) for column in _ABOUT_PEOPLE]
    columns += [(column, ids) for column in OTHER]
    changed = _scrub_columns(columns, study)
    changed |= _scrub_events(study.events.all(), names, ids)

    left_out = study.dataset.left_out_file
    if left_out.is_file():
        text = left_out.read_text(encoding="utf-8")
        scrubbed = ids(text)
        left_out.write_text(scrubbed, encoding="utf-8")
    return changed


def scrub_account(account: User, replacement: str) -> set[str]:
    """Replace name and address of an account on the whole site; return the changed tables.

    A user name may be a common word: it is found as a whole word, where people are named.
    """
    names = {account.username, account.get_full_name()} - {""}
    addresses = re.escape(account.email) or r"(?!)"
    words = "|".join(WORD.format(re.escape(name)) for name in names)
    address: _Scrub = partial(re.compile(f"(?i:{addresses})").sub, replacement)
    named: _Scrub = partial(re.compile(f"(?i:{addresses})|{words}").sub, replacement)
    columns = [(column, named) for column in [*_ABOUT_PEOPLE, *_OF_ACCOUNTS]]
    columns += [(column, address) for column in [*OTHER, *_OF_CHALLENGES]]
    changed = _scrub_columns(columns)
    events = Event.objects.all()
    return changed | _scrub_events(events, named, address)


def _scrubbers(person: Annotator, replacement: str) -> tuple[_Scrub, _Scrub]:
    """Return what replaces all identifiers of a person in a text, and what the long ones only."""
    names = {person.name, person.label, person.token, person.external_id}
    names |= {person.resume_code} | _own_values(person)
    if person.user:
        names |= {person.user.get_username(), person.user.email}
    names = {name for name in names if len(name) > 1}
    long = {name for name in names if len(name) >= LONG}
    others = _others_that_contain(person, long)

    def replace(match: re.Match[str]) -> str:
        found = match.group()
        return found if found.casefold() in others else replacement

    return tuple(partial(_pattern(each, others).sub, replace) for each in (names, long))  # type: ignore[return-value]


def _own_values(person: Annotator) -> set[str]:
    """Return the code and the platform's parameters of a person that nobody else has."""
    people = person.study.annotators.exclude(pk=person.pk)
    codes = {*people.values_list("code", flat=True)}
    codes |= {*person.study.exits.values_list("code", flat=True)}

    shared = {
        str(value)
        for external in people.values_list("external", flat=True)
        for value in external.values()
    }
    return {person.code} - codes | {*map(str, person.external.values())} - shared


def _others_that_contain(person: Annotator, names: Iterable[str]) -> set[str]:
    """Return the identifiers of others that contain one of a person: annotator-31 annotator-3."""
    people = person.study.annotators.exclude(pk=person.pk)
    folded = [name.casefold() for name in names]

    return {
        other.casefold()
        for row in people.values_list("name", "label", "external_id")
        for other in row
        if any(name in other.casefold() for name in folded)
    }


def _pattern(names: set[str], others: set[str]) -> re.Pattern[str]:
    """Return a pattern that finds names in a text; longer names of others are matched first."""
    longest_first = sorted(names | others, key=len, reverse=True)
    return re.compile("|".join(map(_found, longest_first)) or r"(?!)")


def _found(name: str) -> str:
    """Return the pattern of one name: in Chinese, for example, words do not end at spaces."""
    escaped = re.escape(name)
    if len(name) >= LONG:
        return f"(?i:{escaped})"
    if any(unicodedata.category(letter) == "Lo" for letter in name):
        return escaped

    return rf"(?<![^\W_]){escaped}(?![^\W_])"


def _scrub_columns(
    columns: Iterable[tuple[Column, _Scrub]], study: Study | None = None
) -> set[str]:
    """Scrub columns, of a study or of the whole site; return the changed tables."""
    changed = set()

    for (model, path, name), scrub in columns:
        rows = model._base_manager.order_by()
        if study:
            of_study = {path: study.pk}
            rows = rows.filter(**of_study)
        if _scrub_column(rows, name, scrub):
            changed.add(model._meta.db_table)

    return changed


def _scrub_column(rows: "QuerySet[Any]", column: str, scrub: _Scrub) -> bool:
    """Scrub a column, each of its values once; return whether anything has changed."""
    field = rows.model._meta.get_field(column)
    changed = False

    for chosen, value in _values(rows, field):
        scrubbed = _scrubbed(value, scrub)
        if scrubbed == value:
            continue

        if field.max_length:
            scrubbed = scrubbed[: field.max_length]
        rows.filter(chosen).update(**{column: scrubbed})
        changed = True

    return changed


def _values(rows: "QuerySet[Any]", field: Any) -> list[tuple[Q, Any]]:
    """Return the values of a column, and how to find the rows that have them."""
    if isinstance(field, JSONField):
        pairs = rows.values_list("pk", field.name)
        return [(Q(pk=pk), value) for pk, value in pairs]

    texts = rows.exclude(**{field.name: ""}).values_list(field.name, flat=True)
    return [(Q(**{field.name: text}), text) for text in texts.distinct()]


def _scrub_events(events: "QuerySet[Event]", names: _Scrub, ids: _Scrub) -> set[str]:
    """Scrub events of the log; return their table if any has changed."""
    changed = set()

    for event in events:
        details = {
            name: _scrubbed(value, names if name in NAMING else ids)
            for name, value in event.details.items()
        }
        if details != event.details:
            store(event, details=details)
            changed.add(Event._meta.db_table)

    return changed


def _scrubbed(value: Any, scrub: _Scrub) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrubbed(each, scrub) for each in value]
    if isinstance(value, dict):
        return {key: _scrubbed(each, scrub) for key, each in value.items()}
    return value
