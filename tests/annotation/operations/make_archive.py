"""`python -m tests.annotation.operations.make_archive CHECKOUT VERSION`: archive a release.

Makes a small study with votes by the commands of a checkout of that release, on SQLite and on
PostgreSQL, and writes backups of it into `archives/`. A commit may stand in place of a release.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.postgresql import CLIENT, postgresql
from tests.support.folders import ROOT, dataset_folder

ARCHIVES = Path(__file__).parent / "archives"
BACKUP = "tercet/annotation/management/commands/backup.py"
FILL = """
from django.contrib.auth.models import User
from tercet.annotation.models import Annotator, Evaluation, Study
study = Study.objects.get()
owner = User.objects.create_user("owner", password="brisk-lantern-58", is_staff=True)
study.roles.create(user=owner, rank="owner")
Annotator.objects.filter(pk=Annotator.objects.earliest("pk").pk).update(label="Kim")
Evaluation.objects.create(study=study, state="done", votes=24)

from django.apps import apps
if apps.is_installed("django_otp.plugins.otp_totp"):
    from django_otp.plugins.otp_static.models import StaticDevice
    from django_otp.plugins.otp_totp.models import TOTPDevice
    User.objects.update(email="Owner@example.org")
    TOTPDevice.objects.create(user=owner, name="app", key=b"the key of an app...".hex())
    codes = StaticDevice.objects.create(user=owner, name="recovery codes")
    codes.token_set.create(token="mfrggzdf")
"""


def archive(checkout: Path, database: str, target: Path) -> None:
    """Fill a database by the commands of a checkout, and back it up: by this one's if it cannot."""
    with TemporaryDirectory() as folder:
        data = Path(folder)
        url = database or f"sqlite:///{data}/tercet.sqlite3"
        environment = os.environ | {
            "DATA_DIR": folder,
            "DATABASE_URL": url,
            "SECRET_KEY": "a key of this archive, which is long enough for the site",
            "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
            "PATH": f"{CLIENT}:{os.environ['PATH']}",
        }
        small = dataset_folder(data / "small")
        commands = (
            ("migrate", "-v0"),
            ("import_dataset", str(small)),
            ("create_study", "small", "--open"),
            ("simulate", "small-triplet", "--annotators", "3", "--votes", "24"),
            ("shell", "--no-imports", "-c", FILL),
        )

        for command in commands:
            subprocess.run(
                [sys.executable, "manage.py", *command],
                cwd=checkout,
                env=environment,
                check=True,
            )

        backup = [sys.executable, "manage.py", "backup", str(target)]
        has_own = (checkout / BACKUP).exists()
        where = checkout if has_own else ROOT
        subprocess.run(backup, cwd=where, env=environment, check=True)


def main(checkout: Path, version: str) -> None:
    archive(checkout, "", ARCHIVES / f"{version}-sqlite.zip")
    with postgresql() as url:
        archive(checkout, url, ARCHIVES / f"{version}-postgresql.zip")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
