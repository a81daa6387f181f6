"""How far annotators can be trusted, and the exclusion of annotators and votes."""

import pandas as pd
from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Exists, OuterRef, Q, Subquery, Sum
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from tercet.analysis.tables.schema import listed_categories
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Given
from tercet.annotation.judging.questionnaires import fields_of
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.answer import AnswerQuerySet, Purpose, Status
from tercet.annotation.participation.texts import text_of_questionnaire
from tercet.annotation.permissions import may_see_names, owners_only, researchers_only
from tercet.annotation.quality import checks, exclusion
from tercet.annotation.quality.erasure import erase_annotator
from tercet.annotation.quality.forms import ChosenForm, ErasureForm, ExclusionForm
from tercet.annotation.quality.networks import network_context
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    own_address,
    page_in,
    refusals_shown,
    safe_page,
    show_success,
)
from tercet.annotation.results.snapshot_views import quality_of, snapshot_context
from tercet.annotation.studies.progress import annotator_stats, votes_missing

ANNOTATORS_PER_PAGE = 10
VOTES_PER_PAGE = 25
_MAX_LISTED = 5
"""Of other lists on the page of all annotators."""
_MAX_CHANGED = 200
_FILTERS = {
    "all": ("all", Q()),
    "gold": ("gold questions", Q(purpose=Purpose.GOLD)),
    "repeats": ("repeats", Q(purpose=Purpose.REPEAT)),
    "excluded": ("excluded", Q(status=Status.EXCLUDED)),
}
"""Which votes the page of an annotator can show."""


@researchers_only
@safe_page
def study_quality(request: UserRequest, study: Study) -> HttpResponse:
    """Show the checks of all annotators, and where a model disagrees with the majority."""
    content, snapshot = quality_of(study)
    people = checks.checked_annotators(study, content)
    flagged = [person for person in people if person.flags]
    rules = checks.rules_of(study)
    votes = [person.checks["votes"] for person in people]
    refused = study.annotators.filter(refused__gt=0).order_by("-refused")

    ticks_flagged = request.GET.get("tick") == "flagged"
    least = len(flagged) if ticks_flagged else 0

    context: dict[str, object] = {
        "study": study,
        "page": page_in(request, people, max(ANNOTATORS_PER_PAGE, least)),
        "flagged": flagged,
        "flagged_votes": _count_votes(flagged),
        "votes": sum(votes),
        "ticks_flagged": ticks_flagged,
        "rules": rules,
        "too_few": sum(count < rules.least_votes for count in votes),
        "missed": checks.with_questions(content.get("missed", [])),
        "disputes": content["disputes"],
        "disputed": checks.with_questions(content["disputed"]),
        "has_gold": study.gold_rate > 0 and study.questions.gold().exists(),
        "refused": refused[:_MAX_LISTED],
        "refused_count": refused.count(),
        "queued": study.arrivals.aggregate(queued=Sum("queued", default=0))["queued"],
    }
    context |= (
        _exclusions(request, study)
        | network_context(study)
        | snapshot_context(snapshot)
    )
    return render(request, "quality/quality.html", context)


def _count_votes(people: list[checks.CheckedAnnotator]) -> int:
    return sum(person.checks["votes"] for person in people)


def _exclusions(request: UserRequest, study: Study) -> dict[str, object]:
    """The excluded annotators, and votes that were excluded one by one.

    A subquery, unlike a join, keeps the database from starting with all votes of the study.
    """
    is_of_study = Exists(study.questions.filter(pk=OuterRef("question")))
    votes = Answer.objects.real().filter(is_of_study, status=Status.EXCLUDED)
    single = votes.filter(annotator__excluded_at=None)

    people = study.annotators.exclude(excluded_at=None).select_related("excluded_by")
    is_excluded = Q(answers__status=Status.EXCLUDED)
    lost = Count("answers", filter=is_excluded)
    latest_first = single.order_by("-status_at")
    latest = latest_first.select_related("annotator", "status_by")

    return {
        "excluded": page_in(
            request,
            people.annotate(lost=lost).order_by("-excluded_at"),
            _MAX_LISTED,
            "excluded",
        ),
        "single_votes": single.count(),
        "single": latest[:_MAX_LISTED],
    }


