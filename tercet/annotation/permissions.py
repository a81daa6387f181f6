"""Who may see and do what: decorators of views, roles in studies, and annotators' cookies."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import urlsplit

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from tercet.annotation.judging.annotators import annotator_of
from tercet.annotation.judging.networks import note_network
from tercet.annotation.models import Annotator, Challenge, Dataset, Study
from tercet.annotation.models.study import Accounts, Rank, State, Step
from tercet.annotation.requests import UserRequest, cookie_options, network_of
from tercet.annotation.studies.roles import is_owner

P = ParamSpec("P")
T = TypeVar("T", Study, Challenge)
Member = User | AnonymousUser
_View = Callable[Concatenate[UserRequest, P], HttpResponseBase]
_GuardedView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
_RowView = Callable[Concatenate[UserRequest, T, ...], HttpResponseBase]

COOKIE_SECONDS = 365 * 24 * 3600
_RANKS = [Rank.ANNOTATOR, Rank.RESEARCHER, Rank.ADJUDICATOR, Rank.OWNER]
"""Each rank includes the rights of those before it."""


def login_required(view: _View[P]) -> _GuardedView[P]:
    """Redirect visitors without an account to the login page."""

    @wraps(view)
    def guarded(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _redirect_to_the_login(request)

        return view(cast(UserRequest, request), *args, **kwargs)

    return guarded


def administrators_only(view: _View[P]) -> _GuardedView[P]:
    """Deny accounts that are not staff; redirect visitors to the login page."""

    @login_required
    @wraps(view)
    def guarded(
        request: UserRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if not request.user.is_staff:
            raise PermissionDenied

        return view(request, *args, **kwargs)

    return guarded


def guard(
    rows: QuerySet[T],
    is_admitted: Callable[[Member, T], bool],
    may_see: Callable[[Member, T], bool],
) -> Callable[[_RowView[T]], Callable[..., HttpResponseBase]]:
    """Admit visitors by a rule; the view receives the row with the name in the address.

    To those who may not see it, a row that exists looks like one that does not.
    """

    def decorated(view: _RowView[T]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(
            request: HttpRequest, name: str, **parameters: Any
        ) -> HttpResponseBase:
            row = rows.filter(name=name).first()
            user = request.user

            if row and is_admitted(user, row):
                return view(cast(UserRequest, request), row, **parameters)
            if not user.is_authenticated:
                return _redirect_to_the_login(request)
            if row and may_see(user, row):
                raise PermissionDenied

            raise Http404

        return guarded

    return decorated


def _is_known_to(user: Member, study: Study) -> bool:
    if user.is_anonymous:
        return False

    has_role = user.is_staff or study.roles.filter(user=user).exists()
    return has_role or study.annotators.filter(user=user).exists()


def _redirect_to_the_login(request: HttpRequest) -> HttpResponseBase:
    """Redirect a visitor to the login page, and from there to the page they were on."""
    is_page = request.method in {"GET", "HEAD"}
    return redirect_to_login(
        request.get_full_path() if is_page else _page_of_the_form(request)
    )


def _page_of_the_form(request: HttpRequest) -> str:
    """Return the address of the page whose form was sent; the start page if it is not known."""
    page = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(page, {request.get_host()}):
        return reverse("home")
    return urlsplit(page)._replace(scheme="", netloc="").geturl()


def has_rank(user: Member, study: Study, minimum: Rank) -> bool:
    """Return whether an account has at least this rank in a study; staff always has."""
    if not user.is_authenticated:
        return False
    if user.is_staff:
        return True

    sufficient = _RANKS[_RANKS.index(minimum) :]
    return study.roles.filter(user=user, rank__in=sufficient).exists()


def _members_only(
    minimum: Rank,
) -> Callable[[_RowView[Study]], Callable[..., HttpResponseBase]]:
    rule = partial(has_rank, minimum=minimum)
    return guard(Study.objects.select_related("dataset"), rule, _is_known_to)


researchers_only = _members_only(Rank.RESEARCHER)
adjudicators_only = _members_only(Rank.ADJUDICATOR)
owners_only = _members_only(Rank.OWNER)


def may_see_names(user: Member, study: Study) -> bool:
    """Return whether an account may see who the annotators are, besides their pseudonyms."""
    return is_owner(user, study)


def studies_of(user: Member) -> QuerySet[Study]:
    """Select the studies whose results an account may see."""
    if not user.is_authenticated:
        return Study.objects.none()
    if user.is_staff:
        return Study.objects.all()

    sufficient = _RANKS[_RANKS.index(Rank.RESEARCHER) :]
    return Study.objects.filter(roles__user=user, roles__rank__in=sufficient)


def studies_to_judge(user: User) -> QuerySet[Study]:
    """Select the open studies in which an account may judge."""
    is_allowed = Q(accounts=Accounts.ALL) | Q(pk__in=user.study_roles.values("study"))
    return Study.objects.filter(is_allowed, state=State.OPEN)


def _may_judge(user: Member, study: Study) -> bool:
    if study.accounts == Accounts.ALL:
        return user.is_authenticated

    return has_rank(user, study, Rank.ANNOTATOR)


def may_see_images(request: HttpRequest, dataset: Dataset) -> bool:
    """Return whether a visitor may see the images of a dataset."""
    if request.user.is_staff:
        return True

    return any(
        _annotator_of_cookie(request, study) or _may_judge(request.user, study)
        for study in dataset.studies.all()
    )


def annotator_in(request: HttpRequest, study: Study) -> Annotator | None:
    """Return the annotator whom a request comes from, by its cookie or else by its account.

    An account that has judged stays the same annotator, even if it loses the right to judge.
    """
    annotator = _annotator_of_cookie(request, study)
    if annotator or not request.user.is_authenticated:
        return annotator

    if _may_judge(request.user, study):
        annotator = annotator_of(study, request.user)
        if not annotator.leases_given and Step.CONSENT not in study.steps:
            note_network(annotator, network_of(request))
        return annotator
    return study.annotators.filter(user=request.user).first()


def _annotator_of_cookie(request: HttpRequest, study: Study) -> Annotator | None:
    key = annotator_key_in(request, study.name)
    annotator = study.annotators.filter(pk=key).first() if key else None

    if annotator:
        annotator.study = study
    return annotator


def annotator_key_in(request: HttpRequest, study_name: str) -> int | None:
    """Return the key of the annotator in a request's signed cookie for this study."""
    value = request.get_signed_cookie(cookie_name(study_name), default=None)
    return int(value) if value else None


def set_annotator_cookie(response: HttpResponseBase, annotator: Annotator) -> None:
    """Remember an annotator without an account in their browser."""
    name = cookie_name(annotator.study.name)
    key = str(annotator.pk)
    response.set_signed_cookie(name, key, max_age=COOKIE_SECONDS, **cookie_options())


def delete_annotator_cookie(response: HttpResponseBase, study: Study) -> None:
    """Make the browser forget its annotator in a study."""
    response.delete_cookie(cookie_name(study.name), samesite="Lax")


def cookie_name(study_name: str) -> str:
    """Return the name of the cookie that holds a browser's annotator in a study."""
    return f"annotator-{study_name}"
