"""Addresses of the token of a study."""

from tercet.annotation.api import token_views
from tercet.annotation.responses import route

urlpatterns = [
    route("", token_views.study_api),
    route("revoke/", token_views.study_api_revoke),
]
