"""Addresses of the app: each room of `web` has its own, and votes are found first."""

from django.urls import include, path

urlpatterns = [
    path("", include("tercet.annotation.participation.urls")),
    path("", include("tercet.annotation.results.urls")),
    path("", include("tercet.annotation.accounts.urls")),
    path("", include("tercet.annotation.operations.urls")),
    path("datasets/", include("tercet.annotation.datasets.urls")),
    path("studies/", include("tercet.annotation.studies.urls")),
    path("studies/<slug:name>/", include("tercet.annotation.quality.urls")),
    path("studies/<slug:name>/api/", include("tercet.annotation.api.urls")),
    path("docs/", include("tercet.annotation.documentation.urls")),
    path("challenges/", include("tercet.annotation.challenges.urls")),
]
