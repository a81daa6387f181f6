"""The pairs of a study: how people decided them, and why metrics prefer one candidate."""

from collections.abc import Mapping

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from tercet.analysis.evaluation.pair_scores import PairScores
from tercet.analysis.tables.schema import ordered_categories
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Evaluation, Pair, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.study import Rank
from tercet.annotation.permissions import adjudicators_only, has_rank, researchers_only
from tercet.annotation.quality.adjudication import adjudicate, withdraw_adjudication
from tercet.annotation.quality.forms import AdjudicationForm
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    form_on,
    form_response,
    page_in,
    safe_page,
    show_success,
)
from tercet.annotation.results import pair_list, pair_page
from tercet.annotation.results.pair_winners import Winner, winners_of
from tercet.annotation.results.report_page import last_report, report_in
from tercet.annotation.templatetags.numbers import codes_explained

PAIRS_PER_PAGE = 24
SHOWN = {
    pair_list.TO_DECIDE: "to be decided",
    pair_list.DISPUTED: "disputed",
    pair_list.REPORTED: "with a reported problem",
    pair_list.DECIDED: "adjudicated",
}
"""Which pairs a list can be limited to."""


@researchers_only
@safe_page
def study_pairs(request: UserRequest, study: Study) -> HttpResponse:
    """List the pairs of a study, which can be searched, filtered and ordered."""
    if not kind_of(study).chooses:
        raise Http404
    chosen = _chosen(request)
    keys = _keys(study, chosen)
    page = page_in(request, keys, PAIRS_PER_PAGE)
    pairs = study.dataset.pairs
    categories = pairs.values_list("category", flat=True)

    context = {
        "study": study,
        "chosen": chosen,
        "categories": ordered_categories(categories.order_by().distinct()),
        "page": page,
        "shown": SHOWN,
        "pairs": pair_list.listed(study, page.object_list),
    }
    return render(request, "results/pairs.html", context)


def _chosen(request: UserRequest) -> dict[str, str]:
    names = ("find", "category", "winner", "order", "show")
    values = {name: request.GET.get(name, "") for name in names}
    return {name: value.strip() for name, value in values.items()}


def _keys(study: Study, chosen: Mapping[str, str]) -> list[int]:
    """Return the keys of the pairs that a list was asked for, in its order."""
    pairs = pair_list.matching(study, chosen["find"], chosen["category"] or None)
    needs_winners = chosen["winner"] or chosen["order"] or chosen["show"]
    winners = winners_of(study) if needs_winners else {}

    keys = pair_list.keys_of(pairs, winners, chosen["winner"], chosen["order"])
    if chosen["show"] not in SHOWN:
        return keys

    shown = pair_list.keys_to_show(study, winners, chosen["show"])
    return [key for key in keys if key in shown]


@researchers_only
@safe_page
def study_pair(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Show a pair: its captions, its votes, its scores, and what made them."""
    return _pair_page(request, study, _pair(study, pk), AdjudicationForm())


def _pair(study: Study, pk: int) -> Pair:
    pairs = study.dataset.pairs.select_related("b", "c", "image__dataset")
    return get_object_or_404(pairs, pk=pk)


def _pair_page(
    request: UserRequest, study: Study, pair: Pair, form: AdjudicationForm
) -> HttpResponse:
    report = last_report(study)
    chosen = _chosen(request)
    decided = winners_of(study, [pair.pk]).get(pair.pk)
    questions = pair_page.votes_by_question(study, pair)

    context: dict[str, object] = {
        "study": study,
        "done": report,
        "pair": pair,
        "decided": decided,
        "references": pair.image.references.order_by("number"),
        "questions": questions,
        "tally": pair_page.tally_of(questions),
        "strength": pair_page.mean_strength(study, pair),
        "codes": codes_explained([pair.category]),
        "votes": pair_page.votes_on(study, pair),
        "chosen": chosen,
    }
    context |= _neighbours(study, pair, chosen)
    context |= _adjudication(request, study, pair, decided)
    winner = decided.by_votes if decided else ""
    context |= _scores(report, pair, winner, request.GET.get("metric", ""))

    return form_response(request, "results/pair.html", form, **context)


def _scores(
    report: Evaluation | None, pair: Pair, winner: str, wanted: str
) -> dict[str, object]:
    """Return the scores of a pair, and the explanation of one metric's; nothing without scores."""
    known = PairScores.read(report.folder) if report else None
    if report is None or known is None:
        return {}

    scores = pair_page.scores_of(known, pair, winner, report_in(report.folder))
    if scores is None:
        return {}

    metric = pair_page.chosen_metric(known, wanted)
    return {
        "scores": scores,
        "marks": codes_explained(scores.names),
        "explainable": known.explainable,
        "metric": metric,
        "why": pair_page.explain(known, pair, metric) if metric else None,
    }


def _neighbours(
    study: Study, pair: Pair, chosen: Mapping[str, str]
) -> dict[str, Pair | None]:
    """Return the pairs before and after one in a list.

    After a pair that is no longer in the list comes the first one of it.
    """
    keys = _keys(study, chosen)
    if pair.pk not in keys:
        keys.insert(0, pair.pk)

    index = keys.index(pair.pk)
    earlier = keys[:index]
    before = earlier[-1:]
    after = keys[index + 1 :][:1]
    pairs = study.dataset.pairs.in_bulk(before + after)
    return {
        "previous": pairs[before[0]] if before else None,
        "next": pairs[after[0]] if after else None,
    }


def _adjudication(
    request: UserRequest, study: Study, pair: Pair, decided: Winner | None
) -> dict[str, object]:
    of_study = pair_list.reports_on(study)
    reports = of_study.filter(question__pair=pair)
    is_disputed = decided is not None and decided.is_disputed
    decisions = list(study.adjudications.filter(pair=pair).select_related("made_by"))
    in_force = [each for each in decisions if each.superseded_at is None]

    return {
        "reports": reports.select_related("annotator", "question__reference"),
        "adjudication": in_force[0] if in_force else None,
        "superseded": [each for each in decisions if each.superseded_at],
        "is_to_decide": is_disputed or reports.exists(),
        "may_adjudicate": has_rank(request.user, study, Rank.ADJUDICATOR),
    }


@adjudicators_only
@form_on("study_pair")
def study_adjudicate(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Decide a pair."""
    pair = _pair(study, pk)
    form = AdjudicationForm(request.POST)
    if not form.is_valid():
        return _pair_page(request, study, pair, form)

    decision = Choice(form.cleaned_data["decision"])
    reason = form.cleaned_data["reason"]
    adjudicate(study, pair, decision, reason, request.user)
    message = "The decision is saved. The results still use votes only."
    if study.winners == "decisions":
        message = "The decision is saved."
    show_success(request, message)
    return _to_adjudication(request, study, pair)


@adjudicators_only
@require_POST
def study_adjudicate_withdraw(
    request: UserRequest, study: Study, pk: int
) -> HttpResponse:
    """Withdraw the decision on a pair."""
    pair = _pair(study, pk)
    withdraw_adjudication(study, pair, request.user)
    show_success(request, "The decision is withdrawn.")
    return _to_adjudication(request, study, pair)


def _to_adjudication(request: UserRequest, study: Study, pair: Pair) -> HttpResponse:
    """Redirect to the decision on a pair; the list that it was opened from is kept."""
    names = [study.name, pair.pk]
    return redirect(
        reverse("study_pair", args=names, query=request.GET, fragment="adjudication")
    )
