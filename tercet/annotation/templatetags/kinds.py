"""Template filters for what annotators see of a study's questions."""

from django import template

from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Study

register = template.Library()


@register.filter
def has_reference(study: Study) -> bool:
    """Return whether annotators see a reference, A."""
    return kind_of(study).has_reference


@register.filter
def has_image(study: Study) -> bool:
    """Return whether annotators see the image."""
    return kind_of(study).has_image
