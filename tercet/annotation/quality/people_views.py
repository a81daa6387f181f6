"""The people of a study: its links, and the accounts that have a role in it."""

from urllib.parse import quote

import pandas as pd
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from tercet.analysis.number_texts import plural
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.judging.annotators import personal_links
from tercet.annotation.models import Annotator, Role, Study
from tercet.annotation.models.annotator import AnnotatorQuerySet
from tercet.annotation.models.base import store
from tercet.annotation.models.study import Accounts, Rank, join_code
from tercet.annotation.permissions import has_rank, owners_only, researchers_only
from tercet.annotation.quality.forms import LinksForm
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    csv_response,
    form_on,
    form_page,
    page_in,
    safe_page,
    show_success,
)
from tercet.annotation.role_forms import RoleForm, give_role_in, take_role_in
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.roles import is_owner

LINKS_PER_PAGE = 20
_PROLIFIC_PARAMETERS = {"PROLIFIC_PID", "STUDY_ID", "SESSION_ID"}
"""What Prolific fills in where a URL contains {{%NAME%}}."""
COLUMNS = ("name", "link", "judged", "outcome")


@researchers_only
@safe_page
def study_people(request: UserRequest, study: Study) -> HttpResponse:
    """Show the links and roles of a study."""
    roles = RoleForm(initial={"rank": Rank.RESEARCHER})
    return _people_page(request, study, LinksForm(), roles)


def _people_page(
    request: UserRequest, study: Study, links: LinksForm, roles: RoleForm
) -> HttpResponse:
    page = page_in(request, _with_links(study), LINKS_PER_PAGE)

    context = {
        "study": study,
        "page": page,
        "rows": [(person, _link_of(request, person)) for person in page],
        "join_url": request.build_absolute_uri(reverse("join", args=[study.join_code])),
        "crowd_url": _crowd_url(request, study),
        "roles": sorted(study.roles.select_related("user"), key=_by_rank),
        "links_form": links,
        "role_form": roles,
        "invited_only": study.accounts == Accounts.INVITED,
        "may_change": is_owner(request.user, study),
    }
    status = 422 if links.is_bound or roles.is_bound else 200
    return render(request, "quality/people.html", context, status=status)


def _by_rank(role: Role) -> tuple[int, str]:
    return Rank.values.index(role.rank), role.user.get_username()


def _with_links(study: Study) -> AnnotatorQuerySet:
    people = Annotator.objects.filter(study=study)
    return people.exclude(token="").order_by("label")


def _link_of(request: UserRequest, person: Annotator) -> str:
    return request.build_absolute_uri(reverse("personal", args=[person.token]))


def _crowd_url(request: UserRequest, study: Study) -> str:
    """Return the crowd link with placeholders that the platform fills in."""
    names = [study.person_parameter, study.study_parameter, study.session_parameter]
    values = {name: f"{{{{%{name}%}}}}" for name in _PROLIFIC_PARAMETERS}
    query = "&".join(f"{quote(name)}={values.get(name, '…')}" for name in names if name)
    if not study.crowd_code:  # made by a process of an earlier version
        store(study, crowd_code=join_code())
    address = reverse("crowd", args=[study.crowd_code])
    return f"{request.build_absolute_uri(address)}?{query}"


@owners_only
@form_page
def study_links(request: UserRequest, study: Study) -> HttpResponse:
    """Send the personal links as CSV, or create more for a list of names."""
    if request.method != "POST":
        rows = [
            (person.label, _link_of(request, person), person.judged, person.outcome)
            for person in _with_links(study)
        ]
        table = pd.DataFrame(rows, columns=list(COLUMNS))
        text = csv_text(escaped(table), COLUMNS)
        return csv_response(request, f"{study.name}-links.csv", text)

    form = LinksForm(request.POST)
    if not form.is_valid():
        return _people_page(request, study, form, RoleForm())

    names = form.cleaned_data["names"]
    with transaction.atomic():
        people = personal_links(study, names)
        pseudonyms = [person.name for person in people]
        log(study, request.user, "made links", links=pseudonyms)

    message = plural(len(names), "%(count)s link created.", "%(count)s links created.")
    show_success(request, message, count=intcomma(len(names)))
    return redirect(reverse("study_people", args=[study.name], fragment="links"))


@owners_only
@form_on("study_people")
def study_role(request: UserRequest, study: Study) -> HttpResponse:
    """Give an account a role in the study."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _people_page(request, study, LinksForm(), form)

    give_role_in(study, request, form)
    return redirect(reverse("study_people", args=[study.name], fragment="roles"))


@owners_only
@require_POST
def study_role_remove(request: UserRequest, study: Study) -> HttpResponse:
    """Remove an account's role in the study."""
    take_role_in(study, request)

    # owners who remove their own role may not see the page any more
    if not has_rank(request.user, study, Rank.RESEARCHER):
        return redirect("home")
    return redirect(reverse("study_people", args=[study.name], fragment="roles"))
