"""Who an annotator is: an account, the cookie of a join link, or a name."""

import secrets

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.models import Annotator, Study


def annotator_of(study: Study, user: User) -> Annotator:
    """The annotator that an account is in this study."""
    try:
        with transaction.atomic():
            return Annotator.objects.get_or_create(
                study=study, user=user, defaults={"name": pseudonym()}
            )[0]
    except IntegrityError:
        return Annotator.objects.get(study=study, user=user)


def new_annotator(study: Study) -> Annotator:
    """Somebody who came by the join link, without an account."""
    return Annotator.objects.create(study=study, name=pseudonym())


def pseudonym() -> str:
    return f"person-{secrets.token_hex(5)}"
