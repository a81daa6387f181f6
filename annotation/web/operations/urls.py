"""Addresses of the state of the site."""

from django.urls import path

from tercet.annotation.web.operations import access_views, views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("system/", views.system, name="system"),
    path("system/access/", access_views.access, name="access"),
]
