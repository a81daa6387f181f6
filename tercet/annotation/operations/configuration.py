"""The settings of a site as they are, and where each comes from."""

import os
import re
from dataclasses import dataclass
from importlib import import_module
from urllib.parse import urlsplit

from django.conf import settings

_SETTINGS = "tercet.config.settings"
_ENTRY = re.compile(r"^([A-Z][A-Z_]+)\s+(\S.*(?:\n\s+\S.*)*)", re.MULTILINE)
"""A variable in the description of the settings, with its meaning and default."""
_DEFAULT = re.compile(r"\s*\(default:? ([^()]*)\)")
_SECRETS = ("KEY", "SECRET", "TOKEN", "PASSWORD", "DSN")
"""Words in the names of variables whose values are never shown."""
_HIDDEN = "•••"

_ENVIRONMENT = "environment"
_FILE = "file"
_DEFAULT_SOURCE = "default"


@dataclass(frozen=True)
class _SiteSetting:
    """A variable: what it means, its value without secrets, and where that comes from."""

    name: str
    meaning: str
    value: str
    source: str


def site_settings() -> list[_SiteSetting]:
    """Return all variables that the site reads, in the order of their description."""
    description = import_module(_SETTINGS).__doc__ or ""
    return [_setting(name, text) for name, text in _ENTRY.findall(description)]


def _setting(name: str, text: str) -> _SiteSetting:
    words = " ".join(text.split())
    default = _DEFAULT.search(words)
    meaning = _DEFAULT.sub("", words)
    given = os.environ.get(name, "")
    if given:
        return _SiteSetting(name, meaning, _without_secrets(name, given), _ENVIRONMENT)

    if name == "SECRET_KEY":
        return _SiteSetting(name, meaning, _HIDDEN, _FILE)
    if name == "DATA_DIR":
        return _SiteSetting(name, meaning, str(settings.DATA_DIR), _DEFAULT_SOURCE)

    return _SiteSetting(name, meaning, default[1] if default else "", _DEFAULT_SOURCE)


def _without_secrets(name: str, value: str) -> str:
    """Return a value to show; of an address, what names no account and has no parameters."""
    if any(word in name.split("_") for word in _SECRETS):
        return _HIDDEN

    try:
        parts = urlsplit(value)
        has_more = "@" in parts.netloc or parts.query or parts.fragment
        if not parts.scheme or not has_more:
            return value
        account = f"{_HIDDEN}@" if "@" in parts.netloc else ""
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return _HIDDEN

    return f"{parts.scheme}://{account}{host}{parts.path}"
