from django.urls import path

from tercet.annotation.web.accounts import admin_views as accounts
from tercet.annotation.web.accounts import login_views as login
from tercet.annotation.web.accounts import views as account
from tercet.annotation.web.api import token_views as tokens
from tercet.annotation.web.api import webhook_views as webhooks
from tercet.annotation.web.challenges import comparison_views as comparisons
from tercet.annotation.web.challenges import people_views as challenge_people
from tercet.annotation.web.challenges import submission_views as submissions
from tercet.annotation.web.challenges import views as challenges
from tercet.annotation.web.datasets import upload_views as uploads
from tercet.annotation.web.datasets import views as datasets
from tercet.annotation.web.operations import access_views as access
from tercet.annotation.web.operations import views as health
from tercet.annotation.web.participation import entry_views as entry
from tercet.annotation.web.participation import views as judging
from tercet.annotation.web.quality import gold_views as gold
from tercet.annotation.web.quality import pair_views as pairs
from tercet.annotation.web.quality import payment_views as payment
from tercet.annotation.web.quality import people_views as people
from tercet.annotation.web.quality import views as quality
from tercet.annotation.web.results import example_views as example
from tercet.annotation.web.results import home
from tercet.annotation.web.studies import archive_views as archive
from tercet.annotation.web.studies import progress_views as progress
from tercet.annotation.web.studies import setup_views as setup
from tercet.annotation.web.studies import views as studies

