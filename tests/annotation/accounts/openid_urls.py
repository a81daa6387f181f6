"""The addresses of a site with an OpenID Connect provider."""

from tercet.config.urls import openid_patterns
from tercet.config.urls import urlpatterns as site

urlpatterns = [*site, *openid_patterns()]
