"""Archive studies, challenges and datasets, and take them out of the archive."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tercet.annotation.models import Challenge, Dataset, Study
from tercet.annotation.studies.audit import log, log_site
from tercet.annotation.studies.lifecycle import NotPossible

_EVENTS = {
    Study: ("archived", "took from archive"),
    Challenge: ("archived challenge", "took challenge from archive"),
    Dataset: ("archived dataset", "took dataset from archive"),
}
"""What the log calls archiving, and taking out of the archive."""


@transaction.atomic
def set_archived(
    owned: Study | Challenge | Dataset, archived: bool, by: User | None
) -> None:
    """Leave something out of lists, or list it again; raises NotPossible for an open study.

    An archived challenge takes no submissions, but its pages stay. An archived dataset cannot be
    chosen for a new study.
    """
    locked = owned.lock()
    if archived == bool(locked.archived_at):
        return
    if isinstance(locked, Study) and archived and locked.is_open:
        message = _("Pause or close the study before you archive it.")
        raise NotPossible(message)

    what = _EVENTS[type(owned)][0 if archived else 1]
    if isinstance(locked, Study):
        log(locked, by, what)
    else:
        kind = "challenge" if isinstance(locked, Challenge) else "name"
        log_site(by, what, **{kind: locked.name})

    locked.archived_at = timezone.now() if archived else None
    locked.save(update_fields=["archived_at"])
