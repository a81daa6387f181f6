"""Template filters for the languages of the texts that annotators read."""

from django import template

from tercet.analysis.dataset.caption_language import may_be_in
from tercet.annotation.models import Study
from tercet.annotation.participation.texts import language_of_defaults, language_of_text

register = template.Library()
register.filter("default_language", language_of_defaults)


@register.filter
def language_of_caption(caption: object, study: Study) -> str:
    """Return the code of a study's language, empty for a caption that is in another one."""
    return study.language if may_be_in(str(caption), study.language) else ""


@register.filter
def language_of(step: str, study: Study) -> str:
    """Return the language of the text of a step of a study, as a code."""
    return language_of_text(study, step)
