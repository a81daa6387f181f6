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
    "annotation/accounts/creation.py",
    "annotation/accounts/identities.py",
    "annotation/accounts/logins.py",
    "annotation/accounts/password_reset.py",
    "annotation/accounts/rate_limits.py",
    "annotation/admin.py",
    "annotation/challenges/*",
    "annotation/datasets/*",
    "annotation/formats.py",
    "annotation/kinds/choice.py",
    "annotation/management/*",
    "annotation/models/accounts.py",
    "annotation/models/bulk.py",
    "annotation/models/challenge.py",
    "annotation/models/dataset.py",
    "annotation/models/evaluation.py",
    "annotation/models/operations/*",
    "annotation/models/setting_columns.py",
    "annotation/models/study.py",
    "annotation/operations/*",
    "annotation/participation/questionnaires.py",
    "annotation/posting.py",
    "annotation/quality/*",
    "annotation/results/*",
    "annotation/studies/*",
    "annotation/tasks.py",
    "annotation/templatetags/*",
    "annotation/web/accounts/admin_forms.py",
    "annotation/web/accounts/admin_views.py",
    "annotation/web/api/*",
    "annotation/web/archive.py",
    "annotation/web/challenges/*",
    "annotation/web/datasets/*",
    "annotation/web/operations/access_views.py",
    "annotation/web/operations/deleted_views.py",
    "annotation/web/operations/system_views.py",
    "annotation/web/money.py",
    "annotation/web/participation/forms.py",
    "annotation/web/participation/preview_views.py",
    "annotation/web/quality/*",
    "annotation/web/results/forms.py",
    "annotation/web/results/shared_views.py",
    "annotation/web/results/snapshot_views.py",
    "annotation/web/roles.py",
    "annotation/web/studies/*",
    "annotation/web/webhooks/*",
    "annotation/webhooks/*",
    "annotation/zipfiles.py",
    "config/*",
    "metrics/*",
    "templates/accounts/account.html",
    "templates/accounts/accounts.html",
    "templates/accounts/link_email.txt",
    "templates/accounts/status.html",
    "templates/api/*",
    "templates/challenges/*",
    "templates/datasets/*",
    "templates/documentation/*",
    "templates/operations/*",
    "templates/owned/*",
    "templates/parts/*",
    "templates/quality/*",
    "templates/results/*",
    "templates/studies/*",
    "templates/webhooks/*",
]
"""Files whose texts annotators never see."""
NEVER = ["build/*", "docs/*", "tests/*", "var/*", ".venv/*"]


def main() -> None:
    """Bring the files of all languages up to date."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tercet.config.settings")
    os.environ.setdefault("DJANGO_DEBUG", "1")
    from django.conf import settings

    partial = set(settings.ANNOTATOR_LANGUAGES)
    whole = {code for code, _name in settings.LANGUAGES} - partial
    whole.remove(settings.LANGUAGE_CODE)

    for languages, is_partial in ((whole, False), (partial, True)):
        subprocess.run(
            [*command(languages, is_partial), "--no-location"], cwd=ROOT, check=True
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