@researchers_only
@safe_page
def study_without(request: UserRequest, study: Study) -> HttpResponse:
    """Show which winners change without the flagged annotators, or without chosen ones."""
    if not kind_of(study).chooses:
        raise Http404
    content, snapshot = quality_of(study)
    people = checks.checked_annotators(study, content)
    chosen = [person for person in people if person.flags]
    if "chosen" in request.GET:
        keys = request.GET.getlist("chosen")
        chosen = [person for person in people if str(person.key) in keys]
    names = [person.name for person in chosen]
    changes = checks.changed_pairs(study, checks.votes_of(study), names)

    context = {
        "study": study,
        "people": [person for person in people if person.flags or person in chosen],
        "chosen": chosen,
        "lost": _count_votes(chosen),
        "votes": _count_votes(people),
        "changes": len(changes),
        "categories": _changes_by_category(study, changes),
        "keys": [person.key for person in chosen],
        "changed": checks.with_pairs(changes.head(_MAX_CHANGED)),
    }
    return render(request, "results/without.html", context | snapshot_context(snapshot))


def _changes_by_category(
    study: Study, changes: pd.DataFrame
) -> list[tuple[str, int, int]]:
    """Return each category with how many of its pairs change, and how many it has."""
    pairs = study.dataset.pairs.values_list("category").annotate(Count("pk"))
    counts = dict(pairs.order_by())
    changed = changes.groupby("category").size()

    names = listed_categories(counts)
    return [(name, int(changed.get(name, 0)), counts[name]) for name in names]


