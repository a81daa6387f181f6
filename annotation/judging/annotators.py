"""Create and find annotators: by account, shared link, personal link or crowdsourcing platform."""

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import User

from annotation.models import Annotator, Study


def annotator_of(study: Study, user: User) -> Annotator:
    """Return the annotator of an account in this study, created on first use."""
    return _get_or_create(study, user=user)


def crowd_annotator(
    study: Study, person: str, parameters: dict[str, str]
) -> Annotator:
    """Return the annotator whom a platform calls `person`, created on first use.

    `parameters` are the other URL parameters that the platform sent.
    """
    return _get_or_create(
        study, external_id=person, defaults={"external": parameters}
    )


def new_annotator(study: Study) -> Annotator:
    """Create an annotator who came by the shared link, without an account."""
    return Annotator.objects.create(study=study, name=pseudonym())


def test_annotator(study: Study) -> Annotator:
    """Create an annotator who tries the study out; their votes do not count."""
    return Annotator.objects.create(
        study=study, name=f"test-{pseudonym()}", is_test=True
    )


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
    annotator, _created = study.annotators.get_or_create(
        **identity, defaults=values
    )
    return annotator


def new_token() -> str:
    """Return the random part of the address of a personal link."""
    return secrets.token_urlsafe(18)


def pseudonym() -> str:
    """Return a random name for a new annotator."""
    return f"person-{secrets.token_hex(5)}"
