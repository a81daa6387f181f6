"""How far a study has come."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from tercet.analysis.number_texts import plural
from tercet.annotation.judging.leases import INACTIVE_SECONDS, end_leases_of_inactive
from tercet.annotation.models import Remark, Snapshot, Study
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.models.question import Subject
from tercet.annotation.participation.flow import step_of
from tercet.annotation.permissions import may_see_names, owners_only, researchers_only
from tercet.annotation.quality.crowd import crowd_standing
from tercet.annotation.quality.networks import network_context
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import page_in, safe_page, show_success
from tercet.annotation.results.snapshot_views import snapshot_context, snapshot_of
from tercet.annotation.studies import progress
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.roles import is_owner

ANNOTATORS_PER_PAGE = 20
_MAX_REMARKS = 10
"""The latest remarks, which the page shows; all are in the archive."""
_MAX_HOLDERS = 20
"""The annotators with held questions whom the page lists."""
_NO_PROGRESS: Mapping[str, Any] = {"minutes": {}, "people": {}}


@researchers_only
@safe_page
def study_progress(request: UserRequest, study: Study) -> HttpResponse:
    """Show the progress of a study; an open page reloads its parts."""
    text = request.GET.get("find", "").strip()
    names = may_see_names(request.user, study)
    snapshot = snapshot_of(study, EvaluationKind.PROGRESS)
    annotators = progress.search_annotators(study, text, names=names)
    page = page_in(request, annotators, ANNOTATORS_PER_PAGE)
    shown = list(page.object_list)
    for annotator in shown:
        annotator.study = study
        annotator.step = step_of(annotator)  # the one that they see next

    may_change = is_owner(request.user, study)
    content = (snapshot.content or _NO_PROGRESS) if snapshot else None
    if content is None:
        done = progress.annotator_stats(shown)
    else:
        done = progress.kept_stats(shown, content)

    context: dict[str, object] = {
        "study": study,
        "find": text,
        "may_see_names": names,
        "may_change": may_change,
        "crowd": crowd_standing(study) if may_change else None,
        "page": page,
        "done": done,
        "holders": progress.holders(study)[:_MAX_HOLDERS],
        "inactive_minutes": INACTIVE_SECONDS // 60,
        "remarks": _remarks_of(study)[:_MAX_REMARKS],
        "remark_count": _remarks_of(study).count(),
    }
    context |= _totals(study, snapshot) | network_context(study)
    context |= progress.annotator_counts(study) | snapshot_context(snapshot)
    return render(request, "studies/progress.html", context)


@owners_only
@require_POST
def study_free(request: UserRequest, study: Study) -> HttpResponse:
    """Free the questions that inactive annotators hold."""
    freed = end_leases_of_inactive(study)
    if freed:
        log(study, request.user, "freed questions", freed=freed)
        message = plural(
            freed,
            "%(count)s question is free again.",
            "%(count)s questions are free again.",
        )
        show_success(request, message, count=freed)
    else:
        messages.info(request, "Nobody who holds questions is inactive.")

    return redirect("study_progress", study.name)


def _remarks_of(study: Study) -> "QuerySet[Remark]":
    remarks = Remark.objects.filter(annotator__study=study, annotator__is_test=False)
    questions = [f"question__{name}" for name in Subject._fields]
    return remarks.select_related("annotator", *questions)


def _totals(study: Study, snapshot: Snapshot | None) -> dict[str, object]:
    now = timezone.now()
    totals, by_votes = progress.question_counts(study)

    if snapshot is None:
        recent = progress.votes_by_minute(study, now - timedelta(hours=progress.HOURS))
    else:
        content = snapshot.content or _NO_PROGRESS
        recent = progress.recent_votes(content)
        now = snapshot.computed_at or now

    saved = study.questions.saved() if study.stop_early else 0
    left = totals["needed"] - totals["votes"] - saved
    span = progress.hours_left(recent, left, now)

    columns = {str(votes): count for votes, count in by_votes.items()}
    return {
        "totals": totals,
        "saved": saved,
        "left": left,
        "time_left": progress.span_in_words(span) if span else "",
        "by_votes": progress.bars(columns, labels=10),
        "by_hour": progress.bars(progress.votes_by_hour(recent, now), labels=3),
    }
