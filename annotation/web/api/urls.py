"""Addresses of the token of a study."""

from django.urls import path

from tercet.annotation.web.api import token_views

urlpatterns = [
    path("", token_views.study_api, name="study_api"),
    path("revoke/", token_views.study_api_revoke, name="study_api_revoke"),
]
