"""Addresses of datasets and uploads."""

from django.urls import include, path

from tercet.annotation.web.datasets import upload_views, views

_dataset = [
    path("", views.dataset, name="dataset"),
    path("pairs/", views.dataset_pairs, name="dataset_pairs"),
    path("about/", views.dataset_about, name="dataset_about"),
    path("delete/", views.dataset_delete, name="dataset_delete"),
    path("archive/", views.dataset_archive, name="dataset_archive"),
    path("download/", views.dataset_download, name="dataset_download"),
    path("left-out/", views.dataset_left_out, name="dataset_left_out"),
]

urlpatterns = [
    path("", views.datasets, name="datasets"),
    path("upload/", upload_views.upload, name="upload"),
    path("upload/<uuid:key>/", upload_views.upload_check, name="upload_check"),
    path("upload/<uuid:key>/import/", upload_views.upload_import, name="upload_import"),
    path(
        "upload/<uuid:key>/discard/", upload_views.upload_discard, name="upload_discard"
    ),
    path(
        "upload/<uuid:key>/problems/",
        upload_views.upload_problems,
        name="upload_problems",
    ),
    path("<slug:name>/", include(_dataset)),
]
