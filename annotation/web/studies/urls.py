"""Addresses of studies."""

from django.urls import include, path

from tercet.annotation.web.studies import (
    archive_views,
    progress_views,
    setup_views,
    views,
)

_study = [
    path("", views.study, name="study"),
    path("evaluate/", views.study_evaluate, name="study_evaluate"),
    path("status/", views.study_status, name="study_status"),
    path("files/<str:file>", views.study_file, name="study_file"),
    path("settings/", setup_views.study_settings, name="study_settings"),
    path("preview/", setup_views.study_preview, name="study_preview"),
    path("state/", setup_views.study_state, name="study_state"),
    path("votes/", setup_views.study_votes, name="study_votes"),
    path("copy/", setup_views.study_copy, name="study_copy"),
    path("archive/", archive_views.study_archive, name="study_archive"),
    path("delete/", archive_views.study_delete, name="study_delete"),
    path("log/", setup_views.study_log, name="study_log"),
    path("progress/", progress_views.study_progress, name="study_progress"),
    path("progress/free/", progress_views.study_free, name="study_free"),
]

urlpatterns = [
    path("", views.studies, name="studies"),
    path("new/", setup_views.study_new, name="study_new"),
    path("<slug:name>/", include(_study)),
]
