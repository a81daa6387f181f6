"""Addresses of the whole site."""

from django.contrib.staticfiles import finders
from django.test import Client


def test_browsers_find_an_icon_where_they_look_for_it() -> None:
    address = Client().get("/favicon.ico").headers["Location"]
    assert finders.find(address.removeprefix("/static/"))
