"""Addresses of challenges."""

from django.urls import include, path

from tercet.annotation.web.challenges import (
    comparison_views,
    people_views,
    submission_views,
    views,
)

_challenge = [
    path("", views.challenge, name="challenge"),
    path("leaderboard/", views.challenge_leaderboard, name="challenge_leaderboard"),
    path(
        "leaderboard.<slug:form>",
        views.challenge_leaderboard_file,
        name="challenge_leaderboard_file",
    ),
    path("images.csv", views.challenge_images, name="challenge_images"),
    path("development.zip", views.challenge_development, name="challenge_development"),
    path("submit/", submission_views.challenge_submit, name="challenge_submit"),
    path(
        "submissions/",
        submission_views.challenge_submissions,
        name="challenge_submissions",
    ),
    path("submissions/<uuid:key>/", submission_views.submission, name="submission"),
    path(
        "submissions/<uuid:key>/file/",
        submission_views.submission_file,
        name="submission_file",
    ),
    path(
        "submissions/<uuid:key>/scores.csv",
        submission_views.submission_scores,
        name="submission_scores",
    ),
    path(
        "submissions/<uuid:key>/shown/",
        submission_views.submission_shown,
        name="submission_shown",
    ),
    path("settings/", views.challenge_settings, name="challenge_settings"),
    path("people/", people_views.challenge_people, name="challenge_people"),
    path("role/", people_views.challenge_role, name="challenge_role"),
    path(
        "role/remove/", people_views.challenge_role_remove, name="challenge_role_remove"
    ),
    path("api/", people_views.challenge_api, name="challenge_api"),
    path("api/revoke/", people_views.challenge_api_revoke, name="challenge_api_revoke"),
    path("studies/", comparison_views.challenge_studies, name="challenge_studies"),
    path("archive/", views.challenge_archive, name="challenge_archive"),
    path("delete/", views.challenge_delete, name="challenge_delete"),
]

urlpatterns = [
    path("", views.challenges, name="challenges"),
    path("new/", views.challenge_new, name="challenge_new"),
    path("<slug:name>/", include(_challenge)),
]
