"""The read-only mode: people read, and nothing is written, during migrations and incidents.

A file in DATA_DIR switches it on, so that it needs neither a restart nor the database.
"""

import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

NAME = "read-only"
RETRY = timedelta(minutes=1)
"""When to try again where the expected end is not known, or has passed."""
_PAUSE_SECONDS = 1
WRITING = re.compile(
    r"\b(INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER|DROP|TRUNCATE|VACUUM)\b", re.IGNORECASE
)
"""Words of statements that write, or lock rows to do so; names of columns have none of them."""
_BEGINNING = re.compile(rf"BEGIN|{WRITING.pattern}", re.IGNORECASE)

_Execute = Callable[..., Any]


class WriteRefused(Exception):
    """A statement that writes while the site is read-only."""


def is_read_only() -> bool:
    """Return whether the site is read-only."""
    return _file().exists()


def expected_end() -> datetime | None:
    """Return when the read-only mode is expected to end, if that is known."""
    try:
        return datetime.fromisoformat(_file().read_text())
    except (OSError, ValueError):
        return None


def retry_after() -> timedelta:
    """Return when to try again."""
    end = expected_end()
    return max(RETRY, end - timezone.now()) if end else RETRY


def switch_on(minutes: int | None = None) -> None:
    """Make the site read-only at once; it stays so until it is switched off."""
    end = minutes and timezone.now() + timedelta(minutes=minutes)
    _file().write_text(end.isoformat() if end else "")


def switch_off() -> None:
    """Let people write again."""
    _file().unlink(missing_ok=True)


def _file() -> Path:
    return Path(settings.DATA_DIR) / NAME


def writes_refused() -> AbstractContextManager[None]:
    """Raise WriteRefused for each statement that writes."""
    return connection.execute_wrapper(_refuse)


def _refuse(execute: _Execute, sql: str, params: Any, many: bool, context: Any) -> Any:
    if WRITING.search(sql):
        raise WriteRefused

    return execute(sql, params, many, context)


def writes_delayed() -> AbstractContextManager[None]:
    """Let transactions that write wait until the site is not read-only; one that has begun ends."""
    return connection.execute_wrapper(_delay)


def _delay(execute: _Execute, sql: str, params: Any, many: bool, context: Any) -> Any:
    while _BEGINNING.search(sql) and is_read_only() and not _is_in_transaction():
        time.sleep(_PAUSE_SECONDS)

    return execute(sql, params, many, context)


def _is_in_transaction() -> bool:
    raw: Any = connection.connection
    if connection.vendor == "sqlite":
        return bool(raw.in_transaction)

    status = raw.info.transaction_status
    return bool(status != type(status).IDLE)
