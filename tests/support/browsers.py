"""Browsers of accounts."""

import time

from django.contrib.auth.models import User
from django.test import Client


def logged_in(user: User, **options: object) -> Client:
    """A browser of an account whose owner has just proved who they are."""
    browser = Client(**options)  # type: ignore[arg-type]
    browser.force_login(user)
    session = browser.session
    session["proved_at"] = time.time()
    session.save()

    return browser
