"""Changing a study while people are judging: its state, its settings, its number of votes."""

from django.contrib.auth.models import User
from django.db import transaction
from django.forms.models import model_to_dict
from django.utils.translation import gettext as _

from analysis.dataset.schema import LONGEST_TITLE
from analysis.dataset.study_settings import MAX_VOTES
from annotation.judging.quotas import count_checks_where_open, update_stopped_pairs
from annotation.models import Exit, Study
from annotation.models.study import State
from annotation.studies.audit import log
from annotation.studies.triplets import create_study

NEXT = {
    State.DRAFT: [State.OPEN],
    State.OPEN: [State.PAUSED, State.CLOSED],
    State.PAUSED: [State.OPEN, State.CLOSED],
    State.CLOSED: [State.OPEN],
}
"""The states that a study can be brought to from each."""
NOT_COPIED = {"id", "name", "title", "state", "created_by"}


class NotPossible(ValueError):
    """A change that the study's state does not allow, told in words."""


def lock_study(study: Study) -> Study:
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


@transaction.atomic
def set_state(study: Study, state: State, by: User | None) -> None:
    """Open, pause, close or reopen a study. Leases given out already can still be answered."""
    row = lock_study(study)
    if state == row.state:
        return
    if state not in NEXT[State(row.state)]:
        words = _("A study that is %(was)s cannot become %(state)s.")
        raise NotPossible(words % {"was": row.get_state_display(), "state": state.label})
    log(row, by, f"made it {state}", was=row.state)
    row.state = study.state = state
    row.save(update_fields=["state"])


@transaction.atomic
def raise_votes(study: Study, votes: int, by: User | None) -> int:
    """Ask for more votes a triplet; finished triplets reopen. Gives the votes asked for besides."""
    row = lock_study(study)
    if votes > MAX_VOTES:
        words = _("A triplet can have at most %(most)s votes: give a lower number.")
        raise NotPossible(words % {"most": MAX_VOTES})
    if votes <= row.votes:
        words = _("The study asks for %(votes)s votes a triplet: name a higher number.")
        raise NotPossible(words % {"votes": row.votes})
    log(row, by, "raised votes", was=row.votes, now=votes)
    row.votes = study.votes = votes
    row.save(update_fields=["votes"])
    locked = row.triplets.order_by("pk").select_for_update(no_key=True)
    missing = [max(0, votes - needed) for needed in locked.values_list("needed", flat=True)]
    row.triplets.filter(needed__lt=votes).update(needed=votes)
    count_checks_where_open(row.triplets.all())
    update_stopped_pairs(row)
    return sum(missing)


@transaction.atomic
def change_settings(study: Study, changed: dict[str, object], by: User | None) -> None:
    """Save settings that were changed, each with what it was in the audit log."""
    row = lock_study(study)
    was = {name: getattr(row, name) for name in changed}
    real = {name: value for name, value in changed.items() if value != was[name]}
    if not real:
        return
    log(row, by, "changed settings", **{name: [was[name], value] for name, value in real.items()})
    Study.objects.filter(pk=row.pk).update(**real)
    if "stop_early" in real:
        list(row.triplets.select_for_update(no_key=True).order_by("pk").values_list("pk"))
        update_stopped_pairs(Study.objects.get(pk=row.pk))


@transaction.atomic
def copy_study(study: Study, by: User | None) -> Study:
    """A draft of the same settings and questions, without people and votes."""
    same = model_to_dict(study, exclude=[*NOT_COPIED, "dataset"])
    copy = Study(
        **same,
        dataset=study.dataset,
        created_by=by,
        state=State.DRAFT,
        title=(_("%(title)s (copy)") % {"title": study.title})[:LONGEST_TITLE],
    )
    create_study(copy)
    Exit.objects.bulk_create(
        Exit(study=copy, outcome=row.outcome, code=row.code, url=row.url)
        for row in study.exits.all()
    )
    for answer in "BC":
        gold = study.triplets.filter(answer=answer)
        same_question = copy.triplets.filter(pair__in=gold.values("pair"))
        for pair, reference in gold.values_list("pair", "reference"):
            same_question.filter(pair=pair, reference=reference).update(answer=answer)
    log(copy, by, "copied", source=study.name)
    return copy
