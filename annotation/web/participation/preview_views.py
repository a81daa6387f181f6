"""How the texts and the question of a study will look, before they are saved."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from tercet.annotation.models import Study
from tercet.annotation.models.participation.questionnaire import Time
from tercet.annotation.models.study import SWITCHES, Step
from tercet.annotation.participation.flow import QUIZZES
from tercet.annotation.participation.quizzes import FaultyText, Quiz, read_quizzes
from tercet.annotation.participation.texts import (
    EXAMPLES,
    default_text_of,
    language_of_defaults,
    text_of,
    wording_of,
)
from tercet.annotation.web.participation.questionnaire_form import QuestionnaireForm
from tercet.annotation.web.studies.forms import SettingsForm


@dataclass(frozen=True)
class _StepPreview:
    """How the text of a step will look: Markdown, quizzes, or what is wrong with them.

    `default` is the text of the step where its field is empty, and `meaning_of_empty` says which.
    """

    step: Step
    field: forms.BoundField
    switch: BoundWidget
    default: str
    meaning_of_empty: Promise
    text: str = ""
    quizzes: tuple[Quiz, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class _QuestionnairePreview:
    """How a questionnaire will look, or what is wrong with its text.

    `example` is a text to start from, in the language of the default texts.
    """

    time: Time
    field: forms.BoundField
    example: str
    form: QuestionnaireForm | None = None
    fault: str = ""


def previews(study: Study, form: SettingsForm) -> dict[str, object]:
    """Return the previews of what stands in a form of settings."""
    worded = _worded(study, form)
    triplets = worded.triplets.order_by("position")
    example = triplets.select_related("pair__b", "pair__c", "reference")

    return {
        "texts": list(_step_previews(worded, form)),
        "questionnaires": [_questionnaire_preview(time, worded, form) for time in Time],
        "wording": wording_of(worded),
        "example": example.first(),
    }


def _worded(study: Study, form: SettingsForm) -> Study:
    """Return the study with the texts of a form, unsaved."""
    worded = copy(study)
    texts = [form[step.value] for step in SWITCHES]
    for card in ("question", "participation", "questionnaires"):
        texts += form.cards[card]

    for field in texts:
        setattr(worded, field.name, _text(field))

    return worded


def _text(field: forms.BoundField) -> str:
    return str(field.value() or "").strip()


def _step_previews(worded: Study, form: SettingsForm) -> Iterator[_StepPreview]:
    for switch, step in zip(form["steps"], SWITCHES, strict=True):
        field = form[step.value]
        default = default_text_of(worded, step)
        empty = _meaning_of_empty(default, worded)
        preview = _StepPreview(step, field, switch, default, empty)
        yield _filled(preview, text_of(worded, step))


def _meaning_of_empty(default: str, worded: Study) -> Promise:
    """Return what annotators read where the field of a step is empty."""
    if default:
        return _("Default text")
    if worded.question:
        return _("No text: the default one does not fit your question and is not shown")

    return _("No text yet")


def _filled(preview: _StepPreview, text: str) -> _StepPreview:
    """Return the preview of a step with its text, as annotators will read it."""
    if preview.step not in QUIZZES:
        return replace(preview, text=text)

    try:
        return replace(preview, quizzes=tuple(read_quizzes(text)))
    except FaultyText as error:
        return replace(preview, fault=str(error))


def _questionnaire_preview(
    time: Time, worded: Study, form: SettingsForm
) -> _QuestionnairePreview:
    field = form[f"questionnaire_{time}"]
    with override(language_of_defaults(worded)):
        example = str(EXAMPLES[time])

    text = _text(field)
    if not text:
        return _QuestionnairePreview(time, field, example)

    try:
        preview = QuestionnaireForm(text, prefix=f"preview-{time}")
    except FaultyText as error:
        return _QuestionnairePreview(time, field, example, fault=str(error))
    return _QuestionnairePreview(time, field, example, preview)
