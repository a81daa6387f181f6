"""Languages that only the pages of annotators are translated to."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation

Respond = Callable[[HttpRequest], HttpResponseBase]

ANNOTATOR_VIEWS = {
    "annotation.views.account",
    "annotation.views.entry",
    "annotation.views.home",
    "annotation.views.judging",
    "django.contrib.auth.views",
}
"""Modules of the views whose pages annotators see."""


class AnnotatorLanguages:
    """Show the pages of researchers in English where the browser's language lacks them."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_given: object
    ) -> None:
        """Choose the language before a view runs."""
        is_partial = translation.get_language() in settings.ANNOTATOR_LANGUAGES

        if is_partial and view.__module__ not in ANNOTATOR_VIEWS:
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = settings.LANGUAGE_CODE
