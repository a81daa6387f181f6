"""`python -m scripts.messages`: collect the texts of the interface for its translations.

Languages in ANNOTATOR_LANGUAGES of the settings have only the texts of the pages that annotators
see. Needs gettext.
"""

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOR_RESEARCHERS = [
    "analysis/*",
    "annotation/admin.py",
    "annotation/challenges/*",
    "annotation/exchange/*",
    "annotation/formats.py",
    "annotation/forms/access.py",
    "annotation/forms/accounts.py",
    "annotation/forms/adjudication.py",
    "annotation/forms/archive.py",
    "annotation/forms/challenge.py",
    "annotation/forms/dataset.py",
    "annotation/forms/evaluation.py",
    "annotation/forms/gold.py",
    "annotation/forms/payment.py",
    "annotation/forms/people.py",
    "annotation/forms/quality.py",
    "annotation/forms/setting_groups.py",
    "annotation/forms/study.py",
    "annotation/forms/upload.py",
    "annotation/forms/voting.py",
    "annotation/forms/webhook.py",
    "annotation/judging/questionnaires.py",
    "annotation/management/*",
    "annotation/models/access.py",
    "annotation/models/bulk.py",
    "annotation/models/challenge.py",
    "annotation/models/dataset.py",
    "annotation/models/questionnaire.py",
    "annotation/models/setting_columns.py",
    "annotation/models/study.py",
    "annotation/models/webhook.py",
    "annotation/operations/*",
    "annotation/results/*",
    "annotation/studies/*",
    "annotation/tasks.py",
    "annotation/templatetags/*",
    "annotation/views/accounts.py",
    "annotation/views/api.py",
    "annotation/views/archive.py",
    "annotation/views/challenge_people.py",
    "annotation/views/challenges.py",
    "annotation/views/comparisons.py",
    "annotation/views/datasets.py",
    "annotation/views/gold.py",
    "annotation/views/pairs.py",
    "annotation/views/people.py",
    "annotation/views/previews.py",
    "annotation/views/quality.py",
    "annotation/views/setup.py",
    "annotation/views/studies.py",
    "annotation/views/submission_api.py",
    "annotation/views/submissions.py",
    "annotation/views/tokens.py",
    "annotation/views/uploads.py",
    "annotation/views/webhooks.py",
    "config/*",
    "metrics/*",
    "templates/access.html",
    "templates/accounts/*",
    "templates/challenge/*",
    "templates/dataset/*",
    "templates/parts/*",
    "templates/study/*",
    "templates/system.html",
    "templates/upload/*",
]
"""Files whose texts annotators never see."""
NEVER = ["build/*", "docs/*", "tests/*", "var/*", ".venv/*"]


def main() -> None:
    """Bring the files of all languages up to date."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DJANGO_DEBUG", "1")
    from django.conf import settings

    partial = set(settings.ANNOTATOR_LANGUAGES)
    whole = {code for code, _name in settings.LANGUAGES} - partial
    whole.remove(settings.LANGUAGE_CODE)

    for languages, is_partial in ((whole, False), (partial, True)):
        subprocess.run(
            [*command(languages, is_partial), "--no-location"],
            cwd=ROOT,
            check=True,
        )


def command(languages: Collection[str], is_partial: bool) -> list[str]:
    """Return the command that collects the texts of languages, in the current folder."""
    from django.utils.translation import to_locale

    ignored = NEVER + (FOR_RESEARCHERS if is_partial else [])
    options = [part for pattern in ignored for part in ("--ignore", pattern)]
    locales = [f"--locale={to_locale(code)}" for code in sorted(languages)]
    make = [sys.executable, "manage.py", "makemessages", "--no-wrap"]

    return [*make, *locales, *options]


if __name__ == "__main__":
    main()
