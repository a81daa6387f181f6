"""The gold triplets of a study: chosen by hand, or from published winners."""

from collections.abc import Callable
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.forms.study import DrawForm, GoldForm
from annotation.models import Study
from annotation.permissions import owners_only
from annotation.studies.gold import (
    choose_gold,
    draw_gold,
    drawable,
    remove_gold,
    set_gold,
    to_choose,
)

TRIPLETS_A_PAGE = 50
CHOICES_A_PAGE = 10
SHOWN = ("pair__b", "pair__c", "pair__image__dataset", "reference")


@owners_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_gold(request: HttpRequest, study: Study) -> HttpResponse:
    if request.method == "POST":
        take = HANDLERS.get(request.POST.get("do", ""))
        return (take(request, study) if take else None) or redirect("study_gold", study.name)
    return gold_page(request, study, GoldForm(study), DrawForm())


def gold_page(request: HttpRequest, study: Study, form: GoldForm, draw: DrawForm) -> HttpResponse:
    gold = study.triplets.exclude(answer="").order_by("pair__name", "reference__number")
    rows = gold.select_related(*SHOWN)
    choice = Paginator(to_choose(study).select_related(*SHOWN), CHOICES_A_PAGE)
    context = {
        "choice": choice.get_page(request.GET.get("choice")),
        "study": study,
        "form": form,
        "draw": draw,
        "page": Paginator(rows, TRIPLETS_A_PAGE).get_page(request.GET.get("page")),
        "drawable": drawable(study).values("pair").distinct().count(),
    }
    status = 422 if form.is_bound or draw.is_bound else 200
    return render(request, "study/gold.html", context, status=status)


def take_lines(request: HttpRequest, study: Study) -> HttpResponse | None:
    form = GoldForm(study, request.POST)
    if not form.is_valid():
        return gold_page(request, study, form, DrawForm())
    gold = form.cleaned_data["lines"]
    set_gold(study, gold, cast(User, request.user))
    tell(request, len(gold))
    return None


def take_draw(request: HttpRequest, study: Study) -> HttpResponse | None:
    draw = DrawForm(request.POST)
    if not draw.is_valid():
        return gold_page(request, study, GoldForm(study), draw)
    tell(request, draw_gold(study, draw.cleaned_data["count"], cast(User, request.user)))
    return None


def take_choice(request: HttpRequest, study: Study) -> None:
    """“B is right” or “C is right”: the button says which triplet and which answer."""
    key, _dot, answer = request.POST.get("right", "").partition(".")
    by = cast(User, request.user)
    if is_key(key) and choose_gold(study, int(key), answer, by):
        tell(request, 1)


def is_key(text: str) -> bool:
    return text.isdecimal() and len(text) < 19


def take_removal(request: HttpRequest, study: Study) -> None:
    key = request.POST.get("triplet", "")
    if is_key(key):
        remove_gold(study, int(key), cast(User, request.user))
        messages.success(request, _("This triplet is no gold triplet any more."))


def tell(request: HttpRequest, count: int) -> None:
    words = ngettext("%(count)s triplet is gold.", "%(count)s triplets are gold.", count)
    messages.success(request, words % {"count": intcomma(count)})


HANDLERS: dict[str, Callable[[HttpRequest, Study], HttpResponse | None]] = {
    "add": take_lines,
    "choose": take_choice,
    "draw": take_draw,
    "remove": take_removal,
}
