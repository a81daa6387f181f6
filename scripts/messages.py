"""`python -m scripts.messages`: collect the texts of annotators' pages for their translations.

Pages for researchers are in English only: their texts are not marked. Needs gettext.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEVER = ["build/*", "docs/*", "tests/*", "var/*", ".venv/*"]


def main() -> None:
    """Bring the files of all languages up to date."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tercet.config.settings")
    os.environ.setdefault("DJANGO_DEBUG", "1")
    subprocess.run([*command(), "--no-location"], cwd=ROOT, check=True)


def command() -> list[str]:
    """Return the command that collects the texts, in the current folder."""
    from django.conf import settings
    from django.utils.translation import to_locale

    codes = dict(settings.LANGUAGES)
    del codes[settings.LANGUAGE_CODE]
    ignored = [part for pattern in NEVER for part in ("--ignore", pattern)]
    locales = [f"--locale={to_locale(code)}" for code in codes]

    return [
        *(sys.executable, "manage.py", "makemessages", "--no-wrap", "--no-obsolete"),
        *locales,
        *ignored,
    ]


if __name__ == "__main__":
    main()
