"""Erase again who was erased after a backup was made, once it is restored."""

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.judging.quotas import lock_annotator
from tercet.annotation.models import Annotator
from tercet.annotation.operations.account_erasure import replace_account
from tercet.annotation.quality.erasure import replace_annotator
from tercet.annotation.quality.erasures import opaque_id, remembered
from tercet.annotation.studies.compaction import compact


def erase_again() -> int:
    """Erase everybody whom the list of erasures knows; return how many were still there."""
    listed = remembered()
    if not listed:
        return 0

    with transaction.atomic():
        changed = [
            replace_annotator(lock_annotator(person.pk), None, withdraw=listed[key])[1]
            for person in Annotator.objects.order_by("pk")
            if (key := opaque_id(person)) in listed
        ]
        changed += [
            replace_account(account, None)
            for account in User.objects.order_by("pk")
            if opaque_id(account) in listed
        ]

    if changed:
        compact(set().union(*changed))
    return len(changed)
