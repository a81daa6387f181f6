"""The Django app."""

from importlib import import_module

from django.apps import AppConfig
from django.utils import translation

from analysis.texts import set_catalogue


class AnnotationConfig(AppConfig):
    """Show the texts of `analysis` in the language of each request; register system checks."""

    name = "annotation"

    def ready(self) -> None:
        set_catalogue(translation)
        import_module("annotation.operations.checks")
