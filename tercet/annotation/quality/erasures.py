"""The list of erasures, by which a restored backup is erased again.

It is a file beside the database, which backups do not contain: each line is the opaque id of a
person or an account, and `withdrawn` where the person was excluded. An id is a digest of what stays
the same in every backup, and only that row of a backup gives it.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from tercet.annotation.models import Annotator

NAME = "erasures.txt"
COUNTED, EXCLUDED = "kept", "withdrawn"
"""Whether votes count, as it is written."""


def opaque_id(row: Annotator | User) -> str:
    """Return the id of a person of a study, or of an account, in the list."""
    if isinstance(row, Annotator):
        parts = ["annotator", row.study_id, row.pk, row.name, row.created_at]
    else:
        parts = ["account", row.pk, row.date_joined]

    text = repr([str(part) for part in parts])
    digest = sha256(text.encode())
    return digest.hexdigest()[:40]


def remember(key: str, *, excluded: bool = False) -> None:
    """Add an id to the list, on the disk: the last step of a transaction that erases.

    Take the id before anything is changed. Raises OSError where the list cannot be written.
    """
    _append(settings.ERASURES, {key: excluded})


def remembered(file: Path | None = None) -> dict[str, bool]:
    """Return which ids are in the list, and whether the person was excluded."""
    file = file or settings.ERASURES
    if not file.exists():
        return {}

    lines = map(str.split, file.read_text().splitlines())
    return {line[0]: line[1:] == [EXCLUDED] for line in lines if line}


def merge(source: Path, target: Path) -> None:
    """Add to a list what another one has beyond it."""
    known = remembered(target)
    found = remembered(source).items()
    missing = {key: value for key, value in found if key not in known}

    if missing:
        _append(target, missing)


def _append(file: Path, ids: Mapping[str, bool]) -> None:
    """Append to a list, which only its owner can read, and wait for the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    with open(descriptor, "w") as stream:
        for key, excluded in ids.items():
            stream.write(f"{key} {EXCLUDED if excluded else COUNTED}\n")
        stream.flush()
        os.fsync(descriptor)
