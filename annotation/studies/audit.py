"""The audit log: every change of a study, exclusion and role, with who and when."""

from django.contrib.auth.models import User

from annotation.models import Event, Study


def log(study: Study, by: User | None, what: str, **details: object) -> Event:
    return Event.objects.create(study=study, by=by, what=what, details=details)