urlpatterns = [
    path("", home.home, name="home"),
    path("example/figure/<str:file>", example.example_figure, name="example_figure"),
    path("example/<int:number>/", example.example_question, name="example_question"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("system/", health.system, name="system"),
    path("system/access/", access.access, name="access"),
    path("join/<slug:code>/", entry.join, name="join"),
    path("crowd/<slug:code>/", entry.crowd, name="crowd"),
    path("me/<slug:token>/", entry.personal, name="personal"),
    path("account/", account.account, name="account"),
    path("account/second-factor/", account.second_factor, name="second_factor"),
    path(
        "account/second-factor/remove/",
        account.second_factor_remove,
        name="second_factor_remove",
    ),
    path(
        "account/sign-out-everywhere/",
        account.sign_out_everywhere,
        name="sign_out_everywhere",
    ),
    path("account/erase/", account.erase_own_account, name="erase_own_account"),
    path("accounts/", accounts.accounts, name="accounts"),
    path("accounts/<int:pk>/", accounts.account_page, name="account_page"),
    path("accounts/<int:pk>/link/", accounts.account_link, name="account_link"),
    path("accounts/<int:pk>/state/", accounts.account_state, name="account_state"),
    path(
        "accounts/<int:pk>/administrator/",
        accounts.account_administrator,
        name="account_administrator",
    ),
    path("accounts/<int:pk>/erase/", accounts.account_erase, name="account_erase"),
    path("accounts/<int:pk>/role/", accounts.account_role, name="account_role"),
    path("password/reset/", login.password_reset, name="password_reset"),
    path("datasets/", datasets.datasets, name="datasets"),
    path("datasets/upload/", uploads.upload, name="upload"),
    path("datasets/upload/<uuid:key>/", uploads.upload_check, name="upload_check"),
    path(
        "datasets/upload/<uuid:key>/import/",
        uploads.upload_import,
        name="upload_import",
    ),
    path(
        "datasets/upload/<uuid:key>/discard/",
        uploads.upload_discard,
        name="upload_discard",
    ),
    path(
        "datasets/upload/<uuid:key>/problems/",
        uploads.upload_problems,
        name="upload_problems",
    ),
    path("datasets/<slug:name>/", datasets.dataset, name="dataset"),
    path("datasets/<slug:name>/pairs/", datasets.dataset_pairs, name="dataset_pairs"),
    path("datasets/<slug:name>/about/", datasets.dataset_about, name="dataset_about"),
    path("datasets/<slug:name>/delete/", archive.dataset_delete, name="dataset_delete"),
    path(
        "datasets/<slug:name>/archive/", archive.dataset_archive, name="dataset_archive"
    ),
    path(
        "datasets/<slug:name>/download/",
        datasets.dataset_download,
        name="dataset_download",
    ),
    path(
        "datasets/<slug:name>/left-out/",
        datasets.dataset_left_out,
        name="dataset_left_out",
    ),
    path("datasets/<slug:name>/images/<int:pk>/", judging.image, name="image"),
    path("studies/", studies.studies, name="studies"),
    path("studies/new/", setup.study_new, name="study_new"),
    path("studies/<slug:name>/", studies.study, name="study"),
    path(
        "studies/<slug:name>/evaluate/", studies.study_evaluate, name="study_evaluate"
    ),
    path("studies/<slug:name>/status/", studies.study_status, name="study_status"),
    path("studies/<slug:name>/files/<str:file>", studies.study_file, name="study_file"),
    path("studies/<slug:name>/settings/", setup.study_settings, name="study_settings"),
    path("studies/<slug:name>/preview/", setup.study_preview, name="study_preview"),
    path("studies/<slug:name>/state/", setup.study_state, name="study_state"),
    path("studies/<slug:name>/votes/", setup.study_votes, name="study_votes"),
    path("studies/<slug:name>/copy/", setup.study_copy, name="study_copy"),
    path("studies/<slug:name>/archive/", archive.study_archive, name="study_archive"),
    path("studies/<slug:name>/delete/", archive.study_delete, name="study_delete"),
    path("studies/<slug:name>/gold/", gold.study_gold, name="study_gold"),
    path("studies/<slug:name>/people/", people.study_people, name="study_people"),
    path("studies/<slug:name>/links/", people.study_links, name="study_links"),
    path("studies/<slug:name>/pay/", payment.study_pay, name="study_pay"),
    path(
        "studies/<slug:name>/pay/<str:file>",
        payment.study_pay_file,
        name="study_pay_file",
    ),
    path("studies/<slug:name>/role/", people.study_role, name="study_role"),
    path(
        "studies/<slug:name>/role/remove/",
        people.study_role_remove,
        name="study_role_remove",
    ),
    path("studies/<slug:name>/api/", tokens.study_api, name="study_api"),
    path(
        "studies/<slug:name>/api/revoke/",
        tokens.study_api_revoke,
        name="study_api_revoke",
    ),
    path(
        "studies/<slug:name>/webhooks/", webhooks.study_webhooks, name="study_webhooks"
    ),
    path(
        "studies/<slug:name>/webhooks/<int:pk>/test/",
        webhooks.study_webhook_test,
        name="study_webhook_test",
    ),
    path(
        "studies/<slug:name>/webhooks/<int:pk>/remove/",
        webhooks.study_webhook_remove,
        name="study_webhook_remove",
    ),
    path("studies/<slug:name>/log/", setup.study_log, name="study_log"),
    path(
        "studies/<slug:name>/progress/", progress.study_progress, name="study_progress"
    ),
    path("studies/<slug:name>/progress/free/", progress.study_free, name="study_free"),
    path("studies/<slug:name>/pairs/", pairs.study_pairs, name="study_pairs"),
    path("studies/<slug:name>/pairs/<int:pk>/", pairs.study_pair, name="study_pair"),
    path(
        "studies/<slug:name>/pairs/<int:pk>/adjudicate/",
        pairs.study_adjudicate,
        name="study_adjudicate",
    ),
    path(
        "studies/<slug:name>/pairs/<int:pk>/adjudicate/withdraw/",
        pairs.study_adjudicate_withdraw,
        name="study_adjudicate_withdraw",
    ),
    path("studies/<slug:name>/quality/", quality.study_quality, name="study_quality"),
    path(
        "studies/<slug:name>/quality/without/",
        quality.study_without,
        name="study_without",
    ),
    path(
        "studies/<slug:name>/annotators/<int:pk>/",
        quality.study_annotator,
        name="study_annotator",
    ),
    path(
        "studies/<slug:name>/annotators/<int:pk>/erase/",
        quality.annotator_erase,
        name="annotator_erase",
    ),
    path(
        "studies/<slug:name>/annotators/exclude/",
        quality.annotator_exclude,
        name="annotator_exclude",
    ),
    path(
        "studies/<slug:name>/annotators/readmit/",
        quality.annotator_readmit,
        name="annotator_readmit",
    ),
    path(
        "studies/<slug:name>/votes/exclude/", quality.vote_exclude, name="vote_exclude"
    ),
    path(
        "studies/<slug:name>/votes/readmit/", quality.vote_readmit, name="vote_readmit"
    ),
    path("studies/<slug:name>/judge/", judging.judge, name="judge"),
    path("studies/<slug:name>/judge/offline.js", judging.offline, name="offline"),
    path("studies/<slug:name>/try/", entry.study_try, name="study_try"),
    path("studies/<slug:name>/step/", judging.study_step, name="study_step"),
    path("studies/<slug:name>/sync/", judging.sync, name="sync"),
    path("studies/<slug:name>/vote/", judging.cast_vote, name="cast_vote"),
    path("studies/<slug:name>/undo/", judging.undo_vote, name="undo_vote"),
    path(
        "studies/<slug:name>/report/", judging.report_question, name="report_question"
    ),
    path("studies/<slug:name>/comment/", judging.leave_comment, name="leave_comment"),
    path("challenges/", challenges.challenges, name="challenges"),
    path("challenges/new/", challenges.challenge_new, name="challenge_new"),
    path("challenges/<slug:name>/", challenges.challenge, name="challenge"),
    path(
        "challenges/<slug:name>/leaderboard/",
        challenges.challenge_leaderboard,
        name="challenge_leaderboard",
    ),
    path(
        "challenges/<slug:name>/leaderboard.<slug:form>",
        challenges.challenge_leaderboard_file,
        name="challenge_leaderboard_file",
    ),
    path(
        "challenges/<slug:name>/images.csv",
        challenges.challenge_images,
        name="challenge_images",
    ),
    path(
        "challenges/<slug:name>/development.zip",
        challenges.challenge_development,
        name="challenge_development",
    ),
    path(
        "challenges/<slug:name>/submit/",
        submissions.challenge_submit,
        name="challenge_submit",
    ),
    path(
        "challenges/<slug:name>/submissions/",
        submissions.challenge_submissions,
        name="challenge_submissions",
    ),
    path(
        "challenges/<slug:name>/submissions/<uuid:key>/",
        submissions.submission,
        name="submission",
    ),
    path(
        "challenges/<slug:name>/submissions/<uuid:key>/file/",
        submissions.submission_file,
        name="submission_file",
    ),
    path(
        "challenges/<slug:name>/submissions/<uuid:key>/scores.csv",
        submissions.submission_scores,
        name="submission_scores",
    ),
    path(
        "challenges/<slug:name>/submissions/<uuid:key>/shown/",
        submissions.submission_shown,
        name="submission_shown",
    ),
    path(
        "challenges/<slug:name>/settings/",
        challenges.challenge_settings,
        name="challenge_settings",
    ),
    path(
        "challenges/<slug:name>/people/",
        challenge_people.challenge_people,
        name="challenge_people",
    ),
    path(
        "challenges/<slug:name>/role/",
        challenge_people.challenge_role,
        name="challenge_role",
    ),
    path(
        "challenges/<slug:name>/role/remove/",
        challenge_people.challenge_role_remove,
        name="challenge_role_remove",
    ),
    path(
        "challenges/<slug:name>/api/",
        challenge_people.challenge_api,
        name="challenge_api",
    ),
    path(
        "challenges/<slug:name>/api/revoke/",
        challenge_people.challenge_api_revoke,
        name="challenge_api_revoke",
    ),
    path(
        "challenges/<slug:name>/studies/",
        comparisons.challenge_studies,
        name="challenge_studies",
    ),
    path(
        "challenges/<slug:name>/archive/",
        challenges.challenge_archive,
        name="challenge_archive",
    ),
    path(
        "challenges/<slug:name>/delete/",
        challenges.challenge_delete,
        name="challenge_delete",
    ),
]
