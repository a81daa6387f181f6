"""The people of a study: its links, and the accounts that have a role in it."""

from typing import cast
from urllib.parse import quote

import pandas as pd
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analysis.dataset.csv_injection import defused
from analysis.dataset.csv_tables import csv_text
from annotation.forms.study import AccountForm, LinksForm, RoleForm
from annotation.judging.annotators import personal_links
from annotation.models import Annotator, Role, Study
from annotation.models.annotator import AnnotatorQuerySet
from annotation.models.study import Accounts, Rank
from annotation.permissions import has_rank, owners_only, researchers_only
from annotation.studies.audit import log
from annotation.studies.lifecycle import NotPossible
from annotation.studies.roles import give_role, take_role
from annotation.views.studies import attached

LINKS_A_PAGE = 100
PROLIFIC = {"PROLIFIC_PID", "STUDY_ID", "SESSION_ID"}
"""What Prolific fills in where it stands in an address as {{%NAME%}}."""
COLUMNS = ("name", "link", "judged", "outcome")


@researchers_only
@never_cache
@require_safe
def study_people(request: HttpRequest, study: Study) -> HttpResponse:
    return people_page(request, study, LinksForm(), RoleForm(initial={"rank": Rank.RESEARCHER}))


def people_page(
    request: HttpRequest, study: Study, links: LinksForm, roles: RoleForm
) -> HttpResponse:
    page = Paginator(linked(study), LINKS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": page,
        "rows": [(person, link_of(request, person)) for person in page],
        "join_url": request.build_absolute_uri(reverse("join", args=[study.join_code])),
        "crowd_url": crowd_url(request, study),
        "roles": sorted(study.roles.select_related("user"), key=by_rank),
        "links_form": links,
        "role_form": roles,
        "invited_only": study.accounts == Accounts.INVITED,
        "may_change": has_rank(request.user, study, Rank.OWNER),
    }
    status = 422 if links.is_bound or roles.is_bound else 200
    return render(request, "study/people.html", context, status=status)


def by_rank(role: Role) -> tuple[int, str]:
    return Rank.values.index(role.rank), role.user.get_username()


def linked(study: Study) -> AnnotatorQuerySet:
    """Those who have a personal link."""
    return Annotator.objects.filter(study=study).exclude(token="").order_by("label")


def link_of(request: HttpRequest, person: Annotator) -> str:
    return request.build_absolute_uri(reverse("personal", args=[person.token]))


def crowd_url(request: HttpRequest, study: Study) -> str:
    """The crowd's link with what the platform is to fill in."""
    names = (study.person_parameter, study.study_parameter, study.session_parameter)
    query = "&".join(f"{quote(name)}={place_of(name)}" for name in names if name)
    return request.build_absolute_uri(reverse("crowd", args=[study.join_code])) + f"?{query}"


def place_of(parameter: str) -> str:
    return f"{{{{%{parameter}%}}}}" if parameter in PROLIFIC else "…"


@researchers_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_links(request: HttpRequest, study: Study) -> HttpResponse:
    """The personal links as CSV, or with a list of names more of them."""
    if request.method != "POST":
        return links_file(request, study)
    form = LinksForm(request.POST)
    if not form.is_valid():
        return people_page(request, study, form, RoleForm())
    names = form.cleaned_data["names"]
    with transaction.atomic():
        personal_links(study, names)
        log(study, cast(User, request.user), "made links", links=names)
    words = ngettext("%(count)s link is there.", "%(count)s links are there.", len(names))
    messages.success(request, words % {"count": intcomma(len(names))})
    return redirect(f"{reverse('study_people', args=[study.name])}#links")


def links_file(request: HttpRequest, study: Study) -> HttpResponse:
    rows = [
        (person.label, link_of(request, person), person.judged, person.outcome)
        for person in linked(study)
    ]
    text = csv_text(defused(pd.DataFrame(rows, columns=list(COLUMNS))), COLUMNS)
    return HttpResponse(text, headers=attached(f"{study.name}-links.csv"), content_type="text/csv")


@owners_only
@require_POST
def study_role(request: HttpRequest, study: Study) -> HttpResponse:
    form = RoleForm(request.POST)
    if not form.is_valid():
        return people_page(request, study, LinksForm(), form)
    user, rank = form.cleaned_data["username"], Rank(form.cleaned_data["rank"])
    try:
        give_role(study, user, rank, cast(User, request.user))
    except NotPossible as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            _("%(user)s is %(rank)s of this study now.") % {"user": user, "rank": rank.label},
        )
    return redirect(f"{reverse('study_people', args=[study.name])}#roles")


@owners_only
@require_POST
def study_role_remove(request: HttpRequest, study: Study) -> HttpResponse:
    form = AccountForm(request.POST)
    if form.is_valid():
        user = form.cleaned_data["username"]
        try:
            take_role(study, user, cast(User, request.user))
        except NotPossible as error:
            messages.error(request, str(error))
        else:
            messages.success(request, _("%(user)s has no role any more.") % {"user": user})
    # an owner who took their own role away does not see the page any more
    if not has_rank(request.user, study, Rank.RESEARCHER):
        return redirect("home")
    return redirect(f"{reverse('study_people', args=[study.name])}#roles")
