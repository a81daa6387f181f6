"""Second factors are kept by django-allauth.

The tables of django-otp go at once: no secret is to stay that people remove later, and nothing could
delete an account to which they refer. The backup before the upgrade has them.
"""

from base64 import b32encode
from collections import defaultdict
from typing import Any

from django.db import migrations

APPS = """
SELECT user_id, key FROM otp_totp_totpdevice WHERE confirmed ORDER BY id
"""
CODES = """
SELECT device.user_id, code.token FROM otp_static_statictoken AS code
JOIN otp_static_staticdevice AS device ON device.id = code.device_id
WHERE device.confirmed ORDER BY code.id
"""
FORMER = ("otp_totp_totpdevice", "otp_static_statictoken", "otp_static_staticdevice")


def move_second_factors(apps: Any, editor: Any) -> None:
    """Move the last app of each account, and all recovery codes that are not used."""
    connection = editor.connection
    if not {*FORMER} <= {*connection.introspection.table_names()}:
        return

    codes = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(APPS)
        keys = dict(cursor.fetchall())
        cursor.execute(CODES)
        for user, code in cursor.fetchall():
            codes[user].append(code)
        for table in FORMER:
            cursor.execute(f"DROP TABLE {table}")

    kept = apps.get_model("mfa", "Authenticator").objects
    for user, key in keys.items():
        secret = b32encode(bytes.fromhex(key)).decode()
        kept.create(user_id=user, type="totp", data={"secret": secret})
    for user, unused in codes.items():
        data = {"migrated_codes": unused}
        kept.create(user_id=user, type="recovery_codes", data=data)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0068_settings_as_fields"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [
        migrations.RunPython(move_second_factors, migrations.RunPython.noop)
    ]
