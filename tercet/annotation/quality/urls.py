"""Addresses of the quality of a study: its people, pairs and gold."""

from tercet.annotation.quality import (
    gold_views,
    payment_views,
    people_views,
    sentence_views,
    views,
)
from tercet.annotation.responses import route
from tercet.annotation.results import pair_views

urlpatterns = [
    route("gold/", gold_views.study_gold),
    route("people/", people_views.study_people),
    route("links/", people_views.study_links),
    route("pay/", payment_views.study_pay),
    route("pay/<str:file>", payment_views.study_pay_file),
    route("role/", people_views.study_role),
    route("role/remove/", people_views.study_role_remove),
    route("pairs/", pair_views.study_pairs),
    route("pairs/<int:pk>/", pair_views.study_pair),
    route("pairs/<int:pk>/adjudicate/", pair_views.study_adjudicate),
    route("pairs/<int:pk>/adjudicate/withdraw/", pair_views.study_adjudicate_withdraw),
    route("sentences/", sentence_views.study_sentences),
    route("sentences/accept/", sentence_views.sentences_accept),
    route("sentences/use/", sentence_views.sentences_use),
    route("quality/", views.study_quality),
    route("quality/without/", views.study_without),
    route("annotators/<int:pk>/", views.study_annotator),
    route("annotators/<int:pk>/erase/", views.annotator_erase),
    route("annotators/exclude/", views.annotator_exclude),
    route("annotators/readmit/", views.annotator_readmit),
    route("votes/exclude/", views.vote_exclude),
    route("votes/readmit/", views.vote_readmit),
]
