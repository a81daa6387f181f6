"""The gold questions of a study: pasted, chosen one by one, or drawn from published winners."""

from collections.abc import Callable
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from tercet.analysis.number_texts import plural
from tercet.annotation.datasets.additions import add_pairs
from tercet.annotation.judging.kinds import hidden_settings, kind_of
from tercet.annotation.models import Study
from tercet.annotation.permissions import owners_only
from tercet.annotation.quality import forms
from tercet.annotation.quality.checks import missed_gold, rules_of, with_questions
from tercet.annotation.quality.gold import (
    CAPTIONS,
    choose_gold,
    draw_gold,
    drawable_pairs,
    first_questions,
    obvious_pairs,
    pairs_without_gold,
    remove_gold,
    set_gold,
    set_gold_of_pairs,
)
from tercet.annotation.quality.range_gold import draw_checks, remove_range, set_ranges
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import form_page, page_in, refusals_shown, show_success

_QUESTIONS_PER_PAGE = 12
_SUGGESTIONS_PER_PAGE = 6
Handler = Callable[[UserRequest, Study], HttpResponse | None]
"""Handles one button of the page; returns the page again where something is wrong."""


@owners_only
@form_page
def study_gold(request: UserRequest, study: Study) -> HttpResponse:
    """Show the gold questions, and add or remove some; of a kind that has them."""
    if "gold_rate" in hidden_settings(study):
        raise Http404
    if request.method != "POST":
        return _gold_page(request, study, forms.GoldForm(study), forms.DrawForm())

    handle = _HANDLERS.get(request.POST.get("do", ""))
    page = handle(request, study) if handle else None
    if page:
        return page

    return redirect(reverse("study_gold", args=[study.name], query=request.GET))


def _gold_page(
    request: UserRequest, study: Study, form: forms.GoldForm, draw: forms.DrawForm
) -> HttpResponse:
    gold = study.questions.gold().order_by(
        "pair__name", "reference__number", "position"
    )
    questions = gold.select_related(*CAPTIONS, "image", "candidate")
    context = {
        "missed": with_questions(missed_gold(study)),
        "study": study,
        "least": rules_of(study).least_checks,
        "form": form,
        "draw": draw,
        "page": page_in(request, questions, _QUESTIONS_PER_PAGE),
    }
    if kind_of(study).chooses:
        context |= _pairs_to_choose(request, study)
    status = 422 if form.is_bound or draw.is_bound else 200
    return render(request, "quality/gold.html", context, status=status)


def _pairs_to_choose(request: UserRequest, study: Study) -> dict[str, Any]:
    """Return the pairs without gold, and of which kinds there are some."""
    pairs = pairs_without_gold(study)
    choice = page_in(request, pairs, _SUGGESTIONS_PER_PAGE, "choice")
    choice.object_list = first_questions(study, list(choice.object_list))
    asked = study.questions.filter(pair=OuterRef("pk"))
    foreign = study.dataset.pairs.filter(Exists(asked), category="HI")
    return {
        "choice": choice,
        "has_other_images": foreign.exists(),
        "drawable": drawable_pairs(study).count(),
    }


def _add_lines(request: UserRequest, study: Study) -> HttpResponse | None:
    form = forms.GoldForm(study, request.POST)
    if not form.is_valid():
        return _gold_page(request, study, form, forms.DrawForm())

    gold = form.cleaned_data["lines"]
    add = set_gold if kind_of(study).chooses else set_ranges
    add(study, gold, request.user)
    _report_added(request, len(gold))
    return None


def _draw(request: UserRequest, study: Study) -> HttpResponse | None:
    form = forms.DrawForm(request.POST)
    if not form.is_valid():
        return _gold_page(request, study, forms.GoldForm(study), form)

    draw = draw_gold if kind_of(study).chooses else draw_checks
    with refusals_shown(request):
        _report_added(request, draw(study, form.cleaned_data["count"], request.user))
    return None


def _make(request: UserRequest, study: Study) -> HttpResponse | None:
    form = forms.DrawForm(request.POST)
    if not form.is_valid():
        return _gold_page(request, study, forms.GoldForm(study), form)

    with refusals_shown(request), transaction.atomic():
        made = obvious_pairs(study, form.cleaned_data["count"])
        add_pairs(study, [entry for _right, entry in made.values()], request.user)
        right = {name: answer for name, (answer, _entry) in made.items()}
        set_gold_of_pairs(study, right, request.user)
        _report_added(request, len(right))
    return None


def _choose(request: UserRequest, study: Study) -> None:
    """Make the question gold whose button, “B is right” or “C is right”, was pressed."""
    form = forms.ChooseGoldForm(request.POST)
    if not form.is_valid():
        return

    key, answer = form.cleaned_data["right"]
    if choose_gold(study, key, answer, request.user):
        _report_added(request, 1)


def _remove(request: UserRequest, study: Study) -> None:
    form = forms.RemoveGoldForm(request.POST)
    if not form.is_valid():
        return
    remove = remove_gold if kind_of(study).chooses else remove_range
    with refusals_shown(request):
        remove(study, form.cleaned_data["triplet"], request.user)
        show_success(request, "The question is no longer gold.")


def _report_added(request: UserRequest, count: int) -> None:
    message = plural(
        count, "%(count)s gold question added.", "%(count)s gold questions added."
    )
    show_success(request, message, count=intcomma(count))


_HANDLERS: dict[str, Handler] = {
    "add": _add_lines,
    "choose": _choose,
    "draw": _draw,
    "make": _make,
    "remove": _remove,
}
