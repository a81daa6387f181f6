"""Who an annotator is: an account, a cookie, a personal link, or a crowd's name for them."""

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import User

from annotation.models import Annotator, Study


def annotator_of(study: Study, user: User) -> Annotator:
    """The annotator that an account is in this study."""
    return _get_or_create_annotator(study, user=user)


def crowd_annotator(study: Study, person: str, told: dict[str, str]) -> Annotator:
    """The annotator whom a crowd calls `person`; `told` is what else its address said."""
    return _get_or_create_annotator(study, external_id=person, defaults={"external": told})


def _get_or_create_annotator(
    study: Study, defaults: dict[str, object] | None = None, **identity: object
) -> Annotator:
    new = {"name": pseudonym()} | (defaults or {})
    return study.annotators.get_or_create(**identity, defaults=new)[0]


def new_annotator(study: Study) -> Annotator:
    """Somebody who came by the shared link, without an account."""
    return Annotator.objects.create(study=study, name=pseudonym())


def test_annotator(study: Study) -> Annotator:
    """Somebody who tries the study out: their votes do not count."""
    return Annotator.objects.create(study=study, name=f"test-{pseudonym()}", is_test=True)


def personal_links(study: Study, labels: Iterable[str]) -> list[Annotator]:
    """An annotator with a link of their own for each label; one that has the label stays."""
    return [
        _get_or_create_annotator(study, label=label, defaults={"token": new_token()})
        for label in labels
    ]


def new_token() -> str:
    """What the address of a personal link holds."""
    return secrets.token_urlsafe(18)


def pseudonym() -> str:
    return f"person-{secrets.token_hex(5)}"
