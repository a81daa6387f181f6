"""Languages that only the pages of annotators are translated to."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

ANNOTATOR_VIEWS = {
    "tercet.annotation.web.accounts.views",
    "tercet.annotation.web.participation.entry_views",
    "tercet.annotation.web.results.example_views",
    "tercet.annotation.web.results.home",
    "tercet.annotation.web.participation.views",
    "tercet.annotation.web.accounts.login_views",
    "django.contrib.auth.views",
}
"""Modules of the views whose pages annotators see."""


class AnnotatorLanguages(MiddlewareMixin):
    """Show the pages of researchers in English where the browser's language lacks them."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_given: object
    ) -> None:
        """Choose the language before a view runs."""
        is_partial = translation.get_language() in settings.ANNOTATOR_LANGUAGES

        if is_partial and not _is_for_annotators(view):
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = settings.LANGUAGE_CODE


def languages(request: HttpRequest) -> dict[str, list[str]]:
    """Tell templates which languages a page can be shown in."""
    codes = [code for code, _name in settings.LANGUAGES]

    match = request.resolver_match
    if match and not _is_for_annotators(match.func):
        codes = [code for code in codes if code not in settings.ANNOTATOR_LANGUAGES]

    return {"languages": codes}


def _is_for_annotators(view: Callable[..., Any]) -> bool:
    return view.__module__ in ANNOTATOR_VIEWS
