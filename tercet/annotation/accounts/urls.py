"""Addresses of accounts, their logins and second factors."""

from tercet.annotation.accounts import admin_views, login_views, proof_views, views
from tercet.annotation.responses import route

urlpatterns = [
    route("account/", views.account),
    route("account/proof/", proof_views.prove),
    route("account/second-factor/", views.second_factor),
    route("account/second-factor/remove/", views.second_factor_remove),
    route("account/sign-out-everywhere/", views.sign_out_everywhere),
    route("account/erase/", views.erase_own_account),
    route("accounts/", admin_views.accounts),
    route("accounts/<int:pk>/", admin_views.account_page),
    route("accounts/<int:pk>/link/", admin_views.account_link),
    route("accounts/<int:pk>/state/", admin_views.account_state),
    route("accounts/<int:pk>/administrator/", admin_views.account_administrator),
    route("accounts/<int:pk>/erase/", admin_views.account_erase),
    route("accounts/<int:pk>/role/", admin_views.account_role),
    route("password/reset/", login_views.password_reset),
]
