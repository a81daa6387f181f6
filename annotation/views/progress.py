from datetime import timedelta

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import Study
from annotation.permissions import researchers_only
from annotation.studies.progress import (
    HOURS,
    annotator_stats,
    bars,
    hours_left,
    search_annotators,
    span_in_words,
    triplets_by_votes,
    votes_by_hour,
    votes_by_minute,
)

ROWS = 100


@researchers_only
@never_cache
@require_safe
def study_progress(request: HttpRequest, row: Study) -> HttpResponse:
    """How far a study is; an open page asks for itself again and shows what is new."""
    text = request.GET.get("find", "").replace("\0", "").strip()
    page = Paginator(search_annotators(row, text), ROWS).get_page(request.GET.get("page"))
    context = {"study": row, "find": text, "page": page, "done": annotator_stats(page.object_list)}
    return render(request, "study/progress.html", context | standing(row) | people(row))


def standing(row: Study) -> dict[str, object]:
    """The counts of triplets and votes, the pace, and what is left."""
    now, totals = timezone.now(), row.triplets.progress()
    recent = votes_by_minute(row, now - timedelta(hours=HOURS))
    saved = row.triplets.saved() if row.stop_early else 0
    left = totals["needed"] - totals["votes"] - saved
    span = hours_left(recent, left, now)
    by_votes = triplets_by_votes(row)
    return {
        "totals": totals,
        "saved": saved,
        "left": left,
        "time_left": span_in_words(span) if span else "",
        "by_votes": bars({str(votes): count for votes, count in by_votes.items()}, labels=10),
        "by_hour": bars(votes_by_hour(recent, now), labels=4),
    }


def people(row: Study) -> dict[str, int]:
    real = row.annotators.real()
    return {
        "annotators": real.count(),
        "voted": real.filter(judged__gt=0).count(),
        "excluded": real.exclude(excluded_at=None).count(),
    }
