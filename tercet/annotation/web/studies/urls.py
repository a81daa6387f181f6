"""Addresses of studies."""

from django.urls import include, path

from tercet.annotation.web.responses import route
from tercet.annotation.web.results import plots, shared_views
from tercet.annotation.web.studies import progress_views, setup_views, views

_study = [
    route("", views.study),
    route("evaluate/", views.study_evaluate),
    route("status/", views.study_status),
    route("files/<str:file>", views.study_file),
    route("plots/<str:plot>/", plots.study_plot),
    route("share/", shared_views.study_share),
    route("share/<int:pk>/back/", shared_views.study_share_back),
    route("settings/", setup_views.study_settings),
    route("settings/<slug:group>/", setup_views.study_setting_group),
    route("settings/<slug:group>/preview/", setup_views.study_preview),
    route("state/", setup_views.study_state),
    route("votes/", setup_views.study_votes),
    route("copy/", setup_views.study_copy),
    route("archive/", setup_views.study_archive),
    route("delete/", setup_views.study_delete),
    route("log/", setup_views.study_log),
    route("progress/", progress_views.study_progress),
    route("progress/free/", progress_views.study_free),
]

urlpatterns = [
    route("", views.studies),
    route("new/", setup_views.study_new),
    path("<slug:name>/", include(_study)),
]
