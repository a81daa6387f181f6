from typing import cast

import pandas as pd
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, Q, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.forms.quality import ChosenForm, ExclusionForm
from annotation.models import Annotator, Study, Vote
from annotation.models.vote import Purpose, Status, VoteQuerySet
from annotation.permissions import researchers_only
from annotation.studies.exclusion import (
    exclude_annotator,
    exclude_vote,
    readmit_annotator,
    readmit_vote,
)
from annotation.studies.progress import annotator_stats
from annotation.studies.quality import (
    CheckedAnnotator,
    changed_pairs,
    check_annotators,
    disputed_triplets,
    rules_of,
    votes_of,
    with_pairs,
    with_triplets,
)

PEOPLE, VOTES, DISPUTED, CHANGED = 100, 50, 20, 200
"""How many of the annotators, votes, disputed triplets and changed pairs a page shows."""
SHOWN = {
    "all": (gettext_lazy("all"), Q()),
    "gold": (gettext_lazy("gold triplets"), Q(purpose=Purpose.GOLD)),
    "repeats": (gettext_lazy("repeats"), Q(purpose=Purpose.REPEAT)),
    "excluded": (gettext_lazy("excluded"), Q(status=Status.EXCLUDED)),
}
"""Which votes the page of an annotator may show."""


@researchers_only
@never_cache
@require_safe
def study_quality(request: HttpRequest, row: Study) -> HttpResponse:
    """How far each annotator can be trusted, and where a model disagrees with the majority."""
    votes = votes_of(row)
    people, disputes = check_annotators(row, votes), disputed_triplets(votes)
    flagged = [one for one in people if one.flags]
    context = {
        "study": row,
        "page": Paginator(people, PEOPLE).get_page(request.GET.get("page")),
        "flagged": flagged,
        "flagged_votes": sum(one.checks["votes"] for one in flagged),
        "votes": sum(one.checks["votes"] for one in people),
        "ticks_flagged": request.GET.get("tick") == "flagged",
        "rules": rules_of(row),
        "disputes": len(disputes),
        "disputed": with_triplets(disputes.head(DISPUTED)),
        "has_gold": row.gold_rate > 0 and row.triplets.exclude(answer="").exists(),
    }
    return render(request, "study/quality.html", context | excluded(row))


def excluded(row: Study) -> dict[str, object]:
    """The annotators who are excluded, and the single votes."""
    votes = real_votes(row).filter(status=Status.EXCLUDED)
    single = votes.filter(annotator__excluded_at=None)
    people = row.annotators.exclude(excluded_at=None).select_related("excluded_by")
    count = Count("votes", filter=Q(votes__status=Status.EXCLUDED))
    return {
        "excluded": people.annotate(lost=count).order_by("-excluded_at"),
        "single_votes": single.count(),
        "single": single.order_by("-status_at").select_related("annotator", "status_by")[:VOTES],
    }


@researchers_only
@never_cache
@require_safe
def study_without(request: HttpRequest, row: Study) -> HttpResponse:
    """Which winners change without the flagged votes, or without those of chosen annotators."""
    votes = votes_of(row)
    people = check_annotators(row, votes)
    chosen = [one for one in people if is_chosen(one, request)]
    changes = changed_pairs(row, votes, [one.name for one in chosen])
    context = {
        "study": row,
        "people": [one for one in people if one.flags or one in chosen],
        "chosen": chosen,
        "lost": sum(one.checks["votes"] for one in chosen),
        "votes": sum(one.checks["votes"] for one in people),
        "changes": len(changes),
        "categories": by_category(row, changes),
        "keys": [one.key for one in chosen],
        "changed": with_pairs(changes.head(CHANGED)),
    }
    return render(request, "study/without.html", context)


def by_category(row: Study, changes: pd.DataFrame) -> list[tuple[str, int, int]]:
    """Each category with how many of its pairs change, and how many it has."""
    pairs = row.dataset.pairs.values_list("category").annotate(Count("pk")).order_by("category")
    changed = changes.groupby("category").size()
    return [(category, int(changed.get(category, 0)), count) for category, count in pairs]


def is_chosen(one: CheckedAnnotator, request: HttpRequest) -> bool:
    """Whether the address names this annotator; where it names nobody, whether they are flagged."""
    named = request.GET.getlist("chosen")
    return str(one.key) in named if "chosen" in request.GET else bool(one.flags)


