"""Addresses of studies."""

from django.urls import include, path

from tercet.annotation.responses import route
from tercet.annotation.results import shared_views
from tercet.annotation.results import views as results
from tercet.annotation.studies import progress_views, views

_study = [
    route("", results.study),
    route("evaluate/", results.study_evaluate),
    route("status/", results.study_status),
    route("files/<str:file>", results.study_file),
    route("plots/<str:plot>/", results.study_plot),
    route("share/", shared_views.study_share),
    route("share/<int:pk>/back/", shared_views.study_share_back),
    route("settings/", views.study_settings),
    route("settings/<slug:group>/", views.study_setting_group),
    route("settings/<slug:group>/preview/", views.study_preview),
    route("state/", views.study_state),
    route("votes/", views.study_votes),
    route("copy/", views.study_copy),
    route("archive/", views.study_archive),
    route("delete/", views.study_delete),
    route("log/", views.study_log),
    route("progress/", progress_views.study_progress),
    route("progress/free/", progress_views.study_free),
]

urlpatterns = [
    route("", views.studies),
    route("new/", views.study_new),
    path("<slug:name>/", include(_study)),
]
