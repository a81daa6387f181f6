"""Erase who an account belonged to, and keep what it did under a pseudonym."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import CASCADE
from django.utils.crypto import get_random_string

from tercet.annotation.challenges.tasks import request_boards
from tercet.annotation.judging.quotas import lock_annotator
from tercet.annotation.models import Annotator, Challenge, Study, Upload
from tercet.annotation.operations.cleanup import delete_upload
from tercet.annotation.quality.erasure import (
    add_to_list,
    check_no_evaluation,
    replace_annotator,
)
from tercet.annotation.quality.erasures import opaque_id, remembered
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.quality.scrubbing import scrub_account
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.compaction import compact
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import is_only_owner

_FORMER_TABLES = {"annotation_identity"}
"""What earlier versions knew of accounts; these tables are dropped in the next release."""
_REASON = "Erased."
"""Why people are excluded whom a restored backup has as included."""


@transaction.atomic
def erase_account(account: User, by: User | None) -> str:
    """Erase an account, and return its pseudonym, under which its submissions and log entries stay.

    Its votes stay under new pseudonyms of each study. The account cannot log in any more. The list
    of erasures knows it, and the database is compacted once this is committed.
    Raises NotPossible for the only owner or administrator, while an evaluation of one of its
    studies runs, or where the list cannot be written.
    """
    account = User.objects.select_for_update().get(pk=account.pk)
    _check_not_last(account)
    for person in _people_of(account):
        check_no_evaluation(person.study)

    key = opaque_id(account)
    changed = _replace_account(account, by)

    transaction.on_commit(partial(compact, changed))
    add_to_list(key)
    return account.username


def _replace_account(account: User, by: User | None) -> set[str]:
    """Take from an account all that says whose it was; return the tables that have changed."""
    name = f"erased-{get_random_string(10).lower()}"
    changed = {User._meta.db_table}

    for person in _people_of(account):
        changed |= replace_annotator(lock_annotator(person.pk), by)[1]
    changed |= scrub_account(account, name) | _delete_belongings(account)
    # only the day on which the account was created stays
    joined = account.date_joined.replace(hour=0, minute=0, second=0, microsecond=0)
    blank = User(pk=account.pk, username=name, date_joined=joined)
    blank.is_active = False
    blank.set_unusable_password()

    blank.save(force_update=True)
    account.refresh_from_db()

    for challenge in Challenge.objects.filter(submissions__user=account):
        request_boards(challenge)
    log_site(by, "erased account", user=name)
    return changed


def _people_of(account: User) -> "Iterable[Annotator]":
    """Return the annotators of all studies whom an account was."""
    people = Annotator.objects.filter(user=account)
    return people.select_related("study").order_by("pk")


def _check_not_last(account: User) -> None:
    """Raise NotPossible where nobody else could do what an account does."""
    others = User.objects.filter(is_active=True, is_staff=True)
    if account.is_staff and not others.exclude(pk=account.pk).exists():
        message = "This is the only administrator. Make another account an administrator first."
        raise NotPossible(message)

    studies = Study.objects.filter(roles__user=account)
    challenges = Challenge.objects.filter(roles__user=account)
    owned: list[Study | Challenge] = [*studies, *challenges]
    titles = [each.title for each in owned if is_only_owner(account, each)]
    if titles:
        message = (
            "This account is the only owner of %(titles)s. Make another account an owner "
            "first."
        )
        raise NotPossible(message, titles=", ".join(titles))


def _delete_belongings(account: User) -> set[str]:
    """Delete roles, sessions, second factors and the like; return their tables."""
    for upload in Upload.objects.filter(created_by=account):
        delete_upload(upload)
    account.study_roles.all().delete()
    account.challenge_roles.all().delete()

    tables = {Upload._meta.db_table}
    relations: list[Any] = User._meta.get_fields(include_hidden=True)
    for relation in relations:
        if getattr(relation, "on_delete", None) is not CASCADE:
            continue
        model: Any = relation.related_model
        own = model._base_manager.filter(**{relation.remote_field.name: account})
        if own.delete()[0]:
            tables.add(model._meta.db_table)

    with connection.cursor() as cursor:
        for table in _FORMER_TABLES:
            cursor.execute(f"DELETE FROM {table} WHERE user_id = %s", [account.pk])
    return tables | _FORMER_TABLES


def erase_again() -> int:
    """Erase everybody whom the list of erasures knows; return how many were still there.

    People who were excluded when they were erased are excluded again.
    """
    listed = remembered()
    if not listed:
        return 0

    with transaction.atomic():
        changed = [
            _replace_person(person, is_excluded=listed[key])
            for person in Annotator.objects.order_by("pk")
            if (key := opaque_id(person)) in listed
        ]
        changed += [
            _replace_account(account, None)
            for account in User.objects.order_by("pk")
            if opaque_id(account) in listed
        ]

    if changed:
        compact(set().union(*changed))
    return len(changed)


def _replace_person(person: Annotator, *, is_excluded: bool) -> set[str]:
    successor, changed = replace_annotator(lock_annotator(person.pk), None)
    if is_excluded:
        exclude_annotator(successor, None, _REASON)

    return changed
