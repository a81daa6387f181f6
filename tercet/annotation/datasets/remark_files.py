"""The answers to a study's questionnaires as a table, with a dictionary of its own."""

from collections import defaultdict

import pandas as pd

from tercet.analysis.dataset.dictionary import (
    CHOICE,
    DECIMAL,
    QUESTIONNAIRES,
    TEXT,
    DictionaryEntry,
    dictionary,
)
from tercet.annotation.judging.questionnaires import Field, FormKind, fields_of
from tercet.annotation.models import FilledQuestionnaire, Study
from tercet.annotation.models.study import Time
from tercet.annotation.participation.texts import text_of_questionnaire

TYPES = {FormKind.CHOICE: CHOICE, FormKind.NUMBER: DECIMAL, FormKind.TEXT: TEXT}
_REMOVED = "A field that the questionnaire no longer has."


def answers_frame(study: Study) -> pd.DataFrame:
    """Return one row for each annotator who filled in a questionnaire.

    Its columns are `annotator`, and the fields, with `before_` or `after_` before their names.
    Answers of test annotators are left out.
    """
    filled = FilledQuestionnaire.objects.filter(
        annotator__study=study, annotator__is_test=False
    )
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for name, time, given in filled.order_by("pk").values_list(
        "annotator__name", "time", "answers"
    ):
        answers[name] |= {_column(time, field): text for field, text in given.items()}

    known = {_column(time, field.name): "" for time, field in _fields(study)}
    rows = [{"annotator": name} | known | row for name, row in answers.items()]
    frame = pd.DataFrame(rows, columns=None if rows else ["annotator", *known])
    return frame.fillna("").astype("str")


def answers_dictionary(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Explain the columns of the answers in the form of `dictionary`."""
    explained = {
        _column(time, field.name): _entry(time, field) for time, field in _fields(study)
    }
    person = DictionaryEntry("annotator", "The pseudonym of a person, as in votes.csv.")
    entries = [person]
    entries.extend(
        explained.get(column) or DictionaryEntry(column, _REMOVED)
        for column in frame.columns[1:]
    )

    return dictionary({QUESTIONNAIRES: entries})


def _fields(study: Study) -> list[tuple[Time, Field]]:
    """Return the fields of both questionnaires, with the time of each."""
    found: list[tuple[Time, Field]] = []
    for time in Time:
        text = text_of_questionnaire(study, time)
        fields = fields_of(text)
        found.extend((time, field) for field in fields)

    return found


def _column(time: str, field: str) -> str:
    return f"{time}_{field}"


def _entry(time: Time, field: Field) -> DictionaryEntry:
    return DictionaryEntry(
        _column(time, field.name),
        field.question,
        TYPES[field.kind],
        allowed=_allowed(field),
    )


def _allowed(field: Field) -> str:
    """Say which values a field takes, and what an empty cell means."""
    values = ", ".join(field.options)
    if field.limits:
        least, most = field.limits
        values = f"{least} to {most}"

    empty = "empty: not asked" if field.required else "empty: not answered"
    return f"{values}; {empty}" if values else empty
