"""The addresses of a site with an OpenID Connect provider."""

from config.urls import openid_patterns
from config.urls import urlpatterns as site

urlpatterns = [*site, *openid_patterns()]
