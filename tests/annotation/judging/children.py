"""Processes of their own on the tests' database: only where a test holds no transaction open."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import connection

from tests.support.folders import ROOT

TIMEOUT = 1_200
"""Seconds after which a process is taken for hanging, however busy the machine is."""


def database_url(name: str = "") -> str:
    """The DATABASE_URL of the tests' database, or of another one beside it."""
    name = name or str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"

    return (
        urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{quote(name)}").geturl()
    )


def environment() -> dict[str, str]:
    """That of a process with the site's settings on the tests' database and data."""
    return os.environ | {
        "DATABASE_URL": database_url(),
        "DATA_DIR": str(Path(settings.MEDIA_ROOT).parent),
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        "PYTHONPATH": str(ROOT),
    }


def child(
    *arguments: str, timeout: float = TIMEOUT
) -> subprocess.CompletedProcess[str]:
    """Run `python …` in that environment."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(),
        text=True,
        capture_output=True,
        timeout=timeout,
        check=False,
    )


def manage(*arguments: str, timeout: float = TIMEOUT) -> str:
    """What a command of manage.py says; it must succeed."""
    done = child("manage.py", *arguments, timeout=timeout)
    assert done.returncode == 0, done.stderr

    return done.stdout
