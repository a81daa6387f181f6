"""The database of each release becomes one of this version, and loses nothing."""

from base64 import b32encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import global_settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from tercet.annotation.judging.quotas import miscounted
from tercet.annotation.models import Answer, Question, Study
from tercet.annotation.operations import backup
from tercet.annotation.operations.backup import RENAMED_TABLES, restore_backup
from tercet.annotation.participation.simulation import simulate
from tests.annotation.accounts.app import code_of
from tests.annotation.accounts.provider import Provider, go
from tests.annotation.accounts.provider import provider as provider
from tests.annotation.operations.make_archive import ARCHIVES
from tests.postgresql import CLIENT

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

RELEASES = sorted({path.name.partition("-")[0] for path in ARCHIVES.glob("*.zip")})
RENAMED = {
    ("annotation_study", "most"): "max_judgments",
    ("annotation_study", "fastest"): "min_seconds",
    ("annotation_triplet", "votes"): "answers",
    ("annotation_triplet", "answer"): "gold",
    ("annotation_vote", "triplet_id"): "question_id",
    ("annotation_lease", "triplet_id"): "question_id",
    ("annotation_remark", "triplet_id"): "question_id",
}
REMOVED = {("annotation_study", "bonus"), ("annotation_study", "bonus_gold")}
"""Columns of a release whose values are kept elsewhere: see `models/test_migrations.py`."""
OWNER = {"username": "owner", "password": "brisk-lantern-58"}
"""Whom `make_archive` makes."""
KEY, RECOVERY_CODE = b"the key of an app...", "mfrggzdf"
Rows = dict[str, dict[Any, dict[str, Any]]]
"""The rows of each table, by their primary keys."""


def stored() -> Rows:
    """What people have made: all but permissions, sessions and Django's own notes."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith("annotation_") or table == "auth_user":
                cursor.execute(f"SELECT * FROM {table}")
                names = [column[0] for column in cursor.description]
                rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
                found[table] = {row.get("id", row.get("name")): row for row in rows}

    return found


def lost(before: Rows, after: Rows) -> Iterator[str]:
    """Name every value of one database that another one lacks."""
    for earlier, rows in before.items():
        table = RENAMED_TABLES.get(earlier, earlier)
        for key, row in rows.items():
            for column, value in row.items():
                name = RENAMED.get((earlier, column), column)
                now = after.get(table, {}).get(key, {}).get(name, "nothing")
                if column == "email":  # allauth keeps mail addresses in lower case
                    value = str(value).lower()
                if now != value and (earlier, column) not in REMOVED:
                    yield f"{table} {key}: {column} was {value!r}, now {now!r}"


def schema() -> dict[str, Any]:
    """The columns, constraints and indexes of each table, without the names of constraints."""
    found = {}
    with connection.cursor() as cursor:
        look = connection.introspection
        for table in look.table_names(cursor):
            if table.startswith("annotation_"):
                columns = {
                    (column.name, column.type_code, column.null_ok, column.default)
                    for column in look.get_table_description(cursor, table)
                }
                constraints = look.get_constraints(cursor, table).values()
                found[table] = columns, sorted(map(str, constraints))

    return found


@pytest.fixture
def archive(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(CLIENT), prepend=":")
    return ARCHIVES / f"{request.param}-{connection.vendor}.zip"


@pytest.mark.parametrize("archive", RELEASES, indirect=True)
def test_a_release_is_upgraded_and_goes_on(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: Rows = {}

    def migrate(*command: object, **options: object) -> None:
        before.update(stored())
        call_command("migrate", verbosity=0)

    new = schema()
    monkeypatch.setattr(backup, "call_command", migrate)
    restore_backup(archive, replace=True)

    assert before.get("annotation_vote") or before["annotation_answer"]
    assert list(lost(before, stored())) == []
    assert miscounted(Question.objects.all()) == 0
    assert schema() == new

    study = Study.objects.get()
    list(simulate(study, [1, 2, 3, 4], 1, {}, 0))

    assert Answer.objects.count() == 36
    assert miscounted(Question.objects.all()) == 0


def store(table: str, **values: Any) -> None:
    """Insert a row into a table as it is before the upgrade."""
    names, places = ", ".join(values), ", ".join(["%s"] * len(values))
    with connection.cursor() as cursor:
        statement = f"INSERT INTO {table} ({names}) VALUES ({places})"
        cursor.execute(statement, list(values.values()))


def second_factor(owner: int) -> None:
    """Let an account have an app and a recovery code, as django-otp kept them."""
    device = {"user_id": owner, "name": "app", "confirmed": True}
    unused = {"throttling_failure_count": 0}
    app = {"step": 30, "t0": 0, "digits": 6, "tolerance": 1, "drift": 0, "last_t": -1}
    store("otp_totp_totpdevice", key=KEY.hex(), **device, **unused, **app)
    store("otp_static_staticdevice", id=1, **device, **unused)
    store("otp_static_statictoken", device_id=1, token=RECOVERY_CODE)


def has_table_without_rows(table: str) -> bool:
    if table not in connection.introspection.table_names():
        return False

    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return bool(cursor.fetchone() == (0,))


@pytest.mark.parametrize("archive", RELEASES, indirect=True)
def test_people_of_a_release_log_in_as_before(
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    provider: Provider,
    settings: Settings,
) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    now = timezone.now()

    def migrate(*command: object, **options: object) -> None:
        call_command("migrate", "annotation", "0065", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute("SELECT id FROM auth_user WHERE username = 'owner'")
            (owner,) = cursor.fetchone()
        known = {"user_id": owner, "issuer": provider.issuer, "created_at": now}
        store("annotation_identity", subject="s-1", **known)
        store("annotation_identity", subject="s" * 255, **known | {"issuer": "other"})
        if has_table_without_rows("otp_totp_totpdevice"):
            second_factor(owner)
        call_command("migrate", verbosity=0)

    monkeypatch.setattr(backup, "call_command", migrate)
    restore_backup(archive, replace=True)

    proved = User.objects.exclude(email="").values_list("email", flat=True)
    known = EmailAddress.objects.filter(verified=True, primary=True)
    assert [each.email for each in known] == [mail.lower() for mail in proved]

    has_factor = Authenticator.objects.exists()
    for code in (code_of(b32encode(KEY).decode()), RECOVERY_CODE):
        by_password, by_provider = Client(), Client()
        by_password.post(reverse("login"), OWNER)
        by_provider.get(go(by_provider))
        for browser in (by_password, by_provider):
            answer = browser.get(reverse("account"))
            assert answer.status_code == (302 if has_factor else 200)
        if has_factor:
            by_password.post(reverse("second_factor"), {"token": code})
            assert by_password.get(reverse("account")).status_code == 200


@pytest.mark.parametrize("archive", RELEASES, indirect=True)
def test_the_backup_of_a_release_says_how_many_votes_it_has(archive: Path) -> None:
    assert backup.described(archive).votes == 24
