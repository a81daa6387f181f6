"""Addresses of the whole site."""

import subprocess
import sys

from django.contrib.staticfiles import finders
from django.test import Client

from tests.support.folders import ROOT

START = """
import sys
import django
django.setup()
import tercet.config.urls
import tercet.annotation.challenges.tasks
import tercet.annotation.datasets.tasks
print(sorted({"matplotlib", "numba", "scipy.optimize", "scipy.stats"} & set(sys.modules)))
"""


def test_browsers_find_an_icon_where_they_look_for_it() -> None:
    address = Client().get("/favicon.ico").headers["Location"]
    assert finders.find(address.removeprefix("/static/"))


def test_the_site_starts_without_libraries_that_take_seconds_to_load() -> None:
    run = subprocess.run(
        [sys.executable, "-c", START],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout == "[]\n"
