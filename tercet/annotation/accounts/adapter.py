"""What django-allauth is to do otherwise on this site."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts are made by administrators and by links; a login needs no message."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_stages(self) -> list[str]:
        """Ask for nothing before a login: `SecondFactorMiddleware` asks after it."""
        return []

    def add_message(self, *message: Any, **more: Any) -> None:
        """Say nothing: pages of the site say what they did."""
