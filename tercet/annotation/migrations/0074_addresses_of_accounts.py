"""allauth knows the mail address of each account, as verified where it was proved.

It was proved by a login through a provider: an account is connected only by an address that the
provider has verified. It is not any more where Django's own pages have changed it since, or where
several accounts have it.
"""

from collections import Counter
from typing import Any

from django.db import migrations


def copy_addresses(apps: Any, _editor: object) -> None:
    users = apps.get_model("auth", "User").objects.exclude(email="")
    mails = {key: mail.lower() for key, mail in users.values_list("pk", "email")}
    accounts_of = Counter(mails.values())
    linked = apps.get_model("socialaccount", "SocialAccount").objects
    proved = set(linked.values_list("user_id", flat=True))
    changes = apps.get_model("admin", "LogEntry").objects.filter(
        content_type__app_label="auth",
        content_type__model="user",
        change_message__icontains="mail",
    )
    proved -= {int(key) for key in changes.values_list("object_id", flat=True)}

    addresses = apps.get_model("account", "EmailAddress").objects
    for key, mail in mails.items():
        is_verified = key in proved and accounts_of[mail] == 1
        known = {"primary": True, "verified": is_verified}
        addresses.get_or_create(user_id=key, email=mail, defaults=known)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0073_pictures"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]
    operations = [
        migrations.RunPython(copy_addresses, migrations.RunPython.noop),
    ]
