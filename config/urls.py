from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.generic import RedirectView
from django.views.i18n import set_language

urlpatterns = [
    path("", include("annotation.urls")),
    path(
        "login/",
        auth.LoginView.as_view(redirect_authenticated_user=True),
        name="login",
    ),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("language/", set_language, name="set_language"),
    path("accounts/", admin.site.urls),
    path(
        "favicon.ico",
        RedirectView.as_view(url=f"{settings.STATIC_URL}favicon.ico"),
    ),
]
