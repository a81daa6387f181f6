"""Change the state and the votes of a study while people are judging, and archive it."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from tercet.analysis.tables.settings import MAX_VOTES
from tercet.annotation.judging.quotas import (
    count_checks_where_open,
    update_stopped_pairs,
)
from tercet.annotation.models import Challenge, Dataset, Study
from tercet.annotation.models.base import store
from tercet.annotation.models.study import LinkUsers, State
from tercet.annotation.studies.audit import log, log_site
from tercet.annotation.studies.compaction import remove_former_keys

TRANSITIONS = {
    State.DRAFT: [State.OPEN],
    State.OPEN: [State.PAUSED, State.CLOSED],
    State.PAUSED: [State.OPEN, State.CLOSED],
    State.CLOSED: [State.OPEN],
}
"""The states to which a study can change from each state."""


class NotPossible(ValueError):
    """A change that is not allowed; the message, filled with the values, says why.

    `field` is the field of a form that has to be changed, if it is known.
    """

    field: str | None = None

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message % values if values else message)


@transaction.atomic
def set_state(study: Study, state: State, by: User | None) -> None:
    """Open, pause, close or reopen a study; existing leases can still be answered.

    Closing it destroys the key of its networks. Raises NotPossible.
    """
    locked = study.lock()
    if state == locked.state:
        return
    if locked.archived_at:
        message = "Take the study out of the archive first."
        raise NotPossible(message)
    if state not in TRANSITIONS[State(locked.state)]:
        message = "A study that is %(was)s cannot become %(state)s."
        wanted = Study(state=state).get_state_display()
        was = locked.get_state_display()
        raise NotPossible(message, was=was, state=wanted)

    if locked.state != State.PAUSED and state == State.OPEN:
        _check_link_users(locked)

    log(locked, by, f"made it {state}", was=locked.state)
    study.state = state
    study.network_key = locked.network_key
    if state == State.CLOSED:
        study.network_key = ""
        transaction.on_commit(remove_former_keys)

    study.save(update_fields=["state", "network_key"])


def _check_link_users(study: Study) -> None:
    """Raise NotPossible where nobody has said who will use an open shared link."""
    if study.link_is_open and study.link_users == LinkUsers.UNASKED:
        message = (
            "First choose who will use the shared link, people at one place or anywhere: Settings, "
            "“Who can take part”."
        )
        raise NotPossible(message)


@transaction.atomic
def describe_dataset(
    dataset: Dataset, texts: Mapping[str, str], by: User | None
) -> None:
    """Change what a dataset says about itself, by the names of its fields, and log it."""
    locked = dataset.lock()
    changed = [name for name, text in texts.items() if getattr(locked, name) != text]
    if not changed:
        return

    store(locked, **{name: texts[name] for name in changed})
    log_site(by, "changed dataset", name=locked.name, settings=changed)


@transaction.atomic
def raise_votes(study: Study, votes: int, by: User | None) -> int:
    """Increase the votes per question; return how many votes are needed in addition.

    Finished questions reopen. Raises NotPossible for a number that is not higher.
    """
    locked = study.lock()
    if votes > MAX_VOTES:
        message = "A question can have at most %(most)s votes. Enter a lower number."
        raise NotPossible(message, most=MAX_VOTES)
    if votes <= locked.votes:
        message = "The study already needs %(votes)s votes per question. Enter a higher number."
        raise NotPossible(message, votes=locked.votes)

    log(locked, by, "raised votes", was=locked.votes, now=votes)
    store(study, votes=votes)

    in_order = locked.questions.order_by("pk")
    questions = in_order.select_for_update(no_key=True)
    needed = questions.values_list("needed", flat=True)
    additional = sum(max(0, votes - each) for each in needed)

    locked.questions.filter(needed__lt=votes).update(needed=votes)
    count_checks_where_open(locked.questions.all())
    update_stopped_pairs(locked)
    return additional


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
        message = "Pause or close the study before you archive it."
        raise NotPossible(message)

    events = _EVENTS[type(owned)]
    what = events[0 if archived else 1]
    if isinstance(locked, Study):
        log(locked, by, what)
    else:
        kind = "challenge" if isinstance(locked, Challenge) else "name"
        details = {kind: locked.name}
        log_site(by, what, **details)

    store(locked, archived_at=timezone.now() if archived else None)
