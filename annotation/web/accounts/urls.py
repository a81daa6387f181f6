"""Addresses of accounts, their logins and second factors."""

from django.urls import path

from tercet.annotation.web.accounts import admin_views, login_views, views

urlpatterns = [
    path("account/", views.account, name="account"),
    path("account/second-factor/", views.second_factor, name="second_factor"),
    path(
        "account/second-factor/remove/",
        views.second_factor_remove,
        name="second_factor_remove",
    ),
    path(
        "account/sign-out-everywhere/",
        views.sign_out_everywhere,
        name="sign_out_everywhere",
    ),
    path("account/erase/", views.erase_own_account, name="erase_own_account"),
    path("accounts/", admin_views.accounts, name="accounts"),
    path("accounts/<int:pk>/", admin_views.account_page, name="account_page"),
    path("accounts/<int:pk>/link/", admin_views.account_link, name="account_link"),
    path("accounts/<int:pk>/state/", admin_views.account_state, name="account_state"),
    path(
        "accounts/<int:pk>/administrator/",
        admin_views.account_administrator,
        name="account_administrator",
    ),
    path("accounts/<int:pk>/erase/", admin_views.account_erase, name="account_erase"),
    path("accounts/<int:pk>/role/", admin_views.account_role, name="account_role"),
    path("password/reset/", login_views.password_reset, name="password_reset"),
]
