"""Addresses of the app: each room of `web` has its own, and votes are found first."""

from django.urls import include, path

urlpatterns = [
    path("", include("tercet.annotation.web.participation.urls")),
    path("", include("tercet.annotation.web.results.urls")),
    path("", include("tercet.annotation.web.accounts.urls")),
    path("", include("tercet.annotation.web.operations.urls")),
    path("datasets/", include("tercet.annotation.web.datasets.urls")),
    path("studies/", include("tercet.annotation.web.studies.urls")),
    path("studies/<slug:name>/", include("tercet.annotation.web.quality.urls")),
    path("studies/<slug:name>/api/", include("tercet.annotation.web.api.urls")),
    path("docs/", include("tercet.annotation.web.documentation.urls")),
    path("challenges/", include("tercet.annotation.web.challenges.urls")),
]
