"""How the texts and the question of a study will look, before they are saved."""

from copy import copy

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.translation import override

from tercet.annotation.judging.questionnaires import FaultyText
from tercet.annotation.models import Question, Study
from tercet.annotation.models.study import SWITCHES, Step, Time
from tercet.annotation.participation import texts
from tercet.annotation.participation.flow import QUIZZES
from tercet.annotation.participation.questionnaire_form import QuestionnaireForm
from tercet.annotation.participation.quizzes import read_quizzes
from tercet.annotation.studies.forms import SettingsForm

_TEXTS, _QUESTIONNAIRES = "texts", "questionnaires"
_WORDED = ("question", "participation", _TEXTS, _QUESTIONNAIRES)
"""The cards of settings that annotators read."""
_STEPS = "steps"


def previews(study: Study, form: SettingsForm) -> dict[str, object]:
    """Return the previews of the texts that a form of settings has, and of the question."""
    worded = _worded(study, form)
    in_order = worded.questions.in_order()
    first = in_order.values("pk")[:1]
    captions = ("pair__b", "pair__c", "reference", "candidate")
    questions = Question.objects.select_related(*captions)
    example = questions.filter(pk__in=first)

    shown: dict[str, object] = {
        "study": worded,
        "wording": texts.wording_of(worded),
        "example": example.first(),
    }
    if _TEXTS in form.cards:
        switches = zip(form[_STEPS], SWITCHES, strict=True)
        shown["texts"] = [_step_preview(*switch, worded, form) for switch in switches]
    if _QUESTIONNAIRES in form.cards:
        times = [_questionnaire_preview(time, worded, form) for time in Time]
        shown["questionnaires"] = times

    return shown


def _worded(study: Study, form: SettingsForm) -> Study:
    """Return the study with the texts of a form, unsaved."""
    worded = copy(study)
    cards = form.cards
    for card in _WORDED:
        for field in cards.get(card, []):
            if field.name != _STEPS:
                value = field.value()
                is_switch = isinstance(value, bool)
                setattr(worded, field.name, value if is_switch else _text(field))

    return worded


def _text(field: forms.BoundField) -> str:
    return str(field.value() or "").strip()


def _step_preview(
    switch: BoundWidget, step: Step, worded: Study, form: SettingsForm
) -> dict[str, object]:
    """Return how the text of a step will look: Markdown, quizzes, or what is wrong with them.

    `default` is the text of the step where its field is empty, and `meaning_of_empty` says which.
    """
    default = texts.default_text_of(worded, step)
    text = texts.text_of(worded, step)
    empty = "No text yet"
    if worded.question:
        empty = "No text: the default one does not fit your question and is not shown"

    preview = {
        "step": step,
        "field": form[step.value],
        "switch": switch,
        "default": default,
        "meaning_of_empty": "Default text" if default else empty,
    }
    if step not in QUIZZES:
        return preview | {"text": text}

    try:
        return preview | {"quizzes": read_quizzes(text)}
    except FaultyText as error:
        return preview | {"fault": str(error)}


def _questionnaire_preview(
    time: Time, worded: Study, form: SettingsForm
) -> dict[str, object]:
    """Return how a questionnaire will look, or what is wrong with its text.

    `example` is a text to start from, in the language of the default texts.
    """
    field = form[f"questionnaire_{time}"]
    with override(texts.language_of_defaults(worded)):
        preview = {"time": time, "field": field, "example": str(texts.EXAMPLES[time])}

    text = _text(field)
    if not text:
        return preview

    try:
        return preview | {"form": QuestionnaireForm(text, prefix=f"preview-{time}")}
    except FaultyText as error:
        return preview | {"fault": str(error)}
