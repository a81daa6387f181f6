"""Translate the texts of a stored report, which are English."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from tercet.analysis.figures.formats import unbroken
from tercet.analysis.texts import from_json

Templates = Mapping[str, Mapping[str, Any]]
"""How texts with values were made, by the texts in English, as report.json has it."""


def translated(text: str, templates: Templates) -> str:
    """Return a text of a report in the language of the reader."""
    if text in templates:
        return str(from_json(templates[text]))
    return gettext(text) if text else ""


def on_page(text: str, templates: Templates) -> str:
    """Return a text of a report, translated, as a page shows it."""
    return unbroken(translated(text, templates))
