from django.urls import path

from annotation.views import datasets, home, judging, studies, uploads

urlpatterns = [
    path("", home.home, name="home"),
    path("join/<slug:code>/", judging.join, name="join"),
    path("datasets/", datasets.datasets, name="datasets"),
    path("datasets/upload/", uploads.upload, name="upload"),
    path("datasets/upload/<uuid:key>/", uploads.upload_check, name="upload_check"),
    path("datasets/upload/<uuid:key>/import/", uploads.upload_import, name="upload_import"),
    path("datasets/upload/<uuid:key>/problems/", uploads.upload_problems, name="upload_problems"),
    path("datasets/<slug:name>/", datasets.dataset, name="dataset"),
    path("datasets/<slug:name>/pairs/", datasets.dataset_pairs, name="dataset_pairs"),
    path("datasets/<slug:name>/delete/", datasets.dataset_delete, name="dataset_delete"),
    path("datasets/<slug:name>/download/", datasets.dataset_download, name="dataset_download"),
    path("datasets/<slug:name>/images/<int:pk>/", judging.image, name="image"),
    path("studies/", studies.studies, name="studies"),
    path("studies/new/", studies.study_new, name="study_new"),
    path("studies/<slug:name>/", studies.study, name="study"),
    path("studies/<slug:name>/evaluate/", studies.study_evaluate, name="study_evaluate"),
    path("studies/<slug:name>/evaluation/", studies.evaluation, name="evaluation"),
    path("studies/<slug:name>/files/<str:file>", studies.study_file, name="study_file"),
    path("studies/<slug:name>/judge/", judging.judge, name="judge"),
    path("studies/<slug:name>/vote/", judging.cast_vote, name="cast_vote"),
    path("studies/<slug:name>/undo/", judging.undo_vote, name="undo_vote"),
]
