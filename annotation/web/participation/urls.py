"""Addresses of people who judge."""

from django.urls import include, path

from tercet.annotation.web.participation import entry_views, views

_study = [
    path("judge/", views.judge, name="judge"),
    path("judge/offline.js", views.offline, name="offline"),
    path("try/", entry_views.study_try, name="study_try"),
    path("step/", views.study_step, name="study_step"),
    path("sync/", views.sync, name="sync"),
    path("vote/", views.cast_vote, name="cast_vote"),
    path("undo/", views.undo_vote, name="undo_vote"),
    path("report/", views.report_question, name="report_question"),
    path("comment/", views.leave_comment, name="leave_comment"),
]

urlpatterns = [
    path("join/<slug:code>/", entry_views.join, name="join"),
    path("crowd/<slug:code>/", entry_views.crowd, name="crowd"),
    path("me/<slug:token>/", entry_views.personal, name="personal"),
    path("datasets/<slug:name>/images/<int:pk>/", views.image, name="image"),
    path("studies/<slug:name>/", include(_study)),
]
