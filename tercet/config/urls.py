from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import URLPattern, include, path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from tercet.annotation.accounts import login_views as login
from tercet.annotation.api.studies import api

handler500 = "tercet.annotation.error_views.server_error"
urlpatterns = [
    path("", include("tercet.annotation.urls")),
    path("login/", login.login, name="login"),
    path(
        "password/change/", login.ChangePasswordView.as_view(), name="password_change"
    ),
    path(
        "password/reset/done/",
        auth.PasswordResetDoneView.as_view(),
        name="password_reset_done",
    ),
    path(
        "password/reset/<uidb64>/<token>/",
        login.NewPasswordView.as_view(),
        name="password_reset_confirm",
    ),
    path(
        "password/reset/complete/",
        auth.PasswordResetCompleteView.as_view(),
        name="password_reset_complete",
    ),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("language/", set_language, name="set_language"),
    path(
        "admin/password_change/", RedirectView.as_view(pattern_name="password_change")
    ),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}favicon.ico")),
]


def openid_patterns() -> list[URLPattern]:
    """The addresses of the login through an OpenID Connect provider; it knows the second."""
    from tercet.annotation.accounts import openid_views as openid

    return [
        path("login/openid/", openid.openid_login, name="oidc_authentication_init"),
        path(
            "login/openid/callback/",
            openid.openid_callback,
            name="oidc_authentication_callback",
        ),
    ]


if settings.OPENID:
    urlpatterns += openid_patterns()