@researchers_only
@safe_page
def study_annotator(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Show all votes of one annotator, with their questions and checks."""
    people = study.annotators.select_related("excluded_by")
    annotator = get_object_or_404(people, pk=pk)
    shown = request.GET.get("show", "all")
    _label, condition = _FILTERS.get(shown, _FILTERS["all"])
    votes = _with_questions(annotator).filter(condition)
    page = page_in(request, votes, VOTES_PER_PAGE)
    kind = kind_of(study)
    rows = [
        (vote, kind.is_right(vote.question.gold, Given(vote.choice, vote.content)))
        for vote in page
    ]
    sees_names = may_see_names(request.user, study)
    context = {
        "study": study,
        "annotator": annotator,
        "may_see_names": sees_names,
        "answers": _answers_of(annotator) if sees_names else [],
        "erasure_form": ErasureForm(auto_id="erase-%s"),
        "own_key": [annotator.pk],
        "done": annotator_stats([annotator])[0],
        "page": page,
        "rows": rows,
        "shown": shown,
        "ways": {name: label for name, (label, _condition) in _FILTERS.items()},
        "purposes": Purpose,
        "statuses": Status,
    }
    return render(request, "quality/annotator.html", context)


def _answers_of(annotator: Annotator) -> list[tuple[str, str]]:
    answers = []
    for filled in annotator.questionnaires.order_by("pk"):
        text = text_of_questionnaire(annotator.study, filled.time)
        questions = {field.name: field.question for field in fields_of(text)}
        for name, answer in filled.answers.items():
            answers.append((questions.get(name, name), answer))

    return answers


def _with_questions(annotator: Annotator) -> AnswerQuerySet:
    """Select the votes with their captions.

    Each has its `value`, and the value of the annotator's `first` vote on the question.
    """
    value = kind_of(annotator.study).value
    on_question = annotator.answers.counted().filter(question=OuterRef("question"))
    values = on_question.annotate(value=value).values("value")
    first = Subquery(values[:1])
    votes = annotator.answers.annotate(value=value, first=first).order_by("-pk")
    return votes.select_related(
        *("question__pair__b", "question__pair__c", "question__reference"),
        *("question__candidate", "question__image", "status_by"),
    )


@researchers_only
@require_POST
def annotator_exclude(request: UserRequest, study: Study) -> HttpResponse:
    """Exclude annotators with all their votes."""
    form = ExclusionForm(study.annotators.real(), request.POST)
    with refusals_shown(request):
        people = form.chosen()
        reason = form.cleaned_data["reason"]
        exclude = exclusion.exclude_annotator
        by = request.user
        votes = sum(exclude(person, by, reason) for person in people)
        missing = votes_missing(study)

        message = (
            "Annotators excluded: %(people)s, with %(votes)s votes. "
            "Votes missing now: %(missing)s."
        )
        values = {"votes": intcomma(votes), "missing": intcomma(missing)}
        show_success(request, message, people=len(people), **values)
    return _go_back(request, study)


@researchers_only
@require_POST
def annotator_readmit(request: UserRequest, study: Study) -> HttpResponse:
    """Readmit excluded annotators."""
    form = ChosenForm(study.annotators.real(), request.POST)
    with refusals_shown(request):
        readmit = exclusion.readmit_annotator
        counts = [readmit(person, request.user) for person in form.chosen()]
        valid, surplus = map(sum, zip(*counts, strict=True))
        show_success(request, _readmitted_message(valid, surplus))
    return _go_back(request, study)


@owners_only
@require_POST
def annotator_erase(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Erase who a person was, and keep their votes."""
    person = get_object_or_404(study.annotators.all(), pk=pk)
    form = ErasureForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Confirm that this person is to be erased.")
        return _go_back(request, study)

    with refusals_shown(request):
        successor = erase_annotator(person, request.user)
        message = (
            "The person is erased; their votes belong to %(name)s. Compute the results again for a "
            "new report."
        )
        show_success(request, message, name=successor.name)
        return redirect("study_annotator", study.name, successor.pk)
    return _go_back(request, study)


@researchers_only
@require_POST
def vote_exclude(request: UserRequest, study: Study) -> HttpResponse:
    """Exclude single votes."""
    form = ExclusionForm(_real_votes(study), request.POST)
    with refusals_shown(request):
        votes = form.chosen()
        reason = form.cleaned_data["reason"]
        exclude = exclusion.exclude_vote
        count = sum(exclude(vote, request.user, reason) for vote in votes)

        message = "Votes excluded: %(votes)s. They will be collected again."
        show_success(request, message, votes=intcomma(count))
    return _go_back(request, study)


@researchers_only
@require_POST
def vote_readmit(request: UserRequest, study: Study) -> HttpResponse:
    """Readmit single votes."""
    form = ChosenForm(_real_votes(study), request.POST)
    with refusals_shown(request):
        readmit = exclusion.readmit_vote
        by = request.user
        readmitted = [vote.pk for vote in form.chosen() if readmit(vote, by)]
        rows = Answer.objects.filter(pk__in=readmitted, status=Status.SURPLUS)
        surplus = rows.count()
        message = _readmitted_message(len(readmitted) - surplus, surplus)
        show_success(request, message)
    return _go_back(request, study)


def _real_votes(study: Study) -> AnswerQuerySet:
    return Answer.objects.real().filter(question__study=study)


def _readmitted_message(valid: int, surplus: int) -> str:
    message = f"Votes that count again: {intcomma(valid)}."
    if not surplus:
        return message

    rest = "Kept as surplus, because others have voted instead: %(votes)s."
    return f"{message} {rest % {'votes': intcomma(surplus)}}"


def _go_back(request: UserRequest, study: Study) -> HttpResponse:
    """Return to the page that the form came from."""
    next_url = own_address(request, request.POST.get("next", ""))
    return HttpResponseRedirect(next_url or reverse("study_quality", args=[study.name]))
