"""Addresses of people who judge."""

from django.urls import include, path

from tercet.annotation.participation import entry_views, views
from tercet.annotation.responses import route

_study = [
    route("sync/", views.sync),
    route("judge/", views.judge),
    route("judge/offline.js", views.offline),
    route("try/", entry_views.study_try),
    route("step/", views.study_step),
    route("step/consent/", views.step_consent),
    route("step/instructions/", views.step_instructions),
    route("step/comprehension/", views.step_comprehension),
    route("step/practice/", views.step_practice),
    route("step/questionnaire/", views.step_questionnaire),
    route("step/finish/", views.step_finish),
    route("step/rest/", views.step_rest),
    route("step/stop/", views.step_stop),
    route("step/resume/", views.step_resume),
    route("vote/", views.cast_vote),
    route("undo/", views.undo_vote),
    route("report/", views.report_question),
    route("comment/", views.leave_comment),
]

urlpatterns = [
    path("studies/<slug:name>/", include(_study)),
    route("join/<slug:code>/", entry_views.join),
    route("crowd/<slug:code>/", entry_views.crowd),
    route("me/<slug:token>/", entry_views.personal),
    route("datasets/<slug:name>/images/<int:pk>/", views.image),
]
