"""Template filters for what annotators see of a study's questions."""

import json
from contextlib import suppress

from django import template

from tercet.analysis.number_texts import plural
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.questionnaires import FaultyText, Field, read_aspects
from tercet.annotation.models import Question, Study
from tercet.annotation.results.digests import made_of

register = template.Library()
register.filter("made_of", made_of)


@register.filter
def has_reference(study: Study) -> bool:
    """Return whether annotators see a reference, A."""
    return kind_of(study).has_reference


@register.filter
def has_image(study: Study) -> bool:
    """Return whether annotators see the image."""
    return kind_of(study).shows_image(study)


@register.filter
def aspects(study: Study) -> list[Field]:
    """Return the scales on which annotators rate, none while their text cannot be read."""
    with suppress(FaultyText):
        return read_aspects(study.aspects)
    return []


@register.filter
def ranges(question: Question) -> list[tuple[str, float, float]]:
    """Return the aspects of a gold question with their lowest and highest right rating."""
    found: list[tuple[str, float, float]] = json.loads(question.gold)
    return found


@register.filter
def chooses(study: Study) -> bool:
    """Return whether annotators choose, so that there are sides, winners and decisions."""
    return kind_of(study).chooses


@register.filter
def answers(study: Study, number: int = 0) -> str:
    """Return the noun for a number of answers of a study."""
    noun = kind_of(study).answer
    return plural(number, noun, f"{noun}s")


@register.filter
def kind_part(study: Study, name: str) -> list[str]:
    """Return the templates of a part of the pages: that of the kind, or else of any kind."""
    return [f"{kind_of(study).folder}/{name}.html", f"judging/kinds/any/{name}.html"]


@register.filter
def is_reviewed(study: Study) -> bool:
    """Return whether researchers accept or exclude the answers one by one."""
    return kind_of(study).is_reviewed
