"""The pairs of a study: how people decided them, and why metrics prefer one candidate."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from analysis.dataset.schema import ordered_categories
from annotation.models import Study
from annotation.permissions import researchers_only
from annotation.requests import AuthenticatedHttpRequest
from annotation.results.pair_list import (
    keys_of,
    last_report,
    listed,
    matching,
    winners_in,
)
from annotation.results.pair_page import (
    chosen_metric,
    explain,
    scores_in,
    scores_of,
    votes_by_triplet,
)

PAIRS_PER_PAGE = 50


@researchers_only
@never_cache
@require_safe
def study_pairs(
    request: AuthenticatedHttpRequest, study: Study
) -> HttpResponse:
    """List the pairs of a study, which can be searched, filtered and ordered."""
    chosen = {
        name: request.GET.get(name, "").replace("\0", "").strip()
        for name in ("find", "category", "winner", "order")
    }
    report = last_report(study)
    winners = winners_in(report)

    pairs = matching(
        study, chosen["find"], request.GET.get("category") or None
    )
    keys = keys_of(pairs, winners, chosen["winner"], chosen["order"])
    page = Paginator(keys, PAIRS_PER_PAGE).get_page(request.GET.get("page"))

    context = {
        "study": study,
        "done": report,
        "chosen": chosen,
        "categories": _categories(study),
        "page": page,
        "pairs": listed(page.object_list, winners),
    }
    return render(request, "study/pairs.html", context)


def _categories(study: Study) -> tuple[str, ...]:
    names = study.dataset.pairs.values_list("category", flat=True)
    return ordered_categories(names.order_by().distinct())


@researchers_only
@never_cache
@require_safe
def study_pair(
    request: AuthenticatedHttpRequest, study: Study, pk: int
) -> HttpResponse:
    """Show a pair: its captions, its votes, its scores, and what made them."""
    pairs = study.dataset.pairs.select_related("b", "c", "image__dataset")
    pair = get_object_or_404(pairs, pk=pk)

    report = last_report(study)
    decided = winners_in(report).get(pair.name)
    scores = scores_in(report)

    context: dict[str, object] = {
        "study": study,
        "done": report,
        "pair": pair,
        "decided": decided,
        "references": pair.image.references.order_by("number"),
        "triplets": votes_by_triplet(study, pair),
        "previous": study.dataset.pairs.filter(pk__lt=pk)
        .order_by("-pk")
        .first(),
        "next": study.dataset.pairs.filter(pk__gt=pk).order_by("pk").first(),
    }
    if scores and (
        rows := scores_of(scores, pair, decided.winner if decided else "")
    ):
        metric = chosen_metric(scores, request.GET.get("metric", ""))
        context |= {
            "scores": rows,
            "explainable": scores.explainable,
            "metric": metric,
            "why": explain(scores, pair, metric) if metric else None,
        }

    return render(request, "study/pair.html", context)
