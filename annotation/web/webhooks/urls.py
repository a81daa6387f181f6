"""Addresses of the webhooks of a study."""

from django.urls import path

from tercet.annotation.web.webhooks import views

urlpatterns = [
    path("", views.study_webhooks, name="study_webhooks"),
    path("<int:pk>/test/", views.study_webhook_test, name="study_webhook_test"),
    path("<int:pk>/remove/", views.study_webhook_remove, name="study_webhook_remove"),
]
