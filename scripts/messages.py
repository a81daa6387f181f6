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
    "tercet/analysis/*",
    "tercet/annotation/accounts/creation.py",
    "tercet/annotation/accounts/identities.py",
    "tercet/annotation/accounts/logins.py",
    "tercet/annotation/accounts/names.py",
    "tercet/annotation/accounts/password_reset.py",
    "tercet/annotation/accounts/rate_limits.py",
    "tercet/annotation/admin.py",
    "tercet/annotation/challenges/*",
    "tercet/annotation/datasets/*",
    "tercet/annotation/formats.py",
    "tercet/annotation/kinds/choice.py",
    "tercet/annotation/management/*",
    "tercet/annotation/models/accounts.py",
    "tercet/annotation/models/bulk.py",
    "tercet/annotation/models/challenge.py",
    "tercet/annotation/models/dataset.py",
    "tercet/annotation/models/evaluation.py",
    "tercet/annotation/models/operations/*",
    "tercet/annotation/models/setting_columns.py",
    "tercet/annotation/models/study.py",
    "tercet/annotation/operations/*",
    "tercet/annotation/participation/questionnaires.py",
    "tercet/annotation/quality/*",
    "tercet/annotation/results/*",
    "tercet/annotation/studies/*",
    "tercet/annotation/tasks.py",
    "tercet/annotation/templatetags/*",
    "tercet/annotation/web/accounts/admin_forms.py",
    "tercet/annotation/web/accounts/admin_views.py",
    "tercet/annotation/web/api/*",
    "tercet/annotation/web/archive.py",
    "tercet/annotation/web/challenges/*",
    "tercet/annotation/web/datasets/*",
    "tercet/annotation/web/operations/access_views.py",
    "tercet/annotation/web/operations/deleted_views.py",
    "tercet/annotation/web/operations/system_views.py",
    "tercet/annotation/web/money.py",
    "tercet/annotation/web/participation/forms.py",
    "tercet/annotation/web/participation/preview_views.py",
    "tercet/annotation/web/quality/*",
    "tercet/annotation/web/results/forms.py",
    "tercet/annotation/web/results/shared_views.py",
    "tercet/annotation/web/results/snapshot_views.py",
    "tercet/annotation/web/roles.py",
    "tercet/annotation/web/studies/*",
    "tercet/annotation/zipfiles.py",
    "tercet/config/*",
    "tercet/metrics/*",
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
