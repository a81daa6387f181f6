"""Only the pages of annotators are translated; all others are in English."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

ANNOTATOR_VIEWS = {
    "tercet.annotation.accounts.views",
    "tercet.annotation.participation.entry_views",
    "tercet.annotation.results.home_views",
    "tercet.annotation.participation.views",
    "tercet.annotation.accounts.login_views",
    "django.contrib.auth.views",
}
"""Modules of the views whose pages annotators see."""


class AnnotatorLanguages(MiddlewareMixin):
    """Show all pages except annotators' in English, whatever the browser asks for."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_given: object
    ) -> None:
        """Choose the language before a view runs."""
        if not _is_for_annotators(view):
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = settings.LANGUAGE_CODE


def languages(request: HttpRequest) -> dict[str, list[str]]:
    """Tell templates which languages a page can be shown in; none where there is no choice."""
    match = request.resolver_match
    if match and not _is_for_annotators(match.func):
        return {"languages": []}
    return {"languages": [code for code, _name in settings.LANGUAGES]}


def _is_for_annotators(view: Callable[..., Any]) -> bool:
    return view.__module__ in ANNOTATOR_VIEWS
