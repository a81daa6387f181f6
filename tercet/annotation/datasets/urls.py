"""Addresses of datasets and uploads."""

from django.urls import include, path

from tercet.annotation.datasets import upload_views, views
from tercet.annotation.responses import route

_dataset = [
    route("", views.dataset),
    route("pairs/", views.dataset_pairs),
    route("pairs/back/", views.dataset_pairs_back),
    route("about/", views.dataset_about),
    route("delete/", views.dataset_delete),
    route("archive/", views.dataset_archive),
    route("download/", views.dataset_download),
    route("left-out/", views.dataset_left_out),
]

urlpatterns = [
    route("", views.datasets),
    route("upload/", upload_views.upload),
    route("upload/<uuid:key>/", upload_views.upload_check),
    route("upload/<uuid:key>/import/", upload_views.upload_import),
    route("upload/<uuid:key>/discard/", upload_views.upload_discard),
    route("upload/<uuid:key>/problems/", upload_views.upload_problems),
    path("<slug:name>/", include(_dataset)),
]
