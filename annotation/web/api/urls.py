"""Addresses of tokens and webhooks."""

from django.urls import path

from tercet.annotation.web.api import token_views, webhook_views

urlpatterns = [
    path("api/", token_views.study_api, name="study_api"),
    path("api/revoke/", token_views.study_api_revoke, name="study_api_revoke"),
    path("webhooks/", webhook_views.study_webhooks, name="study_webhooks"),
    path(
        "webhooks/<int:pk>/test/",
        webhook_views.study_webhook_test,
        name="study_webhook_test",
    ),
    path(
        "webhooks/<int:pk>/remove/",
        webhook_views.study_webhook_remove,
        name="study_webhook_remove",
    ),
]