@researchers_only
@never_cache
@require_safe
def study_annotator(request: HttpRequest, row: Study, pk: int) -> HttpResponse:
    """All votes of one annotator, with their questions and checks."""
    annotator = get_object_or_404(row.annotators.select_related("excluded_by"), pk=pk)
    shown = request.GET.get("show", "all")
    _label, which = SHOWN.get(shown, SHOWN["all"])
    context = {
        "study": row,
        "annotator": annotator,
        "own_key": [annotator.pk],
        "done": annotator_stats([annotator])[0],
        "page": Paginator(with_questions(annotator).filter(which), VOTES).get_page(
            request.GET.get("page")
        ),
        "shown": shown,
        "ways": {name: label for name, (label, _which) in SHOWN.items()},
        "purposes": Purpose,
        "statuses": Status,
    }
    return render(request, "study/annotator.html", context)


def with_questions(annotator: Annotator) -> VoteQuerySet:
    """The votes with what was shown, and the annotator's `first` on the same triplet."""
    first = annotator.votes.counted().filter(triplet=OuterRef("triplet")).values("choice")[:1]
    return (
        annotator.votes.select_related(
            "triplet__pair__b", "triplet__pair__c", "triplet__reference", "status_by"
        )
        .annotate(first=Subquery(first))
        .order_by("-pk")
    )


@researchers_only
@require_POST
def annotator_exclude(request: HttpRequest, row: Study) -> HttpResponse:
    form = ExclusionForm(row.annotators.real(), request.POST)
    if not form.is_valid():
        return go_back(request, row, form.faults, messages.ERROR)
    people, reason = form.cleaned_data["chosen"], form.cleaned_data["reason"]
    votes = sum(exclude_annotator(one, cast(User, request.user), reason) for one in people)
    told = _("Annotators excluded: %(people)s. Votes whose places are open again: %(votes)s.")
    return go_back(request, row, told % {"people": len(people), "votes": intcomma(votes)})


@researchers_only
@require_POST
def annotator_readmit(request: HttpRequest, row: Study) -> HttpResponse:
    form = ChosenForm(row.annotators.real(), request.POST)
    if not form.is_valid():
        return go_back(request, row, form.faults, messages.ERROR)
    people = form.cleaned_data["chosen"]
    votes = [readmit_annotator(one, cast(User, request.user)) for one in people]
    return go_back(request, row, counting_again(*map(sum, zip(*votes, strict=True))))


@researchers_only
@require_POST
def vote_exclude(request: HttpRequest, row: Study) -> HttpResponse:
    form = ExclusionForm(real_votes(row), request.POST)
    if not form.is_valid():
        return go_back(request, row, form.faults, messages.ERROR)
    rows, reason = form.cleaned_data["chosen"], form.cleaned_data["reason"]
    votes = sum(exclude_vote(one, cast(User, request.user), reason) for one in rows)
    told = _("Votes excluded: %(votes)s. Their places are open again.")
    return go_back(request, row, told % {"votes": intcomma(votes)})


@researchers_only
@require_POST
def vote_readmit(request: HttpRequest, row: Study) -> HttpResponse:
    form = ChosenForm(real_votes(row), request.POST)
    if not form.is_valid():
        return go_back(request, row, form.faults, messages.ERROR)
    rows = form.cleaned_data["chosen"]
    taken_back = [one.pk for one in rows if readmit_vote(one, cast(User, request.user))]
    late = Vote.objects.filter(pk__in=taken_back, status=Status.SURPLUS).count()
    return go_back(request, row, counting_again(len(taken_back) - late, late))


def real_votes(row: Study) -> VoteQuerySet:
    return Vote.objects.real().filter(triplet__study=row)


def counting_again(back: int, late: int) -> str:
    told = _("Votes that count again: %(votes)s.") % {"votes": intcomma(back)}
    surplus = _("Kept as surplus, as others have filled their places: %(votes)s.")
    return f"{told} {surplus % {'votes': intcomma(late)}}" if late else told


def go_back(
    request: HttpRequest, row: Study, told: str, level: int = messages.SUCCESS
) -> HttpResponse:
    """Say what was done on the page that a form came from."""
    messages.add_message(request, level, told)
    came_from = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(came_from, {request.get_host()}):
        return HttpResponseRedirect(came_from)
    return redirect("study_quality", row.name)
