"""Addresses of the state of the site."""

from tercet.annotation.web.operations import access_views, views
from tercet.annotation.web.responses import route

urlpatterns = [
    route("healthz", views.healthz),
    route("readyz", views.readyz),
    route("metrics", views.metrics),
    route("system/", views.system),
    route("system/access/", access_views.access),
]
