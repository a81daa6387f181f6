"""Addresses of challenges."""

from django.urls import include, path

from tercet.annotation.challenges import (
    comparison_views,
    enrolment_views,
    people_views,
    submission_views,
    views,
)
from tercet.annotation.responses import route

_challenge = [
    route("", views.challenge),
    route("leaderboard/", views.challenge_leaderboard),
    route("leaderboard.<slug:form>", views.challenge_leaderboard_file),
    route("images.csv", views.challenge_images),
    route("development.zip", views.challenge_development),
    route("submit/", submission_views.challenge_submit),
    route("submissions/", submission_views.challenge_submissions),
    route("submissions/<uuid:key>/", submission_views.submission),
    route("submissions/<uuid:key>/file/", submission_views.submission_file),
    route("submissions/<uuid:key>/scores.csv", submission_views.submission_scores),
    route("submissions/<uuid:key>/shown/", submission_views.submission_shown),
    route("submissions/<uuid:key>/details/", submission_views.submission_details),
    route("submissions/<uuid:key>/withdrawn/", submission_views.submission_withdrawn),
    route("submissions/<uuid:key>/final/", submission_views.submission_final),
    route("settings/", views.challenge_settings),
    route("people/", people_views.challenge_people),
    route("role/", people_views.challenge_role),
    route("team/", people_views.challenge_team),
    route("role/remove/", people_views.challenge_role_remove),
    route("enrolment/", enrolment_views.challenge_enrolment),
    route("join/<str:code>/", enrolment_views.challenge_join),
    route("api/", people_views.challenge_api),
    route("api/revoke/", people_views.challenge_api_revoke),
    route("studies/", comparison_views.challenge_studies),
    route("phase/", views.challenge_phase),
    route("archive/", views.challenge_archive),
    route("delete/", views.challenge_delete),
]

urlpatterns = [
    route("", views.challenges),
    route("new/", views.challenge_new),
    path("<slug:name>/", include(_challenge)),
]
