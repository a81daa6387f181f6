"""Create and find annotators: by account, shared link, personal link or crowdsourcing platform."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from tercet.annotation.judging.codes import new_code
from tercet.annotation.judging.quotas import lock_annotator
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.base import store

RESUME_TRIES = 10
"""Wrong resume codes per hour, after which none is accepted for a while."""
FORGET_TRY_AFTER = timedelta(hours=1) / RESUME_TRIES


def annotator_of(study: Study, user: User) -> Annotator:
    """Return the annotator of an account in this study, created on first use."""
    return _get_or_create(study, user=user)


class PersonTaken(ValueError):
    """The study already has an annotator with this id of the platform."""


def new_crowd_annotator(
    study: Study, person: str, parameters: Mapping[str, str]
) -> Annotator:
    """Create the annotator whom a platform calls `person`; raises PersonTaken.

    `parameters` are the other URL parameters that the platform sent.
    """
    annotator = Annotator(study=study, name=pseudonym(), external_id=person)
    annotator.external = dict(parameters)
    annotator.resume_code = new_code()

    try:
        with transaction.atomic():
            annotator.save(force_insert=True)
    except IntegrityError:
        raise PersonTaken from None

    return annotator


@transaction.atomic
def replace_crowd_annotator(
    former: Annotator, parameters: Mapping[str, str]
) -> Annotator:
    """Create somebody anew who has not taken part, so that no browser stays the former one.

    Otherwise a browser in which anybody with this id declined could take part as them later.
    Raises PersonTaken where the former one has begun or is gone meanwhile.
    """
    try:
        locked = lock_annotator(former.pk)
    except Annotator.DoesNotExist:
        raise PersonTaken from None
    if (locked.step, locked.leases_given) != (former.step, 0):
        raise PersonTaken

    person = locked.external_id
    store(locked, external_id="")
    annotator = new_crowd_annotator(locked.study, person, parameters)

    locked.delete()
    return annotator


class TooManyTries(ValueError):
    """Many wrong resume codes were given for a person within an hour."""


@transaction.atomic
def try_resume_code(annotator: Annotator, text: str) -> bool:
    """Return whether a text is the annotator's resume code, and count a wrong one.

    Raises TooManyTries, whether the code is right or wrong.
    """
    locked = lock_annotator(annotator.pk)
    now = timezone.now()
    tries_until = max(locked.resume_tries_until or now, now)
    if tries_until > now + (RESUME_TRIES - 1) * FORGET_TRY_AFTER:
        raise TooManyTries
    if is_resume_code(locked, text):
        return True

    store(locked, resume_tries_until=tries_until + FORGET_TRY_AFTER)
    return False


def is_resume_code(annotator: Annotator, text: str) -> bool:
    """Return whether a text is the annotator's resume code, however it is spaced and cased."""
    given = "".join(filter(str.isalnum, text.upper()))
    expected = annotator.resume_code.replace("-", "")
    return bool(expected) and secrets.compare_digest(given.encode(), expected.encode())


def new_annotator(study: Study) -> Annotator:
    """Create an annotator who came by the shared link, without an account."""
    code = new_code()
    return Annotator.objects.create(study=study, name=pseudonym(), resume_code=code)


def test_annotator(study: Study) -> Annotator:
    """Create an annotator who tries the study out; their votes do not count."""
    name = f"test-{pseudonym()}"
    return Annotator.objects.create(study=study, name=name, is_test=True)


def personal_links(study: Study, labels: Iterable[str]) -> list[Annotator]:
    """Return an annotator with a personal link for each label; existing links are kept."""
    return [
        _get_or_create(study, label=label, defaults={"token": new_token()})
        for label in labels
    ]


def _get_or_create(
    study: Study, defaults: dict[str, object] | None = None, **identity: object
) -> Annotator:
    values = {"name": pseudonym()} | (defaults or {})
    annotator, _created = study.annotators.get_or_create(**identity, defaults=values)
    return annotator


def new_token() -> str:
    """Return the random part of the address of a personal link."""
    return secrets.token_urlsafe(18)


def pseudonym() -> str:
    """Return a random name for a new annotator."""
    return f"person-{secrets.token_hex(5)}"
