"""Keep what removed features held, for people who still need it."""

import json
import os
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder

FOLDER = "removed-0.3"


def write_removed(name: str, rows: Sequence[object]) -> None:
    """Write rows to `DATA_DIR/removed-0.3/NAME.json`, which only its owner can read.

    No file is replaced: where a backup is restored, there may be one of the data before it. Without
    rows, no file is written.
    """
    if not rows:
        return

    folder = Path(settings.DATA_DIR, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(rows, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    private = partial(os.open, mode=0o600)
    with open(_new_file(folder, name), "x", encoding="utf-8", opener=private) as file:
        file.write(text + "\n")


def _new_file(folder: Path, name: str) -> Path:
    """Return the first of NAME.json, NAME-2.json, … that does not exist."""
    numbered = (folder / f"{name}-{number}.json" for number in count(2))
    path = folder / f"{name}.json"
    while path.exists():
        path = next(numbered)

    return path
