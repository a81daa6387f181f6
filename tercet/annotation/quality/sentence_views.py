"""The results of a sentence study, the review of its sentences, and their use as references."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from tercet.analysis.dataset.sentence_rules import SentenceRule
from tercet.analysis.number_texts import plural
from tercet.annotation.datasets.sentence_references import use_as_references
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.models.study import RULES
from tercet.annotation.permissions import owners_only, researchers_only
from tercet.annotation.quality.exclusion import accept_answers
from tercet.annotation.quality.forms import ChosenForm
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    form_on,
    form_response,
    page_in,
    refusals_shown,
    safe_page,
    show_success,
)
from tercet.annotation.results.forms import ReferencesForm
from tercet.annotation.results.sentences import sentences_of
from tercet.annotation.results.snapshot_views import content_of, snapshot_context
from tercet.annotation.studies.checklist import checklist
from tercet.annotation.studies.progress import bars, question_counts
from tercet.annotation.studies.roles import is_owner

_PER_PAGE = 24
_REASONS = (
    "not about the picture",
    "a remark about the picture",
    "too short",
    "an over-literal list",
    "dialogue",
    "over-description",
    "unimportant details",
    "past or future",
    "proper names",
    "copied from another sentence",
    "not in the language of the study",
)
"""Why a sentence is excluded, by the instructions of the COCO and the CIDEr paper."""


def results_page(
    request: UserRequest, study: Study, form: ReferencesForm | None = None
) -> HttpResponse:
    """Show how far the collection is, what the sentences are like, and if more are needed."""
    content, snapshot = content_of(study, EvaluationKind.SENTENCES)
    totals, by_count = question_counts(study)
    counts = {str(count): each for count, each in by_count.items()}
    sentences = sentences_of(study)
    steps = None
    if not study.is_open and not study.collected_elsewhere:
        steps = checklist(study, request.user, totals, None, None, is_current=False)[
            :-1
        ]

    context = {
        "study": study,
        "totals": totals,
        "checklist": steps,
        "left": sum(not step.is_done for step in steps or []),
        "to_review": sentences.filter(status_at=None).count(),
        "by_count": bars(counts, labels=10),
        "lengths": bars(content.get("lengths", {}), labels=10),
        "rules": _named_rules(content),
        "gain": content.get("gain", []),
        "steady": content.get("steady"),
        "may_change": is_owner(request.user, study),
    }
    context |= snapshot_context(snapshot)
    form = form or ReferencesForm()
    return form_response(request, "results/sentences.html", form, **context)


def _named_rules(content: Mapping[str, Any]) -> list[tuple[str, int]]:
    found = content.get("rules", {}).items()
    return [
        (RULES[SentenceRule(each)], count) for each, count in found if each in RULES
    ]


def _of_sentences(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Find no such page of a study whose answers are not reviewed."""

    @wraps(view)
    def guarded(request: UserRequest, study: Study) -> HttpResponse:
        if not kind_of(study).is_reviewed:
            raise Http404
        return view(request, study)

    return guarded


@researchers_only
@safe_page
@_of_sentences
def study_sentences(request: UserRequest, study: Study) -> HttpResponse:
    """List sentences, those first that agree least with the others of their image."""
    content, snapshot = content_of(study, EvaluationKind.SENTENCES)
    scores = content.get("scores", {})
    shows_all = request.GET.get("show") == "all"
    sentences = sentences_of(study)
    if not shows_all:
        sentences = sentences.filter(status_at=None)

    keys = sorted(sentences.values_list("pk", flat=True), key=_order(scores))
    page = page_in(request, keys, _PER_PAGE)
    rows = sentences.select_related("question__image__dataset", "annotator").in_bulk(
        list(page.object_list)
    )
    shown = [rows[key] for key in page.object_list if key in rows]
    context = {
        "study": study,
        "page": page,
        "keys": [answer.pk for answer in shown],
        "rows": [
            (answer, scores.get(str(answer.pk)), _rules(answer)) for answer in shown
        ],
        "reasons": _REASONS,
        "shows_all": shows_all,
    }
    return render(
        request, "quality/sentences.html", context | snapshot_context(snapshot)
    )


def _order(scores: Mapping[str, float | None]) -> Any:
    """Return the key to sort by: the lowest score first, sentences without one last."""

    def place(key: int) -> tuple[bool, float, int]:
        score = scores.get(str(key))
        return score is None, score or 0.0, key

    return place


def _rules(answer: Answer) -> list[str]:
    named = answer.content["rules"].split()
    return [RULES[SentenceRule(each)] for each in named if each in RULES]


@researchers_only
@require_POST
@_of_sentences
def sentences_accept(request: UserRequest, study: Study) -> HttpResponse:
    """Accept sentences."""
    form = ChosenForm(sentences_of(study), request.POST)
    with refusals_shown(request):
        count = accept_answers(study, form.chosen(), request.user)
        message = plural(
            count, "%(count)s sentence accepted.", "%(count)s sentences accepted."
        )
        show_success(request, message, count=count)
    return redirect("study_sentences", study.name)


@owners_only
@form_on("study")
@_of_sentences
def sentences_use(request: UserRequest, study: Study) -> HttpResponse:
    """Make a new dataset of the sentences."""
    if not request.user.is_staff:
        raise PermissionDenied

    form = ReferencesForm(request.POST)
    if not form.is_valid():
        return results_page(request, study, form)
    with refusals_shown(request):
        dataset = use_as_references(study, request.user, **form.cleaned_data)
        show_success(request, "The sentences are now the references of this dataset.")
        return redirect(dataset)
    return redirect("study", study.name)
