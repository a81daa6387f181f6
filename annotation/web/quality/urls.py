"""Addresses of the quality of a study: its people, pairs and gold."""

from django.urls import path

from tercet.annotation.web.quality import (
    gold_views,
    pair_views,
    payment_views,
    people_views,
    views,
)

urlpatterns = [
    path("gold/", gold_views.study_gold, name="study_gold"),
    path("people/", people_views.study_people, name="study_people"),
    path("links/", people_views.study_links, name="study_links"),
    path("pay/", payment_views.study_pay, name="study_pay"),
    path("pay/<str:file>", payment_views.study_pay_file, name="study_pay_file"),
    path("role/", people_views.study_role, name="study_role"),
    path("role/remove/", people_views.study_role_remove, name="study_role_remove"),
    path("pairs/", pair_views.study_pairs, name="study_pairs"),
    path("pairs/<int:pk>/", pair_views.study_pair, name="study_pair"),
    path(
        "pairs/<int:pk>/adjudicate/",
        pair_views.study_adjudicate,
        name="study_adjudicate",
    ),
    path(
        "pairs/<int:pk>/adjudicate/withdraw/",
        pair_views.study_adjudicate_withdraw,
        name="study_adjudicate_withdraw",
    ),
    path("quality/", views.study_quality, name="study_quality"),
    path("quality/without/", views.study_without, name="study_without"),
    path("annotators/<int:pk>/", views.study_annotator, name="study_annotator"),
    path("annotators/<int:pk>/erase/", views.annotator_erase, name="annotator_erase"),
    path("annotators/exclude/", views.annotator_exclude, name="annotator_exclude"),
    path("annotators/readmit/", views.annotator_readmit, name="annotator_readmit"),
    path("votes/exclude/", views.vote_exclude, name="vote_exclude"),
    path("votes/readmit/", views.vote_readmit, name="vote_readmit"),
]
