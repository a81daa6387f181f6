"""The addresses of a site with an OpenID Connect provider."""

from tercet.config.urls import openid_patterns, urlpatterns as site

urlpatterns = [*site, *openid_patterns()]
