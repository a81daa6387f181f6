"""Addresses of the state of the site."""

from tercet.annotation.operations import (
    access_views,
    deleted_views,
    system_views,
    views,
)
from tercet.annotation.responses import route

urlpatterns = [
    route("healthz", views.healthz),
    route("readyz", views.readyz),
    route("metrics", views.metrics),
    route("system/", system_views.system),
    route("system/try-again/", system_views.system_try_again),
    route("system/log/", system_views.system_log),
    route("system/log.csv", system_views.system_log_file),
    route("system/access/", access_views.access),
    route("deleted/", deleted_views.deleted),
    route("deleted/<slug:kind>/<int:pk>/take-back/", deleted_views.deleted_take_back),
    route("deleted/<slug:kind>/<int:pk>/purge/", deleted_views.deleted_purge),
]
